// Collective calls: each signature is written once, and serves the blocking and the non-blocking form.
//
// What a rank must offer differs: where a buffer counts at the root alone, the others may pass null.
#include <numeric>
#include <utility>

#include "register.hpp"

namespace fabricbench::mpi {
namespace {

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

ReductionData read_allreduce(Arguments &a) {
  const Reduction reduction(a);
  reduction.require_fit(a, reduction.send, reduction.count);
  reduction.require_fit(a, reduction.receive, reduction.count);
  return ReductionData(reduction);
}

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

// Reads one count for each rank; negative ones are left to the caller.
void require_length(Arguments &a, const std::vector<int> &values, const char *name) {
  if (static_cast<int>(values.size()) == a.size()) return;
  a.refuse_range(std::string(name) + " must hold one number for each of the " + std::to_string(a.size()) +
                 " ranks, not " + std::to_string(values.size()));
}

void require_counts(Arguments &a, const std::vector<int> &counts, const char *name) {
  require_length(a, counts, name);
  for (const int count : counts) {
    if (count < 0) a.refuse_range(std::string(name) + " must not be negative, got " + std::to_string(count));
  }
}

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
    require_counts(a, counts, "recvcounts");
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

// (buf, counts, displs, datatype): a block for each rank.
struct Blocks {
  RawData raw;
  std::vector<int> counts, displacements;
  std::shared_ptr<Datatype> type;
  void *address;
  Blocks(Arguments &a, const char *name) : raw(a.buffer(name)), address(raw.in_place ? MPI_IN_PLACE : raw.data) {
    counts = a.integers_or_null("counts");
    displacements = a.integers_or_null("displs");
    type = a.shared_handle<Datatype>("datatype");
  }
  // Checks every rank's block; nothing to check for IN_PLACE.
  void require_fit(Arguments &a) const {
    if (raw.in_place) return;
    type->measure(a.env(), a.call());
    require_counts(a, counts, "counts");
    require_length(a, displacements, "displs");
    for (size_t i = 0; i < counts.size(); ++i) {
      a.require_fit(raw, *type, counts[i], static_cast<__int128>(displacements[i]) * type->extent);
    }
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
    if (is_root) receive.require_fit(a);
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
    if (is_root) send.require_fit(a);
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
    receive.require_fit(a);
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
    send.require_fit(a);
    receive.require_fit(a);
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.type->value, receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.type->value, comm);
  }
};

// (buf, counts, displs in bytes, datatypes): a block of its own type for each rank.
struct TypedBlocks {
  RawData raw;
  std::vector<int> counts, displacements;
  std::vector<std::shared_ptr<Datatype>> boxes;
  std::vector<MPI_Datatype> types;
  void *address;
  TypedBlocks(Arguments &a, const char *name) : raw(a.buffer(name)), address(raw.in_place ? MPI_IN_PLACE : raw.data) {
    counts = a.integers_or_null("counts");
    displacements = a.integers_or_null("displs");
    if (!a.skip_null()) boxes = a.handles<Datatype>("datatypes");
    for (const auto &box : boxes) types.push_back(box->value);
  }
  void require_fit(Arguments &a) const {
    if (raw.in_place) return;
    require_counts(a, counts, "counts");
    require_length(a, displacements, "displs");
    if (boxes.size() != counts.size()) a.refuse_range("datatypes must hold one datatype for each rank");
    for (size_t i = 0; i < counts.size(); ++i) {
      boxes[i]->measure(a.env(), a.call());
      a.require_fit(raw, *boxes[i], counts[i], displacements[i]);
    }
  }
};

template <auto kFunction, class Completion>
struct AlltoallwCall {
  TypedBlocks send, receive;
  MPI_Comm comm;
  Completion completion;
  explicit AlltoallwCall(Arguments &a) : send(a, "sendbuf"), receive(a, "recvbuf"), comm(a.comm()), completion(a) {
    if (receive.raw.in_place) a.refuse("recvbuf can't be IN_PLACE");
    send.require_fit(a);
    receive.require_fit(a);
  }
  int run() {
    return completion.template call<kFunction>(send.address, send.counts.data(), send.displacements.data(),
                                               send.types.data(), receive.address, receive.counts.data(),
                                               receive.displacements.data(), receive.types.data(), comm);
  }
};

}  // namespace

