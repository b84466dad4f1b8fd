// The collective calls: each signature is written once, and serves the blocking, the non-blocking and the persistent
// form.
//
// What a rank must offer differs: where a buffer counts at the root alone, the others may pass null.
#pragma once

#include <numeric>

#include "call.hpp"
#include "collective_data.hpp"

namespace fabricbench::mpi {

template <auto kFunction, class Completion>
struct BarrierCall {
  MPI_Comm comm;
  Completion completion;
  explicit BarrierCall(Arguments &a) : comm(a.comm()), completion(a) {}
  int run() { return completion.template call<kFunction>(comm); }
};

// (buffer, count, datatype, root, comm)
template <auto kFunction, class Completion>
struct BcastCall {
  Data data;
  int root;
  MPI_Comm comm;
  Completion completion;
  explicit BcastCall(Arguments &a) : data(a.data("buffer")), root(a.integer("root")), comm(a.comm()), completion(a) {}
  int run() { return completion.template call<kFunction>(data.buffer, data.count, data.type, root, comm); }
};

// (sendbuf, recvbuf, count, datatype, op, comm): Allreduce, Scan, Exscan
template <auto kFunction, class Completion>
struct AllreduceCall {
  ReductionData data;
  MPI_Comm comm;
  Completion completion;
  explicit AllreduceCall(Arguments &a) : data(read_allreduce(a)), comm(a.comm()), completion(a) {}
  int run() {
    return completion.template call<kFunction>(data.send, data.receive, data.count, data.type, data.op, comm);
  }
};

// (sendbuf, recvbuf, count, datatype, op, root, comm)
template <auto kFunction, class Completion>
struct ReduceCall {
  ReductionData data;
  int root;
  MPI_Comm comm;
  Completion completion;
  explicit ReduceCall(Arguments &a) : ReduceCall(a, Reduction(a)) {}
  ReduceCall(Arguments &a, const Reduction &reduction)
      : data(reduction), root(a.integer("root")), comm(a.comm()), completion(a) {
    const bool is_root = a.rank() == root;
    if (reduction.send.in_place && !is_root) a.refuse("sendbuf can be IN_PLACE at the root only");
    reduction.require_fit(a, reduction.send, reduction.count);
    if (is_root) reduction.require_fit(a, reduction.receive, reduction.count);
  }
  int run() {
    return completion.template call<kFunction>(data.send, data.receive, data.count, data.type, data.op, root, comm);
  }
};

// (sendbuf, recvbuf, recvcount, datatype, op, comm): each rank gets its block of the result.
template <auto kFunction, class Completion>
struct ReduceScatterBlockCall {
  ReductionData data;
  MPI_Comm comm;
  Completion completion;
  explicit ReduceScatterBlockCall(Arguments &a) : ReduceScatterBlockCall(a, Reduction(a)) {}
  ReduceScatterBlockCall(Arguments &a, const Reduction &reduction) : data(reduction), comm(a.comm()), completion(a) {
    const int64_t all = static_cast<int64_t>(reduction.count) * a.size();
    reduction.require_fit(a, reduction.send, all);
    reduction.require_fit(a, reduction.receive, reduction.send.in_place ? all : reduction.count);
  }
  int run() {
    return completion.template call<kFunction>(data.send, data.receive, data.count, data.type, data.op, comm);
  }
};

// (sendbuf, recvbuf, recvcounts, datatype, op, comm)
template <auto kFunction, class Completion>
struct ReduceScatterCall {
  RawData send, receive;
  std::vector<int> counts;
  std::shared_ptr<Datatype> type;
  MPI_Op op;
  MPI_Comm comm;
  Completion completion;
  const void *send_address;
  void *receive_address;
  explicit ReduceScatterCall(Arguments &a)
      : send(a.buffer("sendbuf")),
        receive(a.buffer("recvbuf")),
        counts(a.integers("recvcounts")),
        type(a.shared_handle<Datatype>("datatype")),
        op(a.handle<Op>("op").value),
        comm(a.comm()),
        completion(a),
        send_address(send.in_place ? MPI_IN_PLACE : send.data),
        receive_address(receive.data) {
    type->measure(a.env(), a.call());
    require_counts(a, counts, "recvcounts", everyone(a));
    if (receive.in_place) a.refuse("recvbuf can't be IN_PLACE");
    const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    if (!send.in_place) a.require_fit(send, *type, all);
    a.require_fit(receive, *type, send.in_place ? all : counts[static_cast<size_t>(a.rank())]);
  }
  int run() {
    return completion.template call<kFunction>(send_address, receive_address, counts.data(), type->value, op, comm);
  }
};

// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)
template <auto kFunction, class Completion, bool kGather>
struct RootedCall {
  RawData raw_send, raw_receive;
  int root;
  MPI_Comm comm;
  Completion completion;
  Data send, receive;
  explicit RootedCall(Arguments &a)
      : raw_send(a.raw("sendbuf")),
        raw_receive(a.raw("recvbuf")),
        root(a.integer("root")),
        comm(a.comm()),
        completion(a) {
    const bool is_root = a.rank() == root;
    RawData &own = kGather ? raw_send : raw_receive;  // one block, on every rank
    RawData &all = kGather ? raw_receive : raw_send;  // a block for each rank, at the root
    Data &own_data = kGather ? send : receive;
    Data &all_data = kGather ? receive : send;
    own_data = own.in_place && is_root ? a.fit_in_place() : a.fit(own);
    all_data = is_root ? a.fit(all, a.size()) : a.ignored(all);
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.buffer, receive.count,
                                               receive.type, root, comm);
  }
};

// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
template <auto kFunction, class Completion, bool kAlltoall>
struct AllToAllLikeCall {
  RawData raw_send, raw_receive;
  MPI_Comm comm;
  Completion completion;
  Data send, receive;
  explicit AllToAllLikeCall(Arguments &a)
      : raw_send(a.raw("sendbuf")), raw_receive(a.raw("recvbuf")), comm(a.comm()), completion(a) {
    send = raw_send.in_place ? a.fit_in_place() : a.fit(raw_send, kAlltoall ? a.size() : 1);
    receive = a.fit(raw_receive, a.size());
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.buffer, receive.count,
                                               receive.type, comm);
  }
};

// (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm)
template <auto kFunction, class Completion>
struct GathervCall {
  RawData raw_send;
  Blocks receive;
  int root;
  MPI_Comm comm;
  Completion completion;
  Data send;
  explicit GathervCall(Arguments &a)
      : raw_send(a.raw("sendbuf")), receive(a, "recvbuf"), root(a.integer("root")), comm(a.comm()), completion(a) {
    const bool is_root = a.rank() == root;
    if (receive.raw.in_place) a.refuse("recvbuf can't be IN_PLACE");
    send = raw_send.in_place && is_root ? a.fit_in_place() : a.fit(raw_send);
    if (is_root) receive.require_fit(a, everyone(a));
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.address,
                                               receive.counts.data(), receive.displacements.data(), receive.type->value,
                                               root, comm);
  }
};

// (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm)
template <auto kFunction, class Completion>
struct ScattervCall {
  Blocks send;
  RawData raw_receive;
  int root;
  MPI_Comm comm;
  Completion completion;
  Data receive;
  explicit ScattervCall(Arguments &a)
      : send(a, "sendbuf"), raw_receive(a.raw("recvbuf")), root(a.integer("root")), comm(a.comm()), completion(a) {
    const bool is_root = a.rank() == root;
    if (send.raw.in_place) a.refuse("sendbuf can't be IN_PLACE");
    receive = raw_receive.in_place && is_root ? a.fit_in_place() : a.fit(raw_receive);
    if (is_root) send.require_fit(a, everyone(a));
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.type->value, receive.buffer, receive.count, receive.type, root,
                                               comm);
  }
};

// (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)
template <auto kFunction, class Completion>
struct AllgathervCall {
  RawData raw_send;
  Blocks receive;
  MPI_Comm comm;
  Completion completion;
  Data send;
  explicit AllgathervCall(Arguments &a)
      : raw_send(a.raw("sendbuf")), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    if (receive.raw.in_place) a.refuse("recvbuf can't be IN_PLACE");
    send = raw_send.in_place ? a.fit_in_place() : a.fit(raw_send);
    receive.require_fit(a, everyone(a));
  }
  int run() {
    return completion.template call<kFunction>(send.buffer, send.count, send.type, receive.address,
                                               receive.counts.data(), receive.displacements.data(), receive.type->value,
                                               comm);
  }
};

// (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
template <auto kFunction, class Completion>
struct AlltoallvCall {
  Blocks send, receive;
  MPI_Comm comm;
  Completion completion;
  explicit AlltoallvCall(Arguments &a) : send(a, "sendbuf"), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    if (receive.raw.in_place) a.refuse("recvbuf can't be IN_PLACE");
    send.require_fit(a, everyone(a));
    receive.require_fit(a, everyone(a));
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.type->value, receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.type->value, comm);
  }
};

template <auto kFunction, class Completion>
struct AlltoallwCall {
  TypedBlocks<int> send, receive;
  MPI_Comm comm;
  Completion completion;
  explicit AlltoallwCall(Arguments &a) : send(a, "sendbuf"), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    if (receive.raw.in_place) a.refuse("recvbuf can't be IN_PLACE");
    send.require_fit(a, everyone(a));
    receive.require_fit(a, everyone(a));
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.types.data(), receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.types.data(), comm);
  }
};

}  // namespace fabricbench::mpi
