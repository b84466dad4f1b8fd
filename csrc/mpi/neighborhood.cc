// Neighbourhood collectives, blocking and non-blocking: each rank has blocks for its neighbours in the communicator's
// process topology, not for all ranks.
#include "call.hpp"
#include "collective_data.hpp"
#include "register.hpp"
#include "topology.hpp"

namespace fabricbench::mpi {
namespace {

Peers senders(const Degrees &degrees) { return {degrees.in, "neighbours that send to this rank"}; }
Peers receivers(const Degrees &degrees) { return {degrees.out, "neighbours that this rank sends to"}; }

// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): one block to all neighbours, or one for each.
template <auto kFunction, class Completion, bool kAlltoall>
struct NeighborCall {
  RawData raw_send, raw_receive;
  MPI_Comm comm;
  Completion completion;
  Data send, receive;
  explicit NeighborCall(Arguments &a)
      : raw_send(a.raw("sendbuf")), raw_receive(a.raw("recvbuf")), comm(a.comm()), completion(a) {
    const Degrees degrees = degrees_of(a, comm);
    send = a.fit(raw_send, kAlltoall ? degrees.out : 1);
    receive = a.fit(raw_receive, degrees.in);
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.buffer, receive.count,
                                               receive.type, comm);
  }
};

void refuse_in_place(const Arguments &a, const RawData &raw) {
  if (raw.in_place) a.refuse(std::string(raw.name) + " can't be IN_PLACE here");
}

// (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)
template <auto kFunction, class Completion>
struct NeighborAllgathervCall {
  RawData raw_send;
  Blocks receive;
  MPI_Comm comm;
  Completion completion;
  Data send;
  explicit NeighborAllgathervCall(Arguments &a)
      : raw_send(a.raw("sendbuf")), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    refuse_in_place(a, receive.raw);
    send = a.fit(raw_send);
    receive.require_fit(a, senders(degrees_of(a, comm)));
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.address,
                                               receive.counts.data(), receive.displacements.data(), receive.type->value,
                                               comm);
  }
};

template <class Each>
Degrees require_both_fit(Arguments &a, MPI_Comm comm, const Each &send, const Each &receive) {
  refuse_in_place(a, send.raw);
  refuse_in_place(a, receive.raw);
  const Degrees degrees = degrees_of(a, comm);
  send.require_fit(a, receivers(degrees));
  receive.require_fit(a, senders(degrees));
  return degrees;
}

// (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
template <auto kFunction, class Completion>
struct NeighborAlltoallvCall {
  Blocks send, receive;
  MPI_Comm comm;
  Completion completion;
  explicit NeighborAlltoallvCall(Arguments &a)
      : send(a, "sendbuf"), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    require_both_fit(a, comm, send, receive);
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.type->value, receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.type->value, comm);
  }
};

// (sendbuf, sendcounts, sdispls in bytes, sendtypes, recvbuf, recvcounts, rdispls in bytes, recvtypes, comm)
template <auto kFunction, class Completion>
struct NeighborAlltoallwCall {
  TypedBlocks<MPI_Aint> send, receive;
  MPI_Comm comm;
  Completion completion;
  Degrees degrees;
  explicit NeighborAlltoallwCall(Arguments &a)
      : send(a, "sendbuf"),
        receive(a, "recvbuf"),
        comm(a.comm()),
        completion(a),
        degrees(require_both_fit(a, comm, send, receive)) {}
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.types.data(), receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.types.data(), comm);
  }
};

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000 && FB_HAS_WIDE_COUNTS

// MPICH 4.0 copies the counts of Neighbor_alltoallw by the wrong degree each, so that it works on memory beyond their
// ends where the degrees differ. Counts of MPI-4's wide form are not copied.
template <auto kFunction, auto kWideFunction, class Completion>
struct SafeNeighborAlltoallwCall : NeighborAlltoallwCall<kFunction, Completion> {
  using Narrow = NeighborAlltoallwCall<kFunction, Completion>;
  std::vector<MPI_Count> send_counts, receive_counts;
  bool uneven;
  explicit SafeNeighborAlltoallwCall(Arguments &a)
      : Narrow(a),
        send_counts(this->send.counts.begin(), this->send.counts.end()),
        receive_counts(this->receive.counts.begin(), this->receive.counts.end()),
        uneven(this->degrees.in != this->degrees.out) {}
  int run() {
    if (!uneven) return Narrow::run();
    return this->completion.template call<kWideFunction>(
        this->send.address, send_counts.data(), this->send.displacements.data(), this->send.types.data(),
        this->receive.address, receive_counts.data(), this->receive.displacements.data(), this->receive.types.data(),
        this->comm);
  }
};
using NeighborAlltoallw = SafeNeighborAlltoallwCall<MPI_Neighbor_alltoallw, MPI_Neighbor_alltoallw_c, Blocking>;
using IneighborAlltoallw = SafeNeighborAlltoallwCall<MPI_Ineighbor_alltoallw, MPI_Ineighbor_alltoallw_c, Nonblocking>;

#else

using NeighborAlltoallw = NeighborAlltoallwCall<MPI_Neighbor_alltoallw, Blocking>;
using IneighborAlltoallw = NeighborAlltoallwCall<MPI_Ineighbor_alltoallw, Nonblocking>;

#endif

}  // namespace

void register_neighborhood(Registry &r) {
  r.add<NeighborCall<MPI_Neighbor_allgather, Blocking, false>>("MPI_Neighbor_allgather");
  r.add<NeighborCall<MPI_Ineighbor_allgather, Nonblocking, false>>("MPI_Ineighbor_allgather");
  r.add<NeighborCall<MPI_Neighbor_alltoall, Blocking, true>>("MPI_Neighbor_alltoall");
  r.add<NeighborCall<MPI_Ineighbor_alltoall, Nonblocking, true>>("MPI_Ineighbor_alltoall");
  r.add<NeighborAllgathervCall<MPI_Neighbor_allgatherv, Blocking>>("MPI_Neighbor_allgatherv");
  r.add<NeighborAllgathervCall<MPI_Ineighbor_allgatherv, Nonblocking>>("MPI_Ineighbor_allgatherv");
  r.add<NeighborAlltoallvCall<MPI_Neighbor_alltoallv, Blocking>>("MPI_Neighbor_alltoallv");
  r.add<NeighborAlltoallvCall<MPI_Ineighbor_alltoallv, Nonblocking>>("MPI_Ineighbor_alltoallv");
  r.add<NeighborAlltoallw>("MPI_Neighbor_alltoallw");
  r.add<IneighborAlltoallw>("MPI_Ineighbor_alltoallw");
}

}  // namespace fabricbench::mpi
