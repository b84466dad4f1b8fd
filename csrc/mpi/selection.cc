// What MPI really selected, read from what Open MPI and UCX tell of themselves in this process.
//
// Open MPI 4 has no interface for it. Its selected PML and its BTL modules are exported globals, whose layout is
// verified before it is trusted, with reads that fail instead of crashing. UCX lists its endpoints in its virtual file
// system and describes each with a public function.
#include "selection.hpp"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "register.hpp"

namespace fabricbench::mpi {
namespace {

// Copies memory of this process; false where there is none.
bool read_safely(const void *address, void *into, size_t bytes) {
  iovec to = {into, bytes};
  iovec from = {const_cast<void *>(address), bytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
}

// The head of mca_base_component_t of Open MPI 4: version numbers and names of project, framework and component.
struct ComponentHead {
  int32_t mca_version[3];
  char project[16];
  int32_t project_version[3];
  char framework[32];
  int32_t framework_version[3];
  char name[64];
};

// The component's name, or an empty one where the memory is no component of that framework.
std::string component_name(const void *address, const char *framework) {
  ComponentHead head;
  if (!address || !read_safely(address, &head, sizeof head)) return "";
  if (std::memchr(head.framework, 0, sizeof head.framework) == nullptr) return "";
  if (std::memchr(head.name, 0, sizeof head.name) == nullptr || head.name[0] == 0) return "";
  return std::strcmp(head.framework, framework) == 0 ? head.name : "";
}

// opal_object_t, opal_list_item_t and opal_list_t of a build without debugging.
struct ListItem {
  void *object[2];
  void *next;
  void *previous;
  void *flags;
};

struct SelectedModule {
  ListItem item;
  void *component;
  void *module;
};

// Components of the BTL modules that this process initialised; empty where the list isn't what it should be.
std::set<std::string> byte_transfer_layers() {
  std::set<std::string> names;
  const auto *list = static_cast<const char *>(dlsym(RTLD_DEFAULT, "mca_btl_base_modules_initialized"));
  if (!list) return names;
  const void *sentinel = list + 2 * sizeof(void *);
  ListItem head;
  if (!read_safely(sentinel, &head, sizeof head)) return names;
  const void *next = head.next;
  for (int i = 0; i < 64 && next != sentinel; ++i) {
    SelectedModule module;
    if (!read_safely(next, &module, sizeof module)) return {};
    const std::string name = component_name(module.component, "btl");
    if (name.empty()) return {};
    names.insert(name);
    next = module.item.next;
  }
  return names;
}

// Names of the one-sided components that windows of this process have had.
std::set<std::string> &one_sided() {
  static auto *names = new std::set<std::string>();
  return *names;
}

#ifdef OPEN_MPI
// The component whose file holds a function, e.g. rdma for one of mca_osc_rdma.so; empty for any other address.
std::string one_sided_component(const void *function) {
  constexpr char kPrefix[] = "mca_osc_";
  Dl_info where = {};
  if (!function || !dladdr(function, &where) || !where.dli_fname) return "";
  const char *slash = std::strrchr(where.dli_fname, '/');
  const std::string file = slash ? slash + 1 : where.dli_fname;
  if (file.rfind(kPrefix, 0) != 0) return "";
  const size_t start = sizeof kPrefix - 1;
  return file.substr(start, file.find('.') - start);
}

// The component of a window's module, which is a table of functions, most of them in the component's file; or empty.
std::string component_of_module(const void *module) {
  constexpr size_t kFunctions = 14;  // those up to osc_rget_accumulate, some of which may be missing
  constexpr size_t kEnough = 8;
  const void *functions[kFunctions] = {};
  if (!module || !read_safely(module, functions, sizeof functions)) return "";
  std::string name;
  size_t agreeing = 0;
  for (const void *function : functions) {
    const std::string component = one_sided_component(function);
    if (component.empty()) continue;
    if (name.empty()) name = component;
    if (component != name) return "";
    ++agreeing;
  }
  return agreeing >= kEnough ? name : "";
}
#endif

// UCX's own functions, from the library that MPI loaded; all null where it loaded none.
struct Ucx {
  using ListFunction = int (*)(const char *path, void (*)(const char *name, void *), void *argument);
  ListFunction list = nullptr;                      // ucs_vfs_path_list_dir
  void (*print)(void *endpoint, FILE *) = nullptr;  // ucp_ep_print_info
  const char *(*version)() = nullptr;               // ucp_get_version_string

  Ucx() {
    void *ucs = dlopen("libucs.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (!ucs || !ucp) return;
    list = reinterpret_cast<ListFunction>(dlsym(ucs, "ucs_vfs_path_list_dir"));
    print = reinterpret_cast<void (*)(void *, FILE *)>(dlsym(ucp, "ucp_ep_print_info"));
    version = reinterpret_cast<const char *(*)()>(dlsym(ucp, "ucp_get_version_string"));
  }

  // Names under a folder. Listing a folder also makes UCX fill it: its own listing must come before its children's.
  std::vector<std::string> children(const std::string &path) const {
    std::vector<std::string> names;
    const auto add = [](const char *name, void *argument) {
      static_cast<std::vector<std::string> *>(argument)->push_back(name);
    };
    list(path.c_str(), add, &names);
    return names;
  }

  std::string describe(void *endpoint) const {
    char *text = nullptr;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream) return "";
    print(endpoint, stream);
    std::fclose(stream);
    std::string result(text, length);
    std::free(text);
    return result;
  }

  // What UCX says of each endpoint, at most `limit` of them.
  std::vector<std::string> endpoints(size_t limit) const {
    std::vector<std::string> result;
    if (!list || !print) return result;
    for (const std::string &context : children("/ucp/context")) {
      const std::string workers = "/ucp/context/" + context + "/worker";
      children("/ucp/context/" + context);
      for (const std::string &worker : children(workers)) {
        children(workers + "/" + worker);
        for (const std::string &name : children(workers + "/" + worker + "/ep")) {
          void *endpoint = address(name);
          if (endpoint && result.size() < limit) result.push_back(describe(endpoint));
        }
      }
    }
    return result;
  }

  // An endpoint's name in the file system is its handle, e.g. 0x7f3aa7697010.
  static void *address(const std::string &name) {
    char *end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(name.c_str(), &end, 16);
    const bool whole = name.rfind("0x", 0) == 0 && *end == 0 && errno == 0;
    return whole ? reinterpret_cast<void *>(static_cast<uintptr_t>(value)) : nullptr;
  }
};

template <class Names>
Napi::Array to_array(Napi::Env env, const Names &names) {
  auto array = Napi::Array::New(env);
  uint32_t i = 0;
  for (const std::string &name : names) array.Set(i++, name);
  return array;
}

// {pml, osc, btls, endpoints, ucx}: what isn't known is null or empty.
Napi::Value native_selection(const Napi::CallbackInfo &info) {
  constexpr size_t kMostEndpoints = 256;
  const Napi::Env env = info.Env();
  auto result = Napi::Object::New(env);
  const bool running = is_running();
  const std::string pml = running ? component_name(dlsym(RTLD_DEFAULT, "mca_pml_base_selected_component"), "pml") : "";
  const Ucx ucx;
  result.Set("pml", pml.empty() ? env.Null() : Napi::String::New(env, pml).As<Napi::Value>());
  result.Set("osc", to_array(env, one_sided()));
  result.Set("btls", to_array(env, running ? byte_transfer_layers() : std::set<std::string>()));
  result.Set("endpoints", to_array(env, running ? ucx.endpoints(kMostEndpoints) : std::vector<std::string>()));
  result.Set("ucx", ucx.version ? Napi::String::New(env, ucx.version()).As<Napi::Value>() : env.Null());
  return result;
}

// What keeps a library from being loaded, in the loader's words; null where nothing does. It stays loaded, as MPI's
// start would load it the next moment.
Napi::Value load_problem(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  const std::string path = info[0].As<Napi::String>();
  if (dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) return env.Null();
  const char *said = dlerror();
  return Napi::String::New(env, said ? said : "the loader doesn't say why");
}

}  // namespace

// Open MPI selects a component for each window, and points from its struct to the component's module. Where in the
// struct depends on how Open MPI was built: it is looked for, with reads that can't crash.
void note_one_sided(MPI_Win win) {
#ifdef OPEN_MPI
  constexpr size_t kWords = 64;
  const void *words[kWords] = {};
  if (!read_safely(win, words, sizeof words)) return;
  for (const void *word : words) {
    const std::string name = component_of_module(word);
    if (name.empty()) continue;
    one_sided().insert(name);
    return;
  }
#else
  static_cast<void>(win);
#endif
}

void register_selection(Registry &r) {
  r.function<native_selection>("nativeSelection");
  r.function<load_problem>("loadProblem");
}

}  // namespace fabricbench::mpi
