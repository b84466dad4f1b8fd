// Counts events through PAPI: one event set per component, since a set can't mix components.
#pragma once

#include <string>
#include <vector>

namespace fabricbench::papi {

// Why events can't be counted, for src/papi/explain.ts to put into words.
struct Failure {
  const char *step = nullptr;  // "library", "event", "together" or "start"; null where nothing failed
  int code = 0;                // PAPI's
  std::string text;            // PAPI's own words, or the system's
  std::string event;           // empty for "library" and "start"
  bool known = false;          // PAPI knows an event of this name
  std::string component;       // the one that the event belongs to; empty where that isn't known
  std::string disabled;        // why that component doesn't work here; empty where it does
};

class EventSets {
 public:
  EventSets() = default;
  EventSets(const EventSets &) = delete;
  EventSets &operator=(const EventSets &) = delete;
  ~EventSets() { close(); }

  // Starts to count events on the calling thread. Call it once.
  Failure open(const std::vector<std::string> &names);
  // Counts since `open`, in the order of its names; returns PAPI's code, also where it is closed.
  int read(double *values);
  void close();
  size_t size() const { return events_; }

 private:
  struct Set {
    int id;
    int component;
    std::vector<size_t> places;  // of its events among all
  };

  Failure add(const std::string &name, size_t place);
  int set_of(int component, Set **set);

  std::vector<Set> sets_;
  size_t events_ = 0;
};

}  // namespace fabricbench::papi
