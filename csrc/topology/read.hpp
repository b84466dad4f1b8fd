// Reads a topology with hwloc into plain data, for src/topology/assemble.ts to make sense of. Knows no JavaScript.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricbench::topology {

// Which devices to look for. Looking for GPUs loads their vendors' libraries, which takes time and starts threads.
// OpenCL and X, which hwloc could ask too, know no device that the others don't. Only kAll has names of PCI devices.
enum class Devices { kNone, kNoGpus, kAll };

struct Request {
  // At most one of them; without either the machine is read.
  std::optional<std::string> xml;  // the file's contents
  std::optional<std::string> synthetic;
  Devices devices = Devices::kAll;

  bool of_machine() const { return !xml && !synthetic; }
};

// Any object of hwloc's. What a type does not have is empty, or negative.
struct Object {
  std::string type;  // "package", "numa", "cache", "core", "pu", "bridge", "pci", "os"; others are "other"
  int parent;        // its place in the list; -1 of the root
  double logical;
  double os;            // -1: none
  std::string cpus;     // as the kernel lists them: 0-3,8
  double size = -1;     // bytes of a cache or of a node's memory
  int level = -1;       // of a cache
  std::string kind;     // of a cache, an OS device, a bridge ("host" or "pci")
  std::string address;  // of a PCI device or bridge
  double speed = -1;    // GB/s of a PCI device's link
  int pci_class = -1;   // as the PCI ids have them
  int vendor = -1;
  std::string name;  // of an OS device
  std::string subtype;
  std::vector<std::pair<std::string, std::string>> infos;
};

struct Matrix {
  std::vector<double> nodes;   // OS numbers
  std::vector<double> values;  // row by row
};

struct Kind {
  std::string cpus;
  int efficiency;  // -1: unknown
  std::vector<std::pair<std::string, std::string>> infos;
};

struct Topology {
  std::vector<Object> objects;  // parents first
  std::string allowed;          // hardware threads that this process may use
  std::string offline;          // that there are, and that are switched off
  bool this_system;
  std::optional<Matrix> latencies;
  std::vector<Kind> kinds;
};

// Where reading failed, and errno.
struct Failure {
  const char *step = nullptr;  // "library", "fork", "source" (it is malformed) or "load"; null: it worked
  int code = 0;
};

Failure read(const Request &request, Topology *topology);

// As `read`, but what hwloc crashes on, or takes too much time or memory for, is a failure.
Failure read_carefully(const Request &request, Topology *topology);

}  // namespace fabricbench::topology
