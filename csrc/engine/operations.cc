// The engine's own operations on bytes: validation and copying. None of them communicates.
#include <napi.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/addon.hpp"
#include "engine/own_operations.hpp"
#include "engine/pattern.hpp"

namespace fabricbench {
namespace {

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

struct Check : Checking {
  const uint8_t *data;
  std::vector<Block> blocks;
  uint64_t sender, slot;
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
  operation->reset = reset_checking;
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
  if (operation->reset != reset_checking) {
    throw Napi::TypeError::New(env, std::string(operation->name) + " is no check operation, so it has no result");
  }
  const CheckResult &found = static_cast<const Checking *>(operation)->result;
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

}  // namespace

void export_operations(Napi::Env env, Napi::Object exports) {
  exports.Set("noop", Napi::Function::New(env, noop));
  exports.Set("fill", Napi::Function::New(env, fill));
  exports.Set("check", Napi::Function::New(env, check));
  exports.Set("checkResult", Napi::Function::New(env, check_result));
  exports.Set("copy", Napi::Function::New(env, copy));
}

}  // namespace fabricbench