void register_collectives(Registry &r) {
  r.add<BarrierCall<MPI_Barrier, Blocking>>("MPI_Barrier");
  r.add<BarrierCall<MPI_Ibarrier, Nonblocking>>("MPI_Ibarrier");
  r.add<BcastCall<MPI_Bcast, Blocking>>("MPI_Bcast");
  r.add<BcastCall<MPI_Ibcast, Nonblocking>>("MPI_Ibcast");
  r.add<ReduceCall<MPI_Reduce, Blocking>>("MPI_Reduce");
  r.add<ReduceCall<MPI_Ireduce, Nonblocking>>("MPI_Ireduce");
  r.add<AllreduceCall<MPI_Allreduce, Blocking>>("MPI_Allreduce");
  r.add<AllreduceCall<MPI_Iallreduce, Nonblocking>>("MPI_Iallreduce");
  r.add<AllreduceCall<MPI_Scan, Blocking>>("MPI_Scan");
  r.add<AllreduceCall<MPI_Iscan, Nonblocking>>("MPI_Iscan");
  r.add<AllreduceCall<MPI_Exscan, Blocking>>("MPI_Exscan");
  r.add<AllreduceCall<MPI_Iexscan, Nonblocking>>("MPI_Iexscan");
  r.add<ReduceScatterCall<MPI_Reduce_scatter, Blocking>>("MPI_Reduce_scatter");
  r.add<ReduceScatterCall<MPI_Ireduce_scatter, Nonblocking>>("MPI_Ireduce_scatter");
  r.add<ReduceScatterBlockCall<MPI_Reduce_scatter_block, Blocking>>("MPI_Reduce_scatter_block");
  r.add<ReduceScatterBlockCall<MPI_Ireduce_scatter_block, Nonblocking>>("MPI_Ireduce_scatter_block");
  r.add<RootedCall<MPI_Gather, Blocking, true>>("MPI_Gather");
  r.add<RootedCall<MPI_Igather, Nonblocking, true>>("MPI_Igather");
  r.add<RootedCall<MPI_Scatter, Blocking, false>>("MPI_Scatter");
  r.add<RootedCall<MPI_Iscatter, Nonblocking, false>>("MPI_Iscatter");
  r.add<GathervCall<MPI_Gatherv, Blocking>>("MPI_Gatherv");
  r.add<GathervCall<MPI_Igatherv, Nonblocking>>("MPI_Igatherv");
  r.add<ScattervCall<MPI_Scatterv, Blocking>>("MPI_Scatterv");
  r.add<ScattervCall<MPI_Iscatterv, Nonblocking>>("MPI_Iscatterv");
  r.add<AllToAllLikeCall<MPI_Allgather, Blocking, false>>("MPI_Allgather");
  r.add<AllToAllLikeCall<MPI_Iallgather, Nonblocking, false>>("MPI_Iallgather");
  r.add<AllToAllLikeCall<MPI_Alltoall, Blocking, true>>("MPI_Alltoall");
  r.add<AllToAllLikeCall<MPI_Ialltoall, Nonblocking, true>>("MPI_Ialltoall");
  r.add<AllgathervCall<MPI_Allgatherv, Blocking>>("MPI_Allgatherv");
  r.add<AllgathervCall<MPI_Iallgatherv, Nonblocking>>("MPI_Iallgatherv");
  r.add<AlltoallvCall<MPI_Alltoallv, Blocking>>("MPI_Alltoallv");
  r.add<AlltoallvCall<MPI_Ialltoallv, Nonblocking>>("MPI_Ialltoallv");
  r.add<AlltoallwCall<MPI_Alltoallw, Blocking>>("MPI_Alltoallw");
  r.add<AlltoallwCall<MPI_Ialltoallw, Nonblocking>>("MPI_Ialltoallw");
}

}  // namespace fabricbench::mpi
