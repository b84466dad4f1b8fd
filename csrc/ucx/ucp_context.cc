// Contexts: ucp_init with settings, and what UCX says of them.
#include <cstring>
#include <type_traits>
#include <utility>

#include "ucx/ucp_objects.hpp"
#include "ucx/ucs.hpp"

#if __has_include(<ucs/config/parser.h>)
#define FABRICBENCH_HAS_PARSER 1
#include <ucs/config/parser.h>
#endif

namespace fabricbench::ucx::ucp {
namespace {

struct ReleaseConfig {
  void operator()(ucp_config_t *config) const { ucp_config_release(config); }
};
using Config = std::unique_ptr<ucp_config_t, ReleaseConfig>;

#ifdef FABRICBENCH_HAS_PARSER
// Later versions of UCX take a filter besides.
template <class Function>
void print_all(Function function, FILE *stream) {
  constexpr auto flags = static_cast<ucs_config_print_flags_t>(UCS_CONFIG_PRINT_CONFIG | UCS_CONFIG_PRINT_HIDDEN);
  if constexpr (std::is_invocable_v<Function, FILE *, const char *, ucs_config_print_flags_t, ucs_list_link_t *>) {
    function(stream, "UCX_", flags, &ucs_config_global_list);
  } else {
    function(stream, "UCX_", flags, &ucs_config_global_list, static_cast<const char *>(nullptr));
  }
}
#endif

// All settings that there are, one per line: UCP's own and those of the transports, which are there from ucp_init on.
// Empty where UCX was installed without what tells them.
std::string known_settings() {
#ifdef FABRICBENCH_HAS_PARSER
  return "\n" + printed([](FILE *stream) { print_all(ucs_config_parser_print_all_opts, stream); });
#else
  return "";
#endif
}

Napi::Error unknown_setting(Napi::Env env, const std::string &name) {
  return Napi::RangeError::New(env, "UCX has no setting UCX_" + name + ": ucx_info -c lists them");
}

// UCX itself takes any name, and forgets those that no transport knows.
void require_known(Napi::Env env, const std::vector<std::string> &names) {
  const std::string known = names.empty() ? "" : known_settings();
  if (known.empty()) return;
  for (const auto &name : names) {
    if (known.find("\nUCX_" + name + "=") == std::string::npos) throw unknown_setting(env, name);
  }
}

void modify(Napi::Env env, ucp_config_t *config, const std::string &name, const std::string &value) {
  const ucs_status_t status = ucp_config_modify(config, name.c_str(), value.c_str());
  if (status == UCS_ERR_NO_ELEM) throw unknown_setting(env, name);
  if (status == UCS_OK) return;
  throw Napi::RangeError::New(env, "UCX_" + name + " can't be " + value + ": " + ucs_status_string(status));
}

// Reads the settings of the environment and replaces some: [[name, value], ...].
Config read_config(Napi::Env env, const Napi::Array &settings, std::vector<std::string> *names) {
  ucp_config_t *raw = nullptr;
  check(env, "ucp", "ucp_config_read", ucp_config_read(nullptr, nullptr, &raw));
  Config config(raw);
  for (uint32_t i = 0; i < settings.Length(); ++i) {
    const auto pair = settings.Get(i).As<Napi::Array>();
    names->push_back(pair.Get(0u).ToString());
    modify(env, raw, names->back(), pair.Get(1u).ToString());
  }
  return config;
}

// ucpInit(features, mtWorkersShared, settings)
Napi::Value init(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  std::vector<std::string> names;
  const Config config = read_config(env, info[2].As<Napi::Array>(), &names);
  auto context = std::make_shared<UcpContext>();
  ucp_params_t params = {};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = context->features = info[0].As<Napi::Number>().Uint32Value();
  params.mt_workers_shared = info[1].ToBoolean();
  check(env, "ucp", "ucp_init", ucp_init(&params, config.get(), &context->handle));
  try {
    require_known(env, names);
  } catch (...) {
    ucp_cleanup(context->handle);
    throw;
  }
  keep(context);
  return wrap(env, context);
}

Napi::Value cleanup(const Napi::CallbackInfo &info) {
  const auto context = unwrap<UcpContext>(info[0]);
  require_unused(info.Env(), *context, "ucp_cleanup", "workers or memory of the context live; destroy them first");
  ucp_cleanup(context->handle);
  forget(*context);
  return info.Env().Undefined();
}

Napi::Value memory_types(Napi::Env env, uint64_t mask) {
  auto names = Napi::Array::New(env);
  for (uint32_t type = 0; type < UCS_MEMORY_TYPE_LAST; ++type) {
    if (mask & (uint64_t{1} << type)) names.Set(names.Length(), ucs_memory_type_names[type]);
  }
  return names;
}

// ucpContextQuery(context)
Napi::Value query(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  ucp_context_attr_t attributes = {};
  attributes.field_mask =
      UCP_ATTR_FIELD_REQUEST_SIZE | UCP_ATTR_FIELD_THREAD_MODE | UCP_ATTR_FIELD_MEMORY_TYPES | UCP_ATTR_FIELD_NAME;
  check(env, "ucp", "ucp_context_query", ucp_context_query(unwrap<UcpContext>(info[0])->handle, &attributes));
  auto result = Napi::Object::New(env);
  result.Set("name", attributes.name);
  result.Set("requestSize", static_cast<double>(attributes.request_size));
  result.Set("threadMode", static_cast<double>(attributes.thread_mode));
  result.Set("memoryTypes", memory_types(env, attributes.memory_types));
  return result;
}

Napi::Value print(const Napi::CallbackInfo &info) {
  const auto context = unwrap<UcpContext>(info[0]);
  return Napi::String::New(info.Env(), printed([&](FILE *stream) { ucp_context_print_info(context->handle, stream); }));
}

}  // namespace

void export_context(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpInit", Napi::Function::New(env, init));
  exports.Set("ucpCleanup", Napi::Function::New(env, cleanup));
  exports.Set("ucpContextQuery", Napi::Function::New(env, query));
  exports.Set("ucpContextInfo", Napi::Function::New(env, print));
}

}  // namespace fabricbench::ucx::ucp
