#include "collective_data.hpp"

namespace fabricbench::mpi {

ReductionData read_allreduce(Arguments &a) {
  const Reduction reduction(a);
  reduction.require_fit(a, reduction.send, reduction.count);
  reduction.require_fit(a, reduction.receive, reduction.count);
  return ReductionData(reduction);
}

Peers everyone(const Arguments &a) { return {a.size(), "ranks"}; }

namespace {

void require_length(const Arguments &a, size_t length, const char *name, const char *of, const Peers &peers) {
  if (length == static_cast<size_t>(peers.count)) return;
  a.refuse_range(std::string(name) + " must hold one " + of + " for each of the " + std::to_string(peers.count) + " " +
                 peers.what + ", not " + std::to_string(length));
}

template <class Displacement>
std::vector<Displacement> read_displacements(Arguments &a) {
  if constexpr (std::is_same_v<Displacement, int>) {
    return a.integers_or_null("displs");
  } else {
    const std::vector<int64_t> wide = a.skip_null() ? std::vector<int64_t>() : a.longs("displs");
    return std::vector<Displacement>(wide.begin(), wide.end());
  }
}

// MPI is never given a null pointer in place of an array without elements, which Open MPI takes for a mistake.
template <class T>
void give_address(std::vector<T> &values) {
  values.reserve(1);
}

}  // namespace

void require_counts(const Arguments &a, const std::vector<int> &counts, const char *name, const Peers &peers) {
  require_length(a, counts.size(), name, "number", peers);
  for (const int count : counts) {
    if (count < 0) a.refuse_range(std::string(name) + " must not be negative, got " + std::to_string(count));
  }
}

Blocks::Blocks(Arguments &a, const char *name)
    : raw(a.buffer(name)),
      counts(a.integers_or_null("counts")),
      displacements(a.integers_or_null("displs")),
      type(a.shared_handle<Datatype>("datatype")),
      address(raw.in_place ? MPI_IN_PLACE : raw.data) {
  give_address(counts);
  give_address(displacements);
}

void Blocks::require_fit(Arguments &a, const Peers &peers) const {
  if (raw.in_place) return;
  type->measure(a.env(), a.call());
  require_counts(a, counts, "counts", peers);
  require_length(a, displacements.size(), "displs", "number", peers);
  for (size_t i = 0; i < counts.size(); ++i) {
    a.require_fit(raw, *type, counts[i], static_cast<__int128>(displacements[i]) * type->extent);
  }
}

template <class Displacement>
TypedBlocks<Displacement>::TypedBlocks(Arguments &a, const char *name)
    : raw(a.buffer(name)),
      counts(a.integers_or_null("counts")),
      displacements(read_displacements<Displacement>(a)),
      address(raw.in_place ? MPI_IN_PLACE : raw.data) {
  if (!a.skip_null()) boxes = a.handles<Datatype>("datatypes");
  for (const auto &box : boxes) types.push_back(box->value);
  give_address(counts);
  give_address(displacements);
  give_address(types);
}

template <class Displacement>
void TypedBlocks<Displacement>::require_fit(Arguments &a, const Peers &peers) const {
  if (raw.in_place) return;
  require_counts(a, counts, "counts", peers);
  require_length(a, displacements.size(), "displs", "number", peers);
  require_length(a, boxes.size(), "datatypes", "datatype", peers);
  for (size_t i = 0; i < counts.size(); ++i) {
    boxes[i]->measure(a.env(), a.call());
    a.require_fit(raw, *boxes[i], counts[i], displacements[i]);
  }
}

template struct TypedBlocks<int>;
template struct TypedBlocks<MPI_Aint>;

}  // namespace fabricbench::mpi
