#include "papi/event_sets.hpp"

#include <papi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fabricbench::papi {
namespace {

// PAPI's own separator between a component and its event, as in net:::eth0:rx:bytes.
constexpr const char *kComponentSeparator = ":::";
// The component that hardware events of processors belong to.
constexpr const char *kProcessor = "perf_event";

std::string words_of(int code) {
  if (code == PAPI_ESYS && errno != 0) return std::strerror(errno);
  const char *words = PAPI_strerror(code);
  return words != nullptr ? words : "error " + std::to_string(code);
}

Failure failed(const char *step, int code, const std::string &event = "") {
  Failure failure;
  failure.step = step;
  failure.code = code;
  failure.text = words_of(code);
  failure.event = event;
  return failure;
}

Failure start_library() {
  if (PAPI_is_initialized() != PAPI_NOT_INITED) return {};
  errno = 0;
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version == PAPI_VER_CURRENT) return {};
  Failure failure = failed("library", version);
  if (version > 0) {
    failure.text = "it is version " + std::to_string(PAPI_VERSION_MAJOR(version)) + "." +
                   std::to_string(PAPI_VERSION_MINOR(version)) + ", and another one was there when it was built";
  }
  return failure;
}

// Adds what is known of a component: its name, and why it doesn't work here.
void describe_component(Failure &failure, const PAPI_component_info_t *info) {
  if (info == nullptr) return;
  failure.component = info->name;
  if (info->disabled != 0) failure.disabled = info->disabled_reason;
}

const PAPI_component_info_t *component_named(const std::string &name) {
  for (int index = 0; index < PAPI_num_components(); ++index) {
    const PAPI_component_info_t *info = PAPI_get_component_info(index);
    if (info != nullptr && (name == info->name || name == info->short_name)) return info;
  }
  return nullptr;
}

// An event that PAPI has no code for: of a component that doesn't work, or no event at all.
Failure unknown_event(const std::string &name, int code) {
  Failure failure = failed("event", code, name);
  const size_t separator = name.find(kComponentSeparator);
  if (separator != std::string::npos) {
    failure.component = name.substr(0, separator);
    const PAPI_component_info_t *info = component_named(failure.component);
    if (info == nullptr) failure.disabled = "this PAPI was built without it";
    describe_component(failure, info);
  }
  return failure;
}

Failure uncountable_event(const std::string &name, int code, int component) {
  Failure failure = failed("event", code, name);
  failure.known = true;
  describe_component(failure, component >= 0 ? PAPI_get_component_info(component) : component_named(kProcessor));
  return failure;
}

}  // namespace

Failure EventSets::open(const std::vector<std::string> &names) {
  Failure failure = start_library();
  for (size_t place = 0; place < names.size() && failure.step == nullptr; ++place) failure = add(names[place], place);
  for (size_t index = 0; index < sets_.size() && failure.step == nullptr; ++index) {
    errno = 0;
    const int code = PAPI_start(sets_[index].id);
    if (code != PAPI_OK) failure = failed("start", code);
  }
  if (failure.step != nullptr) close();
  return failure;
}

Failure EventSets::add(const std::string &name, size_t place) {
  int event = 0;
  int code = PAPI_event_name_to_code(name.c_str(), &event);
  if (code != PAPI_OK) return unknown_event(name, code);
  const int component = PAPI_get_event_component(event);
  code = PAPI_query_event(event);
  if (code != PAPI_OK) return uncountable_event(name, code, component);
  Set *set = nullptr;
  code = set_of(component, &set);
  errno = 0;
  if (code == PAPI_OK) code = PAPI_add_event(set->id, event);
  if (code != PAPI_OK && code == PAPI_ECNFLCT && !set->places.empty()) return failed("together", code, name);
  if (code != PAPI_OK) return uncountable_event(name, code, component);
  set->places.push_back(place);
  ++events_;
  return {};
}

int EventSets::set_of(int component, Set **found) {
  const auto same = [component](const Set &set) { return set.component == component; };
  auto at = std::find_if(sets_.begin(), sets_.end(), same);
  if (at == sets_.end()) {
    int id = PAPI_NULL;
    const int code = PAPI_create_eventset(&id);
    if (code != PAPI_OK) return code;
    at = sets_.insert(sets_.end(), {id, component, {}});
  }
  *found = &*at;
  return PAPI_OK;
}

int EventSets::read(double *values) {
  if (sets_.empty()) return PAPI_ENOTRUN;
  std::vector<long long> counts(events_);
  for (const Set &set : sets_) {
    const int code = PAPI_read(set.id, counts.data());
    if (code != PAPI_OK) return code;
    for (size_t index = 0; index < set.places.size(); ++index)
      values[set.places[index]] = static_cast<double>(counts[index]);
  }
  return PAPI_OK;
}

void EventSets::close() {
  for (Set &set : sets_) {
    std::vector<long long> counts(set.places.size() + 1);
    PAPI_stop(set.id, counts.data());  // fails where it was never started
    PAPI_cleanup_eventset(set.id);
    PAPI_destroy_eventset(&set.id);
  }
  sets_.clear();
  events_ = 0;
}

}  // namespace fabricbench::papi
