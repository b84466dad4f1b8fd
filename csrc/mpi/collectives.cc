// Collective calls over all ranks of a communicator, blocking and non-blocking.
#include "collective_calls.hpp"
#include "register.hpp"

namespace fabricbench::mpi {

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
