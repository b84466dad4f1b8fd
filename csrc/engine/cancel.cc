#include "engine/cancel.hpp"

#include <napi.h>

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "engine/addon.hpp"

namespace fabricbench {
namespace {

struct Cancelling {
  CancelWord word = {0, 0, nullptr};
  std::mutex mutex;  // guards changes of the word, and what follows
  std::unordered_set<CancelMember *> members;
};

// Never destroyed: a native thread may still cancel while the process ends.
Cancelling &cancelling() {
  static auto *one = new Cancelling;
  return *one;
}

void set(bool cancelled) {
  __atomic_store_n(&cancelling().word.cancelled, cancelled ? 1u : 0u, __ATOMIC_RELEASE);
  for (CancelMember *member : cancelling().members) member->set_all(cancelled);
}

}  // namespace

const CancelWord &cancel_word() { return cancelling().word; }

void cancel_runs(const std::string &reason) {
  Cancelling &all = cancelling();
  std::lock_guard<std::mutex> lock(all.mutex);
  // Texts are few and never freed: a thread may read one while another clears it away.
  if (all.word.reason == nullptr) __atomic_store_n(&all.word.reason, strdup(reason.c_str()), __ATOMIC_RELEASE);
  set(true);
}

void clear_cancel() {
  Cancelling &all = cancelling();
  std::lock_guard<std::mutex> lock(all.mutex);
  set(false);
  __atomic_store_n(&all.word.reason, nullptr, __ATOMIC_RELEASE);
}

CancelMember::CancelMember() {
  Cancelling &all = cancelling();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.members.insert(this);
  set_all(all.word.cancelled != 0);
}

CancelMember::~CancelMember() {
  Cancelling &all = cancelling();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.members.erase(this);
}

void CancelMember::set_all(bool cancelled) {
  if (cancelled) {
    __atomic_or_fetch(&word_, kAll, __ATOMIC_RELAXED);
  } else {
    __atomic_and_fetch(&word_, ~kAll, __ATOMIC_RELAXED);
  }
}

void export_cancel(Napi::Env env, Napi::Object exports) {
  exports.Set("cancelWord", Napi::External<CancelWord>::New(env, &cancelling().word));
  exports.Set("cancelRuns", Napi::Function::New(env, [](const Napi::CallbackInfo &info) {
                cancel_runs(info[0].As<Napi::String>().Utf8Value());
              }));
  exports.Set("clearCancel", Napi::Function::New(env, [](const Napi::CallbackInfo &) { clear_cancel(); }));
}

}  // namespace fabricbench
