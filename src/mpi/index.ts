/**
 * MPI for Node programs:
 *
 *     import * as MPI from 'fabricbench/mpi';
 *     MPI.Init_thread(MPI.THREAD_MULTIPLE);
 *     const rank = MPI.Comm_rank(MPI.COMM_WORLD);
 *     MPI.Bcast(new Float64Array(8), 8, MPI.DOUBLE, 0, MPI.COMM_WORLD);
 *     MPI.Finalize();
 *
 * Importing it loads the addon and MPI's library, but doesn't start MPI.
 */
import { mpi } from './mpi.js';

export { MpiError, UnsupportedError, type MpiFailure } from './errors.js';
export { pmlAdvice, pmlRefusal } from './advice.js';
export { hasMpi4, mpi4Refusal } from './mpi4.js';
export { repairPersistentCollectives, type RepairSetting } from './repairs.js';
export { selection, type Selection } from './selection.js';
export { Status } from './status.js';
export type * from './types.js';

const loaded = mpi();

/** `openmpi` or `mpich`. */
export const family = loaded.family;
/** The bound forms of all calls that can be timed. */
export const bind = loaded.bind;

export const { Init, Init_thread, Initialized, Finalize, Finalized, running, Abort, Query_thread } = loaded;
export const { Get_library_version, Get_version, Get_processor_name, Wtime, Wtick } = loaded;
export const { Error_string, Error_class, Buffer_attach, Buffer_detach } = loaded;

export const { COMM_WORLD, COMM_SELF, COMM_NULL, COMM_TYPE_SHARED } = loaded;
export const { Comm_rank, Comm_size, Comm_dup, Comm_split, Comm_split_type, Comm_create, Comm_create_group } = loaded;
export const { Comm_group, Comm_compare, Comm_get_name, Comm_set_name, Comm_free } = loaded;
export const { GROUP_EMPTY, IDENT, CONGRUENT, SIMILAR, UNEQUAL } = loaded;
export const { Group_size, Group_rank, Group_incl, Group_excl, Group_union, Group_intersection } = loaded;
export const { Group_difference, Group_compare, Group_translate_ranks, Group_free } = loaded;

export const { Send, Bsend, Ssend, Rsend, Recv, Sendrecv, Sendrecv_replace, Probe, Iprobe } = loaded;
export const { Mprobe, Improbe, Mrecv } = loaded;
export const { Isend, Ibsend, Issend, Irsend, Irecv } = loaded;
export const { Send_init, Bsend_init, Ssend_init, Rsend_init, Recv_init, Start, Startall } = loaded;
export const { Wait, Test, Waitall, Testall, Waitany, Testany, Waitsome, Testsome, Cancel, Request_free } = loaded;
export const { requests, freeRequests, retiredRequests } = loaded;

export const { Barrier, Bcast, Reduce, Allreduce, Scan, Exscan, Reduce_scatter, Reduce_scatter_block } = loaded;
export const { Gather, Gatherv, Scatter, Scatterv, Allgather, Allgatherv } = loaded;
export const { Alltoall, Alltoallv, Alltoallw } = loaded;
export const { Ibarrier, Ibcast, Ireduce, Iallreduce, Iscan, Iexscan } = loaded;
export const { Ireduce_scatter, Ireduce_scatter_block } = loaded;
export const { Igather, Igatherv, Iscatter, Iscatterv, Iallgather, Iallgatherv } = loaded;
export const { Ialltoall, Ialltoallv, Ialltoallw } = loaded;

export const { Win_create, Win_allocate, Win_create_dynamic, Win_attach, Win_detach, Win_get_group, Win_free } = loaded;
export const { Get_address, Put, Get, Accumulate, Get_accumulate, Fetch_and_op, Compare_and_swap } = loaded;
export const { Rput, Rget, Raccumulate, Rget_accumulate } = loaded;
export const { Win_lock, Win_unlock, Win_lock_all, Win_unlock_all, Win_sync, Win_fence } = loaded;
export const { Win_flush, Win_flush_all, Win_flush_local, Win_flush_local_all } = loaded;
export const { Win_post, Win_start, Win_complete, Win_wait, Win_test } = loaded;
export const { LOCK_SHARED, LOCK_EXCLUSIVE } = loaded;
export const { MODE_NOCHECK, MODE_NOSTORE, MODE_NOPUT, MODE_NOPRECEDE, MODE_NOSUCCEED } = loaded;
export const { Neighbor_allgather, Neighbor_allgatherv } = loaded;
export const { Neighbor_alltoall, Neighbor_alltoallv, Neighbor_alltoallw } = loaded;
export const { Ineighbor_allgather, Ineighbor_allgatherv } = loaded;
export const { Ineighbor_alltoall, Ineighbor_alltoallv, Ineighbor_alltoallw } = loaded;

export const { Cart_create, Cartdim_get, Cart_get, Cart_coords, Cart_rank, Cart_shift, Dims_create } = loaded;
export const { Dist_graph_create_adjacent, Dist_graph_create } = loaded;
export const { Dist_graph_neighbors_count, Dist_graph_neighbors, Topo_test, CART, GRAPH, DIST_GRAPH } = loaded;

// Undefined where MPI is older than MPI-4: see `hasMpi4`.
export const { Barrier_init, Bcast_init, Reduce_init, Allreduce_init, Scan_init, Exscan_init } = loaded;
export const { Reduce_scatter_init, Reduce_scatter_block_init } = loaded;
export const { Gather_init, Gatherv_init, Scatter_init, Scatterv_init, Allgather_init, Allgatherv_init } = loaded;
export const { Alltoall_init, Alltoallv_init, Alltoallw_init } = loaded;
export const { Session_init, Session_finalize, Session_get_info } = loaded;
export const { Session_get_num_psets, Session_get_nth_pset, Session_get_pset_info } = loaded;
export const { Group_from_session_pset, Comm_create_from_group } = loaded;

export const { Type_contiguous, Type_vector, Type_create_hvector, Type_indexed, Type_create_hindexed } = loaded;
export const { Type_create_struct, Type_create_resized, Type_dup, Type_commit, Type_free } = loaded;
export const { Type_size, Type_get_extent, Type_get_true_extent, Type_get_name } = loaded;

export const { CHAR, SIGNED_CHAR, UNSIGNED_CHAR, BYTE, PACKED, WCHAR, SHORT, UNSIGNED_SHORT } = loaded;
export const { INT, UNSIGNED, LONG, UNSIGNED_LONG, LONG_LONG, LONG_LONG_INT, UNSIGNED_LONG_LONG } = loaded;
export const { INT8_T, INT16_T, INT32_T, INT64_T, UINT8_T, UINT16_T, UINT32_T, UINT64_T } = loaded;
export const { FLOAT, DOUBLE, LONG_DOUBLE, C_BOOL, C_FLOAT_COMPLEX, C_DOUBLE_COMPLEX } = loaded;
export const { AINT, OFFSET, COUNT, FLOAT_INT, DOUBLE_INT, LONG_INT, SHORT_INT, TWO_INT, DATATYPE_NULL } = loaded;

export const { SUM, PROD, MAX, MIN, LAND, LOR, LXOR, BAND, BOR, BXOR, MAXLOC, MINLOC } = loaded;
export const { REPLACE, NO_OP, OP_NULL } = loaded;

export const { SUCCESS, ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED, ROOT, BSEND_OVERHEAD } = loaded;
export const { IN_PLACE, STATUS_IGNORE, STATUSES_IGNORE } = loaded;
export const { THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE } = loaded;
