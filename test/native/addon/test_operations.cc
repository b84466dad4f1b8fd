// Operations that only tests use, in an addon of their own: they prove that the operation ABI works across addons, and
// they do to data and runs what must never go unnoticed.
#include <napi.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "engine/operation_js.hpp"
#include "unmap_watch.hpp"

namespace fabricbench {
namespace {

constexpr const char *kStack = "test";

std::atomic<int> destroyed{0};

template <typename T>
T *new_operation(const char *name, int32_t (*execute)(Operation *, Context *)) {
  T *operation = new T;
  init_operation(operation, kStack, name, kOperationAnyThread);
  operation->execute = execute;
  operation->destroy = [](Operation *self) {
    ++destroyed;
    delete static_cast<T *>(self);
  };
  return operation;
}

int64_t integer(const Napi::Value &value) { return value.As<Napi::Number>().Int64Value(); }

// An iteration to act in, or every one.
struct When {
  int64_t iteration = -1;
  bool is(const Context *context) const {
    return iteration < 0 || context->iteration == static_cast<uint64_t>(iteration);
  }
};

When read_when(const Napi::Value &value) { return {value.IsUndefined() ? -1 : integer(value)}; }

struct Corrupt : Operation {
  uint8_t *byte;
  When when;
};

// corrupt(bytes, offset, iteration?): flips a bit of one byte
Napi::Value corrupt(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the buffer to corrupt");
  const auto offset = static_cast<size_t>(integer(info[1]));
  if (offset >= bytes.byte_length) throw Napi::RangeError::New(info.Env(), "the byte to corrupt is outside the buffer");
  auto *operation = new_operation<Corrupt>("corrupt", [](Operation *self, Context *context) {
    const auto *corrupt = static_cast<Corrupt *>(self);
    if (corrupt->when.is(context)) *corrupt->byte ^= 0x40;
    return 0;
  });
  operation->byte = static_cast<uint8_t *>(bytes.data) + offset;
  operation->when = read_when(info[2]);
  return wrap_operation(info.Env(), operation, {info[0]});
}

struct Stale : Operation {
  uint8_t *data;
  std::vector<uint8_t> previous, fresh;
  bool has_previous;
};

// stale(bytes, length): puts the data of the iteration before in the place of the new ones
Napi::Value stale(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the buffer");
  const auto length = static_cast<size_t>(integer(info[1]));
  if (length > bytes.byte_length) throw Napi::RangeError::New(info.Env(), "the buffer is too short");
  auto *operation = new_operation<Stale>("stale", [](Operation *self, Context *) {
    auto *stale = static_cast<Stale *>(self);
    stale->fresh.assign(stale->data, stale->data + stale->previous.size());
    if (stale->has_previous) memcpy(stale->data, stale->previous.data(), stale->previous.size());
    stale->previous.swap(stale->fresh);
    stale->has_previous = true;
    return 0;
  });
  operation->data = static_cast<uint8_t *>(bytes.data);
  operation->previous.resize(length);
  operation->has_previous = false;
  return wrap_operation(info.Env(), operation, {info[0]});
}

struct FailAt : Operation {
  When when;
  int32_t code;
};

// failAt(iteration | undefined, code): fails in that iteration, or in every one
Napi::Value fail_at(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<FailAt>("failAt", [](Operation *self, Context *context) {
    const auto *fail = static_cast<FailAt *>(self);
    return fail->when.is(context) ? fail->code : 0;
  });
  operation->describe = [](Operation *, int32_t code, char *text, size_t length) {
    snprintf(text, length, "test failure %d", code);
  };
  operation->when = read_when(info[0]);
  operation->code = static_cast<int32_t>(integer(info[1]));
  return wrap_operation(info.Env(), operation, {});
}

struct SleepAt : Operation {
  When when;
  int64_t milliseconds;
};

// sleepAt(iteration | undefined, milliseconds): sleeps in that iteration, or in every one
Napi::Value sleep_at(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<SleepAt>("sleepAt", [](Operation *self, Context *context) {
    const auto *sleep = static_cast<SleepAt *>(self);
    if (!sleep->when.is(context)) return 0;
    timespec left = {sleep->milliseconds / 1000, sleep->milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
    return 0;
  });
  operation->when = read_when(info[0]);
  operation->milliseconds = integer(info[1]);
  return wrap_operation(info.Env(), operation, {});
}

// spin(): never ends by itself, but looks whether it is cancelled
Napi::Value spin(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Operation>("spin", [](Operation *, Context *context) {
    const timespec pause = {0, 100000};
    while (!is_cancelled(context)) nanosleep(&pause, nullptr);
    return kOperationCancelled;
  });
  return wrap_operation(info.Env(), operation, {});
}

struct Countdown : Operation {
  int64_t tests, left;
};

// countdown(tests): pending for so many tests, and then done; begins anew after that
Napi::Value countdown(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Countdown>("countdown", [](Operation *self, Context *) {
    auto *countdown = static_cast<Countdown *>(self);
    if (countdown->left-- > 0) return kOperationPending;
    countdown->left = countdown->tests;
    return 0;
  });
  operation->tests = operation->left = integer(info[0]);
  return wrap_operation(info.Env(), operation, {});
}

struct Count : Operation {
  std::atomic<int64_t> executed;
  int resets;
};

// count(anyThread): counts its executions since it was reset
Napi::Value count(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Count>("count", [](Operation *self, Context *) {
    ++static_cast<Count *>(self)->executed;
    return 0;
  });
  operation->reset = [](Operation *self) {
    static_cast<Count *>(self)->executed = 0;
    ++static_cast<Count *>(self)->resets;
  };
  operation->executed = 0;
  operation->resets = 0;
  if (info[0].IsBoolean() && !info[0].As<Napi::Boolean>().Value()) operation->flags = 0;
  return wrap_operation(info.Env(), operation, {});
}

// counted(count): {executed, resets}
Napi::Value counted(const Napi::CallbackInfo &info) {
  const auto *operation = static_cast<const Count *>(unwrap_operation(info.Env(), info[0], "the count"));
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("executed", static_cast<double>(operation->executed));
  result.Set("resets", operation->resets);
  return result;
}

struct Entry {
  std::string mark;
  uint64_t iteration;
  uint32_t thread;
};

std::mutex journal_mutex;
std::vector<Entry> journal;

struct Record : Operation {
  std::string mark;
};

// record(mark): writes its mark, the iteration and the thread into a journal shared by all
Napi::Value record(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Record>("record", [](Operation *self, Context *context) {
    std::lock_guard<std::mutex> lock(journal_mutex);
    journal.push_back({static_cast<Record *>(self)->mark, context->iteration, context->thread});
    return 0;
  });
  operation->mark = info[0].As<Napi::String>();
  return wrap_operation(info.Env(), operation, {});
}

// takeJournal(): its entries, as mark, iteration and thread; empties it
Napi::Value take_journal(const Napi::CallbackInfo &info) {
  std::lock_guard<std::mutex> lock(journal_mutex);
  Napi::Array result = Napi::Array::New(info.Env());
  for (const Entry &entry : journal) {
    Napi::Array row = Napi::Array::New(info.Env());
    row[0u] = entry.mark;
    row[1u] = static_cast<double>(entry.iteration);
    row[2u] = entry.thread;
    result[result.Length()] = row;
  }
  journal.clear();
  return result;
}

struct Increment : Operation {
  uint8_t *data;
};

// increment(bytes): adds 1 to the first byte, and so shows that the memory is alive
Napi::Value increment(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the buffer");
  auto *operation = new_operation<Increment>("increment", [](Operation *self, Context *) {
    ++*static_cast<Increment *>(self)->data;
    return 0;
  });
  operation->data = static_cast<uint8_t *>(bytes.data);
  return wrap_operation(info.Env(), operation, {info[0]});
}

// malformed(version offset, size offset): an operation such as an addon of another version would build
Napi::Value malformed(const Napi::CallbackInfo &info) {
  auto *operation = new_operation<Operation>("malformed", [](Operation *, Context *) { return 0; });
  operation->version += static_cast<uint32_t>(integer(info[0]));
  operation->size += static_cast<uint32_t>(integer(info[1]));
  return wrap_operation(info.Env(), operation, {});
}

// bytesOf(value): {byteLength, element} as the addons see it
Napi::Value describe_bytes(const Napi::CallbackInfo &info) {
  const Bytes bytes = bytes_of(info.Env(), info[0], "the value");
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("byteLength", static_cast<double>(bytes.byte_length));
  result.Set("element", bytes.element);
  result.Set("inEngineBuffer", bytes.handle != nullptr);
  result.Set("address", Napi::BigInt::New(info.Env(), reinterpret_cast<uint64_t>(bytes.data)));
  return result;
}

Napi::Value destroyed_count(const Napi::CallbackInfo &info) { return Napi::Number::New(info.Env(), destroyed); }

// blockForEver(): a native call that isn't part of a program
void block_for_ever(const Napi::CallbackInfo &) {
  for (;;) {
    const timespec pause = {1, 0};
    nanosleep(&pause, nullptr);
  }
}

// refuseThreads(refuse): whether the system is to give no more threads, as at the limit of processes: std::thread then
// asks for a stack larger than the address space
void refuse_threads(const Napi::CallbackInfo &info) {
  static const size_t usual = [] {
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_default_np(&attributes) == 0) pthread_attr_getstacksize(&attributes, &size);
    return size;
  }();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const size_t size = info[0].As<Napi::Boolean>().Value() ? size_t{1} << 60 : usual;
  if (pthread_attr_setstacksize(&attributes, size) != 0 || pthread_setattr_default_np(&attributes) != 0) {
    throw Napi::Error::New(info.Env(), "the default size of stacks can't be set");
  }
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  export_operation_support(env, exports);
  exports.Set("corrupt", Napi::Function::New(env, corrupt));
  exports.Set("stale", Napi::Function::New(env, stale));
  exports.Set("failAt", Napi::Function::New(env, fail_at));
  exports.Set("sleepAt", Napi::Function::New(env, sleep_at));
  exports.Set("spin", Napi::Function::New(env, spin));
  exports.Set("countdown", Napi::Function::New(env, countdown));
  exports.Set("count", Napi::Function::New(env, count));
  exports.Set("counted", Napi::Function::New(env, counted));
  exports.Set("record", Napi::Function::New(env, record));
  exports.Set("takeJournal", Napi::Function::New(env, take_journal));
  exports.Set("increment", Napi::Function::New(env, increment));
  exports.Set("malformed", Napi::Function::New(env, malformed));
  exports.Set("bytesOf", Napi::Function::New(env, describe_bytes));
  exports.Set("destroyed", Napi::Function::New(env, destroyed_count));
  exports.Set("refuseThreads", Napi::Function::New(env, refuse_threads));
  exports.Set("blockForEver", Napi::Function::New(env, block_for_ever));
  export_unmap_watch(env, exports);
  return exports;
}

NODE_API_MODULE(test_operations, init)

}  // namespace
}  // namespace fabricbench
