// What collective calls have in common: buffers of reductions, and buffers with a block for each of several peers.
#pragma once

#include "arguments.hpp"

namespace fabricbench::mpi {

// (sendbuf, recvbuf, count, datatype, op ...): what reductions begin with.
struct Reduction {
  RawData send, receive;
  int64_t wide_count;
  std::shared_ptr<Datatype> type;
  MPI_Op op;
  int count;
  explicit Reduction(Arguments &a)
      : send(a.buffer("sendbuf")),
        receive(a.buffer("recvbuf")),
        wide_count(a.count("count")),
        type(a.shared_handle<Datatype>("datatype")),
        op(a.handle<Op>("op").value),
        count(a.reduction_count(wide_count)) {
    type->measure(a.env(), a.call());
    if (receive.in_place) a.refuse("recvbuf can't be IN_PLACE");
  }
  void require_fit(Arguments &a, const RawData &raw, int64_t elements) const {
    if (!raw.in_place) a.require_fit(raw, *type, elements);
  }
  const void *send_address() const { return send.in_place ? MPI_IN_PLACE : send.data; }
  void *receive_address() const { return receive.data; }
};

// What is left of a reduction's arguments once they are checked.
struct ReductionData {
  const void *send = nullptr;
  void *receive = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  ReductionData() = default;
  explicit ReductionData(const Reduction &r)
      : send(r.send_address()), receive(r.receive_address()), count(r.count), type(r.type->value), op(r.op) {}
};

// (sendbuf, recvbuf, count, datatype, op), all elements on every rank.
ReductionData read_allreduce(Arguments &a);

// Those that a call has blocks for: the ranks of a communicator, or the neighbours of this one.
struct Peers {
  int count = 0;
  const char *what = "";
};

// All ranks of the communicator read last.
Peers everyone(const Arguments &a);

// Refuses other than one count for each peer, and negative counts.
void require_counts(const Arguments &a, const std::vector<int> &counts, const char *name, const Peers &peers);

// (buf, counts, displs, datatype): a block for each peer.
struct Blocks {
  RawData raw;
  std::vector<int> counts, displacements;
  std::shared_ptr<Datatype> type;
  void *address;
  Blocks(Arguments &a, const char *name);
  // Checks every peer's block; nothing to check for IN_PLACE.
  void require_fit(Arguments &a, const Peers &peers) const;
};

// (buf, counts, displs in bytes, datatypes): a block of its own type for each peer. MPI's displacements are int between
// ranks and MPI_Aint between neighbours.
template <class Displacement>
struct TypedBlocks {
  RawData raw;
  std::vector<int> counts;
  std::vector<Displacement> displacements;
  std::vector<std::shared_ptr<Datatype>> boxes;
  std::vector<MPI_Datatype> types;
  void *address;
  TypedBlocks(Arguments &a, const char *name);
  void require_fit(Arguments &a, const Peers &peers) const;
};

}  // namespace fabricbench::mpi
