// Engine buffers over huge pages.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "verbs/verbs.hpp"

namespace fabricbench::verbs {
namespace {

struct HugeHandle : BufferHandle {
  size_t mapped;  // whole pages
};

uint64_t meminfo(const std::string &name) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) == 0) return std::stoull(line.substr(name.size()));
  }
  return 0;
}

void unmap(HugeHandle *handle) {
  if (handle->data != nullptr) munmap(handle->data, handle->mapped);
  handle->data = nullptr;
  handle->byte_length = 0;
}

void destroy_handle(BufferHandle *handle) {
  unmap(static_cast<HugeHandle *>(handle));
  delete static_cast<HugeHandle *>(handle);
}

void finalize_handle(napi_env, void *data, void *) { release_buffer(static_cast<BufferHandle *>(data)); }

[[noreturn]] void throw_no_pages(Napi::Env env, size_t pages, uint64_t page_kib) {
  const uint64_t free_pages = meminfo("HugePages_Free:"), total = meminfo("HugePages_Total:");
  const std::string kib = std::to_string(page_kib) + " KiB";
  const std::string text = std::to_string(pages) + " huge pages of " + kib + " are needed and " +
                           std::to_string(free_pages) +
                           " are free: raise vm.nr_hugepages (as root: sysctl -w vm.nr_hugepages=" +
                           std::to_string(total + pages - (free_pages < pages ? free_pages : 0)) + ")";
  throw_errno(env, "mmap", ENOMEM, text.c_str());
}

// verbsHugeAllocate(object, byteLength)
void allocate(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto byte_length = static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  const uint64_t page_kib = meminfo("Hugepagesize:");
  if (page_kib == 0) throw Napi::Error::New(env, "this kernel has no huge pages");
  const size_t page = page_kib * 1024, pages = (byte_length + page - 1) / page;
  void *data = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (data == MAP_FAILED) {
    if (errno == ENOMEM) throw_no_pages(env, pages, page_kib);
    throw_errno(env, "mmap", errno, "huge pages (MAP_HUGETLB) can't be had");
  }
  memset(data, 0, byte_length);  // no page fault in a timed part
  auto *handle =
      new HugeHandle{{kBufferVersion, sizeof(BufferHandle), data, byte_length, 0, 0, destroy_handle}, pages * page};
  check_status(env, napi_type_tag_object(env, info[0], &kBufferTag));
  check_status(env, napi_wrap(env, info[0], handle, finalize_handle, nullptr, nullptr));
  hold_buffer(handle);
}

// verbsHugeFree(object, views): the caller has checked that nobody uses it
void release(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const auto views = info[1].As<Napi::Array>();
  for (uint32_t i = 0; i < views.Length(); ++i) {
    const Napi::Value array_buffer = views[i];
    check_status(env, napi_detach_arraybuffer(env, array_buffer));
  }
  unmap(static_cast<HugeHandle *>(unwrap_buffer(env, info[0])));
}

}  // namespace

void register_huge_pages(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsHugeAllocate", Napi::Function::New(env, allocate));
  exports.Set("verbsHugeFree", Napi::Function::New(env, release));
}

}  // namespace fabricbench::verbs
