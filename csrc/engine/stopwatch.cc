// A stopwatch: operations that split one part of a program into several and add up how long each takes.
#include <napi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "engine/addon.hpp"
#include "engine/clock.h"
#include "engine/own_operations.hpp"

namespace fabricbench {
namespace {

// What the operations of one stopwatch share.
struct Watch {
  explicit Watch(size_t parts) : ticks(2 * parts), sums(ticks.data()) {}

  size_t parts() const { return ticks.size() / 2; }
  // Where the rounds that count add their ticks, and where those that are skipped do.
  uint64_t *kept() { return ticks.data(); }
  uint64_t *skipped() { return ticks.data() + parts(); }

  std::vector<uint64_t> ticks;
  uint64_t *sums;        // of the present round
  uint64_t last = 0;     // read of the clock; 0 before the first start
  uint64_t to_skip = 0;  // rounds from the next start on
  uint64_t counted = 0;  // rounds that were not skipped
};

struct WatchOperation : Operation {
  std::shared_ptr<Watch> watch;
  size_t part = 0;
};

void reset_watch(Operation *self) {
  Watch *watch = static_cast<WatchOperation *>(self)->watch.get();
  std::fill(watch->ticks.begin(), watch->ticks.end(), 0);
  watch->last = watch->to_skip = watch->counted = 0;
}

int32_t execute_start(Operation *self, Context *) {
  Watch *watch = static_cast<WatchOperation *>(self)->watch.get();
  if (watch->to_skip != 0) {
    --watch->to_skip;
    watch->sums = watch->skipped();
  } else {
    ++watch->counted;
    watch->sums = watch->kept();
  }
  watch->last = fb_ticks();
  return 0;
}

constexpr int32_t kNotStarted = 1;

int32_t execute_mark(Operation *self, Context *) {
  const uint64_t now = fb_ticks();
  const auto *mark = static_cast<WatchOperation *>(self);
  Watch *watch = mark->watch.get();
  if (__builtin_expect(watch->last == 0, 0)) return kNotStarted;
  watch->sums[mark->part] += now - watch->last;
  watch->last = now;
  return 0;
}

void describe_mark(Operation *, int32_t, char *text, size_t length) {
  snprintf(text, length, "the stopwatch does not run: put its start before its marks");
}

class Stopwatch : public Napi::ObjectWrap<Stopwatch> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Stopwatch",
                       {InstanceMethod("start", &Stopwatch::start), InstanceMethod("mark", &Stopwatch::mark),
                        InstanceMethod("skip", &Stopwatch::skip), InstanceMethod("seconds", &Stopwatch::seconds),
                        InstanceAccessor("rounds", &Stopwatch::rounds, nullptr)});
  }

  // new Stopwatch(parts)
  explicit Stopwatch(const Napi::CallbackInfo &info)
      : Napi::ObjectWrap<Stopwatch>(info), watch_(std::make_shared<Watch>(integer(info[0]))) {
    fb_clock_calibrate();
  }

 private:
  WatchOperation *operation(const char *name, int32_t (*execute)(Operation *, Context *)) {
    auto *operation = new_operation<WatchOperation>(name, execute);
    operation->reset = reset_watch;
    operation->watch = watch_;
    return operation;
  }

  // start(): an operation
  Napi::Value start(const Napi::CallbackInfo &info) {
    return wrap_operation(info.Env(), operation("stopwatch start", execute_start), {});
  }

  // mark(part, the start operation): an operation. It holds the other so that the engine sees what both share, and
  // refuses to use one stopwatch on two threads.
  Napi::Value mark(const Napi::CallbackInfo &info) {
    WatchOperation *mark = operation("stopwatch mark", execute_mark);
    mark->describe = describe_mark;
    mark->part = integer(info[0]);
    return wrap_operation(info.Env(), mark, {info[1]});
  }

  // skip(rounds)
  void skip(const Napi::CallbackInfo &info) { watch_->to_skip = integer(info[0]); }

  // seconds(sums: Float64Array)
  void seconds(const Napi::CallbackInfo &info) {
    auto sums = info[0].As<Napi::Float64Array>();
    for (size_t part = 0; part < watch_->parts(); ++part) sums[part] = fb_seconds(watch_->kept()[part]);
  }

  Napi::Value rounds(const Napi::CallbackInfo &info) {
    return Napi::Number::New(info.Env(), static_cast<double>(watch_->counted));
  }

  std::shared_ptr<Watch> watch_;
};

}  // namespace

void export_stopwatch(Napi::Env env, Napi::Object exports) { exports.Set("Stopwatch", Stopwatch::define(env)); }

}  // namespace fabricbench
