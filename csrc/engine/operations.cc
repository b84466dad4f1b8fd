// The engine's own operations: validation, copying, repetition. None of them communicates.
#include <napi.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "engine/addon.hpp"
#include "engine/executor.hpp"
#include "engine/operation_js.hpp"
#include "engine/pattern.hpp"

namespace fabricbench {
namespace {

constexpr const char *kStack = "engine";

// Makes an operation of type T with its name and function; the rest of T is the caller's to fill in.
template <typename T>
T *new_operation(const char *name, int32_t (*execute)(Operation *, Context *)) {
  T *operation = new T;
  init_operation(operation, kStack, name, kOperationAnyThread);
  operation->execute = execute;
  operation->destroy = [](Operation *self) { delete static_cast<T *>(self); };
  return operation;
}

uint64_t integer(const Napi::Value &value) { return static_cast<uint64_t>(value.As<Napi::Number>().Int64Value()); }

// Throws unless [offset, offset + length) lies in the bytes.
void require_range(Napi::Env env, const Bytes &bytes, uint64_t offset, uint64_t length, const char *what) {
  if (offset <= bytes.byte_length && length <= bytes.byte_length - offset) return;
  throw Napi::RangeError::New(env, std::string(what) + " has " + std::to_string(bytes.byte_length) +
                                       " bytes, too few for " + std::to_string(length) + " bytes at offset " +
                                       std::to_string(offset));
}

struct Noop : Operation {};

// noop(): does nothing; the cost of an operation itself
Napi::Value noop(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Noop>("noop", [](Operation *, Context *) { return 0; });
  return wrap_operation(info.Env(), operation, {});
}

struct Fill : Operation {
  uint8_t *data;
  uint64_t length, sender, slot;
};

int32_t execute_fill(Operation *self, Context *context) {
  auto *fill = static_cast<Fill *>(self);
  fill_pattern(Pattern(fill->sender, context->iteration, fill->slot), fill->data, fill->length, 0);
  return 0;
}

// fill(bytes, offset, length, sender, slot)
Napi::Value fill(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the buffer to fill");
  require_range(info.Env(), bytes, integer(info[1]), integer(info[2]), "the buffer to fill");
  Fill *operation = new_operation<Fill>("fill", execute_fill);
  operation->data = static_cast<uint8_t *>(bytes.data) + integer(info[1]);
  operation->length = integer(info[2]);
  operation->sender = integer(info[3]);
  operation->slot = integer(info[4]);
  return wrap_operation(info.Env(), operation, {info[0]});
}

struct Block {
  uint64_t offset, length;  // in bytes, from the start of the pattern
};

struct Check : Operation {
  const uint8_t *data;
  std::vector<Block> blocks;
  uint64_t sender, slot;
  CheckResult result;
};

int32_t execute_check(Operation *self, Context *context) {
  auto *check = static_cast<Check *>(self);
  const Pattern pattern(check->sender, context->iteration, check->slot);
  for (const Block &block : check->blocks) {
    check_pattern(pattern, check->data + block.offset, block.length, block.offset, context->iteration, &check->result);
  }
  return 0;
}

// check(bytes, offset, blocks: Float64Array of offset and length in turn, sender, slot)
Napi::Value check(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the buffer to check");
  const uint64_t offset = integer(info[1]);
  const auto numbers = info[2].As<Napi::Float64Array>();
  std::vector<Block> blocks;
  for (size_t i = 0; i + 1 < numbers.ElementLength(); i += 2) {
    const Block block = {static_cast<uint64_t>(numbers[i]), static_cast<uint64_t>(numbers[i + 1])};
    require_range(info.Env(), bytes, offset + block.offset, block.length, "the buffer to check");
    blocks.push_back(block);
  }
  Check *operation = new_operation<Check>("check", execute_check);
  operation->reset = [](Operation *self) { static_cast<Check *>(self)->result = CheckResult{}; };
  operation->data = static_cast<const uint8_t *>(bytes.data) + offset;
  operation->blocks = std::move(blocks);
  operation->sender = integer(info[3]);
  operation->slot = integer(info[4]);
  return wrap_operation(info.Env(), operation, {info[0]});
}

// checkResult(operation): see CheckResult in src/engine/operations.ts
Napi::Value check_result(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const Operation *operation = unwrap_operation(env, info[0], "the operation");
  if (operation->execute != execute_check) {
    throw Napi::TypeError::New(env, std::string(operation->name) + " is no check operation, so it has no result");
  }
  const CheckResult &found = static_cast<const Check *>(operation)->result;
  Napi::Object result = Napi::Object::New(env);
  result.Set("checked", static_cast<double>(found.checked));
  result.Set("errors", static_cast<double>(found.errors));
  if (found.errors == 0) return result;
  Napi::Object first = Napi::Object::New(env);
  first.Set("iteration", static_cast<double>(found.iteration));
  first.Set("offset", static_cast<double>(found.offset));
  first.Set("expected", found.expected);
  first.Set("got", found.got);
  result.Set("first", first);
  return result;
}

struct Copy : Operation {
  const void *from;
  void *to;
  size_t length;
};

// copy(from, to, length)
Napi::Value copy(const Napi::CallbackInfo &info) {
  const Bytes from = bytes_of(info.Env(), info[0], "the buffer to copy from");
  const Bytes to = bytes_of(info.Env(), info[1], "the buffer to copy to");
  const uint64_t length = integer(info[2]);
  require_range(info.Env(), from, 0, length, "the buffer to copy from");
  require_range(info.Env(), to, 0, length, "the buffer to copy to");
  Copy *operation = new_operation<Copy>("copy", [](Operation *self, Context *) {
    const auto *copy = static_cast<Copy *>(self);
    if (copy->length != 0) memmove(copy->to, copy->from, copy->length);
    return 0;
  });
  operation->from = from.data;
  operation->to = to.data;
  operation->length = length;
  return wrap_operation(info.Env(), operation, {info[0], info[1]});
}

struct Repeat : Operation {
  ProgramLists lists;  // only `timed`
  uint64_t times;
  const Operation *failed;  // by the last execution
};

int32_t execute_repeat(Operation *self, Context *context) {
  auto *repeat = static_cast<Repeat *>(self);
  for (uint64_t i = 0; i < repeat->times; ++i) {
    for (Operation *operation : repeat->lists.timed) {
      const int32_t code = operation->execute(operation, context);
      if (code == 0) continue;
      repeat->failed = operation;
      repeat->stack = operation->stack;  // the code is one of its
      return code;
    }
    if (is_cancelled(context)) return kOperationCancelled;
  }
  return 0;
}

void describe_repeat(Operation *self, int32_t code, char *text, size_t length) {
  const Operation *failed = static_cast<Repeat *>(self)->failed;
  if (failed == nullptr) return;
  snprintf(text, length, "%s: %s", failed->name, describe_failure(failed, code).c_str());
}

void let_go_of_operations(Repeat *repeat) {
  for (Operation *operation : repeat->lists.timed) release_operation(operation);
  repeat->lists.timed.clear();
}

void destroy_repeat(Operation *self) {
  let_go_of_operations(static_cast<Repeat *>(self));
  delete static_cast<Repeat *>(self);
}

// repeat(operations, times)
Napi::Value repeat(const Napi::CallbackInfo &info) {
  const auto functions = info[0].As<Napi::Array>();
  auto *operation = new_operation<Repeat>("repeat", execute_repeat);
  operation->reset = [](Operation *self) { reset_operations(static_cast<Repeat *>(self)->lists); };
  operation->describe = describe_repeat;
  operation->destroy = destroy_repeat;
  operation->times = integer(info[1]);
  operation->failed = nullptr;
  std::vector<napi_value> holds;
  uint32_t flags = kOperationAnyThread;
  try {
    for (uint32_t i = 0; i < functions.Length(); ++i) {
      const Napi::Value function = functions[i];
      Operation *inner = unwrap_operation(info.Env(), function, "operations[" + std::to_string(i) + "]");
      hold_operation(inner);
      operation->lists.timed.push_back(inner);
      flags &= inner->flags;
      holds.push_back(function);
    }
  } catch (...) {
    destroy_repeat(operation);
    throw;
  }
  operation->flags = flags;
  return wrap_operation(info.Env(), operation, holds);
}

// releaseOperation(operation): lets go of its buffers and everything else that it holds; it can't run any more
void release(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  Operation *operation = unwrap_operation(env, info[0], "the operation");
  if (operation->users != 0) {
    throw Napi::Error::New(env, std::string(operation->name) +
                                    " belongs to a run or to another operation: finish the run, or release that first");
  }
  if (operation->execute == execute_repeat) let_go_of_operations(static_cast<Repeat *>(operation));
  operation->released = 1;
  operation->execute = detail::execute_released;
  operation->reset = nullptr;
  detail::let_go_of_buffers(operation);
  detail::hold_values(env, info[0], {});
}

}  // namespace

void export_operations(Napi::Env env, Napi::Object exports) {
  exports.Set("noop", Napi::Function::New(env, noop));
  exports.Set("fill", Napi::Function::New(env, fill));
  exports.Set("check", Napi::Function::New(env, check));
  exports.Set("checkResult", Napi::Function::New(env, check_result));
  exports.Set("copy", Napi::Function::New(env, copy));
  exports.Set("repeat", Napi::Function::New(env, repeat));
  exports.Set("releaseOperation", Napi::Function::New(env, release));
}

}  // namespace fabricbench
