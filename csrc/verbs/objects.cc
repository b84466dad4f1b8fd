#include "verbs/objects.hpp"

#include <unordered_set>

namespace fabricbench::verbs {
namespace {

// Never destroyed: operations may be finalised when Node is gone already.
std::unordered_set<VerbsOperation *> &living() {
  static auto *operations = new std::unordered_set<VerbsOperation *>();
  return *operations;
}

std::string counted(size_t count, const char *one, const char *many) {
  return count == 1 ? std::string("one ") + one : std::to_string(count) + " " + many;
}

}  // namespace

VerbsOperation::VerbsOperation() { living().insert(this); }

VerbsOperation::~VerbsOperation() { living().erase(this); }

size_t operation_users(const Child *object) {
  size_t users = 0;
  for (const VerbsOperation *operation : living()) {
    if (operation->released != 0) continue;
    for (const auto &used : operation->uses) users += used.get() == object ? 1 : 0;
  }
  return users;
}

void refuse_used(Napi::Env env, const char *what, const char *verb, size_t objects, size_t operations) {
  if (objects + operations == 0) return;
  std::string users, mend;
  if (objects > 0) {
    users = counted(objects, "object of it is open", "objects of it are open");
    mend = "close them first";
  }
  if (operations > 0) {
    users += (objects > 0 ? " and " : "") + counted(operations, "operation uses it", "operations use it");
    mend = objects > 0 ? "close and release them first" : "release first";
  }
  throw Napi::Error::New(env, std::string(what) + " can't be " + verb + ": " + users + "; " + mend);
}

}  // namespace fabricbench::verbs
