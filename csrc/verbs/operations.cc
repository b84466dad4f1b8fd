#include "verbs/operations.hpp"

#include <unordered_set>

#include "engine/clock.h"

namespace fabricbench::verbs {
namespace {

// Never destroyed: operations may be finalised when Node is gone already.
std::unordered_set<VerbsOperation *> &living() {
  static auto *operations = new std::unordered_set<VerbsOperation *>();
  return *operations;
}

}  // namespace

VerbsOperation::VerbsOperation() { living().insert(this); }

VerbsOperation::~VerbsOperation() { living().erase(this); }

void let_go_of_released() {
  for (VerbsOperation *operation : living()) {
    if (operation->released != 0) operation->uses.reset();
  }
}

void register_operations(Napi::Env env, Napi::Object exports) {
  fb_clock_start();
  register_single_operations(env, exports);
  register_streams(env, exports);
  register_receives(env, exports);
}

}  // namespace fabricbench::verbs
