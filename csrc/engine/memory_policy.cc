// Where a thread's memory comes from. The system calls themselves: libnuma isn't needed for them.
#include <errno.h>
#include <linux/mempolicy.h>
#include <napi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "engine/addon.hpp"

namespace fabricbench {
namespace {

// A set of NUMA nodes, larger than Linux can be built for.
class NodeMask {
 public:
  static constexpr size_t kLimit = 4096;

  void add(size_t node) {
    if (node < kLimit) words_[node / kBits] |= 1UL << (node % kBits);
  }
  bool has(size_t node) const { return (words_[node / kBits] >> (node % kBits) & 1) != 0; }
  unsigned long *data() { return words_.data(); }

 private:
  static constexpr size_t kBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, kLimit / kBits> words_{};
};

// setMemoryPolicy(nodes): 0 or the errno; for this thread and those that it starts. Without a node the default comes
// back.
Napi::Value set_memory_policy(const Napi::CallbackInfo &info) {
  const auto nodes = info[0].As<Napi::Array>();
  NodeMask mask;
  for (uint32_t i = 0; i < nodes.Length(); ++i) mask.add(nodes.Get(i).As<Napi::Number>().Uint32Value());
  // The kernel counts one bit more than it reads.
  const long result = nodes.Length() == 0 ? syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0)
                                          : syscall(SYS_set_mempolicy, MPOL_BIND, mask.data(), NodeMask::kLimit + 1);
  return Napi::Number::New(info.Env(), result == 0 ? 0 : errno);
}

// memoryPolicy(): [the kernel's number of the mode without its flags, nodes...]; empty where the kernel doesn't tell.
Napi::Value memory_policy(const Napi::CallbackInfo &info) {
  Napi::Array result = Napi::Array::New(info.Env());
  NodeMask mask;
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), NodeMask::kLimit + 1, nullptr, 0) != 0) return result;
  result.Set(0U, static_cast<double>(mode & ~MPOL_MODE_FLAGS));
  for (size_t node = 0; node < NodeMask::kLimit; ++node) {
    if (mask.has(node)) result.Set(result.Length(), static_cast<double>(node));
  }
  return result;
}

}  // namespace

void export_memory_policy(Napi::Env env, Napi::Object exports) {
  exports.Set("setMemoryPolicy", Napi::Function::New(env, set_memory_policy));
  exports.Set("memoryPolicy", Napi::Function::New(env, memory_policy));
}

}  // namespace fabricbench
