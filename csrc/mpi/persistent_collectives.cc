// Persistent collective calls, which MPI-4 added. Open MPI 4 has the like of them under other names, which stand for
// nothing that its MPI 3.1 promises: there these calls are missing.
#include "collective_calls.hpp"
#include "register.hpp"

namespace fabricbench::mpi {

#if FB_HAS_PERSISTENT_COLLECTIVES

void register_persistent_collectives(Registry &r) {
  r.add<BarrierCall<MPI_Barrier_init, PersistentCollective>>("MPI_Barrier_init");
  r.add<BcastCall<MPI_Bcast_init, PersistentCollective>>("MPI_Bcast_init");
  r.add<ReduceCall<MPI_Reduce_init, PersistentCollective>>("MPI_Reduce_init");
  r.add<AllreduceCall<MPI_Allreduce_init, PersistentCollective>>("MPI_Allreduce_init");
  r.add<AllreduceCall<MPI_Scan_init, PersistentCollective>>("MPI_Scan_init");
  r.add<AllreduceCall<MPI_Exscan_init, PersistentCollective>>("MPI_Exscan_init");
  r.add<ReduceScatterCall<MPI_Reduce_scatter_init, PersistentCollective>>("MPI_Reduce_scatter_init");
  r.add<ReduceScatterBlockCall<MPI_Reduce_scatter_block_init, PersistentCollective>>("MPI_Reduce_scatter_block_init");
  r.add<RootedCall<MPI_Gather_init, PersistentCollective, true>>("MPI_Gather_init");
  r.add<RootedCall<MPI_Scatter_init, PersistentCollective, false>>("MPI_Scatter_init");
  r.add<GathervCall<MPI_Gatherv_init, PersistentCollective>>("MPI_Gatherv_init");
  r.add<ScattervCall<MPI_Scatterv_init, PersistentCollective>>("MPI_Scatterv_init");
  r.add<AllToAllLikeCall<MPI_Allgather_init, PersistentCollective, false>>("MPI_Allgather_init");
  r.add<AllToAllLikeCall<MPI_Alltoall_init, PersistentCollective, true>>("MPI_Alltoall_init");
  r.add<AllgathervCall<MPI_Allgatherv_init, PersistentCollective>>("MPI_Allgatherv_init");
  r.add<AlltoallvCall<MPI_Alltoallv_init, PersistentCollective>>("MPI_Alltoallv_init");
  r.add<AlltoallwCall<MPI_Alltoallw_init, PersistentCollective>>("MPI_Alltoallw_init");
}

#else

void register_persistent_collectives(Registry &) {}

#endif

}  // namespace fabricbench::mpi
