/**
 * The types of the binding. Names are MPI's without `MPI_`, arguments stand in the order of MPI's C binding, with three
 * rules: what C returns through a pointer is returned; an array comes without its length; a status is returned, unless
 * the last argument is STATUS_IGNORE.
 */
import type { Bytes, Operation } from '../engine/types.js';
import type { MpiError } from './errors.js';
import type { Status } from './status.js';

export declare const kind: unique symbol;

/** A communicator. */
export interface Comm {
  readonly [kind]: 'Comm';
}
/** A group of processes. Freed by Group_free or the garbage collector. */
export interface Group {
  readonly [kind]: 'Group';
}
/** A session of MPI-4. Communicators and groups made from it end with it. */
export interface Session {
  readonly [kind]: 'Session';
}
/** A datatype. A derived one is freed by Type_free or the garbage collector. */
export interface Datatype {
  readonly [kind]: 'Datatype';
}
/** A reduction operation. */
export interface Op {
  readonly [kind]: 'Op';
}
/** A message that Mprobe or Improbe matched. */
export interface Message {
  readonly [kind]: 'Message';
}
/**
 * Request slots in native memory, for bound operations; see `requests`. While a request is in flight its buffers stay
 * alive, even where the array, the operation and the buffer are forgotten.
 */
export interface RequestArray {
  readonly [kind]: 'RequestArray';
  readonly length: number;
}
/**
 * A window: memory that other ranks may reach. It lives until Win_free, even where it is forgotten, and so does the memory
 * that it exposes.
 */
export interface Win {
  readonly [kind]: 'Win';
}
/** What Isend and its kin return: a request array of one. */
export type Request = RequestArray;

/** MPI_IN_PLACE. */
export interface InPlace {
  readonly [kind]: 'InPlace';
}
/** MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE. */
export interface StatusIgnore {
  readonly [kind]: 'StatusIgnore';
}

/** Memory for MPI; null where MPI looks at no byte of it (nothing to send, or not the root). Nothing is copied. */
export type Data = Bytes | null;
/** Numbers for each rank; null where MPI doesn't look at them. */
export type Counts = readonly number[] | Int32Array | null;
type DataInPlace = Data | InPlace;
type Integers = readonly number[] | Int32Array;
/** Weights of edges; null for MPI_UNWEIGHTED. */
export type Weights = Integers | null;

type SendArguments = [buf: Data, count: number, datatype: Datatype, dest: number, tag: number, comm: Comm];
type ReceiveArguments = [buf: Data, count: number, datatype: Datatype, source: number, tag: number, comm: Comm];
type BcastArguments = [buffer: Data, count: number, datatype: Datatype, root: number, comm: Comm];
type AllreduceArguments = [sendbuf: DataInPlace, recvbuf: Data, count: number, datatype: Datatype, op: Op, comm: Comm];
type ReduceArguments = [
  sendbuf: DataInPlace,
  recvbuf: Data,
  count: number,
  datatype: Datatype,
  op: Op,
  root: number,
  comm: Comm,
];
type ReduceScatterArguments = [
  sendbuf: DataInPlace,
  recvbuf: Data,
  recvcounts: Integers,
  datatype: Datatype,
  op: Op,
  comm: Comm,
];
type RootedArguments = [
  sendbuf: DataInPlace,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: DataInPlace,
  recvcount: number,
  recvtype: Datatype,
  root: number,
  comm: Comm,
];
type GathervArguments = [
  sendbuf: DataInPlace,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: Data,
  recvcounts: Counts,
  displs: Counts,
  recvtype: Datatype,
  root: number,
  comm: Comm,
];
type ScattervArguments = [
  sendbuf: Data,
  sendcounts: Counts,
  displs: Counts,
  sendtype: Datatype,
  recvbuf: DataInPlace,
  recvcount: number,
  recvtype: Datatype,
  root: number,
  comm: Comm,
];
type AllgatherArguments = [
  sendbuf: DataInPlace,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: Data,
  recvcount: number,
  recvtype: Datatype,
  comm: Comm,
];
type AllgathervArguments = [
  sendbuf: DataInPlace,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: Data,
  recvcounts: Integers,
  displs: Integers,
  recvtype: Datatype,
  comm: Comm,
];
type AlltoallvArguments = [
  sendbuf: DataInPlace,
  sendcounts: Counts,
  sdispls: Counts,
  sendtype: Datatype,
  recvbuf: Data,
  recvcounts: Integers,
  rdispls: Integers,
  recvtype: Datatype,
  comm: Comm,
];
type AlltoallwArguments = [
  sendbuf: DataInPlace,
  sendcounts: Counts,
  sdispls: Counts,
  sendtypes: readonly Datatype[] | null,
  recvbuf: Data,
  recvcounts: Integers,
  rdispls: Integers,
  recvtypes: readonly Datatype[],
  comm: Comm,
];
type NeighborArguments = [
  sendbuf: Data,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: Data,
  recvcount: number,
  recvtype: Datatype,
  comm: Comm,
];
type NeighborAllgathervArguments = [
  sendbuf: Data,
  sendcount: number,
  sendtype: Datatype,
  recvbuf: Data,
  recvcounts: Counts,
  displs: Counts,
  recvtype: Datatype,
  comm: Comm,
];
type NeighborAlltoallvArguments = [
  sendbuf: Data,
  sendcounts: Counts,
  sdispls: Counts,
  sendtype: Datatype,
  recvbuf: Data,
  recvcounts: Counts,
  rdispls: Counts,
  recvtype: Datatype,
  comm: Comm,
];
/** Displacements are in bytes, and may be beyond 32 bits. */
type NeighborAlltoallwArguments = [
  sendbuf: Data,
  sendcounts: Counts,
  sdispls: Counts,
  sendtypes: readonly Datatype[] | null,
  recvbuf: Data,
  recvcounts: Counts,
  rdispls: Counts,
  recvtypes: readonly Datatype[] | null,
  comm: Comm,
];
type SendrecvArguments = [
  sendbuf: Data,
  sendcount: number,
  sendtype: Datatype,
  dest: number,
  sendtag: number,
  recvbuf: Data,
  recvcount: number,
  recvtype: Datatype,
  source: number,
  recvtag: number,
  comm: Comm,
];
type SendrecvReplaceArguments = [
  buf: Data,
  count: number,
  datatype: Datatype,
  dest: number,
  sendtag: number,
  source: number,
  recvtag: number,
  comm: Comm,
];
type ProbeArguments = [source: number, tag: number, comm: Comm];
type WindowArguments = [
  buffers: readonly Bytes[],
  count: number,
  datatype: Datatype,
  peer: number,
  tag: number,
  comm: Comm,
  requests: RequestArray,
];

/** `targetDisp` counts the target's `disp_unit`s; in dynamic windows it is an address of the target's (Get_address). */
type TransferArguments = [
  origin: Data,
  originCount: number,
  originDatatype: Datatype,
  targetRank: number,
  targetDisp: number,
  targetCount: number,
  targetDatatype: Datatype,
  win: Win,
];
type AccumulateArguments = [
  origin: Data,
  originCount: number,
  originDatatype: Datatype,
  targetRank: number,
  targetDisp: number,
  targetCount: number,
  targetDatatype: Datatype,
  op: Op,
  win: Win,
];
type GetAccumulateArguments = [
  origin: Data,
  originCount: number,
  originDatatype: Datatype,
  result: Data,
  resultCount: number,
  resultDatatype: Datatype,
  targetRank: number,
  targetDisp: number,
  targetCount: number,
  targetDatatype: Datatype,
  op: Op,
  win: Win,
];
type TransferWindowArguments = [
  origin: Data,
  count: number,
  datatype: Datatype,
  targetRank: number,
  base: number,
  stride: number,
  window: number,
  win: Win,
];

/**
 * One-sided calls. Put, Get and their kin only start something: their buffers are MPI's, and stay alive, until a call that
 * synchronises the window covers their target. What they reach at the target can be checked only where the target is this
 * rank itself; beyond another rank's memory lies whatever is there.
 */
interface OneSidedArguments {
  Put: TransferArguments;
  Get: TransferArguments;
  Accumulate: AccumulateArguments;
  /** With NO_OP nothing of the origin is looked at, and it may be null. */
  Get_accumulate: GetAccumulateArguments;
  Fetch_and_op: [
    origin: Data,
    result: Data,
    datatype: Datatype,
    targetRank: number,
    targetDisp: number,
    op: Op,
    win: Win,
  ];
  Compare_and_swap: [
    origin: Data,
    compare: Data,
    result: Data,
    datatype: Datatype,
    targetRank: number,
    targetDisp: number,
    win: Win,
  ];
  Win_lock: [lockType: number, rank: number, assert: number, win: Win];
  Win_unlock: [rank: number, win: Win];
  Win_lock_all: [assert: number, win: Win];
  Win_unlock_all: [win: Win];
  Win_flush: [rank: number, win: Win];
  Win_flush_all: [win: Win];
  Win_flush_local: [rank: number, win: Win];
  Win_flush_local_all: [win: Win];
  Win_fence: [assert: number, win: Win];
  Win_post: [group: Group, assert: number, win: Win];
  Win_start: [group: Group, assert: number, win: Win];
  Win_complete: [win: Win];
  Win_wait: [win: Win];
  Win_sync: [win: Win];
}

/** Calls that are done when they return. */
interface BlockingArguments extends OneSidedArguments {
  Send: SendArguments;
  Bsend: SendArguments;
  Ssend: SendArguments;
  Rsend: SendArguments;
  Barrier: [comm: Comm];
  Bcast: BcastArguments;
  Reduce: ReduceArguments;
  Allreduce: AllreduceArguments;
  Scan: AllreduceArguments;
  Exscan: AllreduceArguments;
  Reduce_scatter: ReduceScatterArguments;
  Reduce_scatter_block: AllreduceArguments;
  Gather: RootedArguments;
  Scatter: RootedArguments;
  Gatherv: GathervArguments;
  Scatterv: ScattervArguments;
  Allgather: AllgatherArguments;
  Allgatherv: AllgathervArguments;
  Alltoall: AllgatherArguments;
  Alltoallv: AlltoallvArguments;
  Alltoallw: AlltoallwArguments;
  // Counts, displacements and blocks are for each neighbour in the communicator's topology, in its order.
  Neighbor_allgather: NeighborArguments;
  Neighbor_allgatherv: NeighborAllgathervArguments;
  Neighbor_alltoall: NeighborArguments;
  Neighbor_alltoallv: NeighborAlltoallvArguments;
  Neighbor_alltoallw: NeighborAlltoallwArguments;
}

/** Calls that receive, and tell a status. */
interface StatusArguments {
  Recv: ReceiveArguments;
  Sendrecv: SendrecvArguments;
  Sendrecv_replace: SendrecvReplaceArguments;
  Probe: ProbeArguments;
}

/** Calls that start something, or prepare a persistent request. */
interface StartingArguments {
  Isend: SendArguments;
  Ibsend: SendArguments;
  Issend: SendArguments;
  Irsend: SendArguments;
  Irecv: ReceiveArguments;
  Send_init: SendArguments;
  Bsend_init: SendArguments;
  Ssend_init: SendArguments;
  Rsend_init: SendArguments;
  Recv_init: ReceiveArguments;
  Ibarrier: [comm: Comm];
  Ibcast: BcastArguments;
  Ireduce: ReduceArguments;
  Iallreduce: AllreduceArguments;
  Iscan: AllreduceArguments;
  Iexscan: AllreduceArguments;
  Ireduce_scatter: ReduceScatterArguments;
  Ireduce_scatter_block: AllreduceArguments;
  Igather: RootedArguments;
  Iscatter: RootedArguments;
  Igatherv: GathervArguments;
  Iscatterv: ScattervArguments;
  Iallgather: AllgatherArguments;
  Iallgatherv: AllgathervArguments;
  Ialltoall: AllgatherArguments;
  Ialltoallv: AlltoallvArguments;
  Ialltoallw: AlltoallwArguments;
  Rput: TransferArguments;
  Rget: TransferArguments;
  Raccumulate: AccumulateArguments;
  Rget_accumulate: GetAccumulateArguments;
  Ineighbor_allgather: NeighborArguments;
  Ineighbor_allgatherv: NeighborAllgathervArguments;
  Ineighbor_alltoall: NeighborArguments;
  Ineighbor_alltoallv: NeighborAlltoallvArguments;
  Ineighbor_alltoallw: NeighborAlltoallwArguments;
}

type CollectiveName =
  | ('Barrier' | 'Bcast' | 'Reduce' | 'Allreduce' | 'Scan' | 'Exscan' | 'Reduce_scatter' | 'Reduce_scatter_block')
  | ('Gather' | 'Gatherv' | 'Scatter' | 'Scatterv' | 'Allgather' | 'Allgatherv')
  | ('Alltoall' | 'Alltoallv' | 'Alltoallw');

/**
 * Persistent collectives, which MPI-4 added: arguments of the blocking call. MPI_INFO_NULL is passed for you. MPICH 4 has
 * defects in some of them: see `repairPersistentCollectives`.
 */
type PersistentArguments = { [K in CollectiveName as `${K}_init`]: BlockingArguments[K] };

type StatusCall<A extends unknown[]> = {
  (...args: A): Status;
  (...args: [...A, status: StatusIgnore]): void;
};

/** Returns its request, or puts it into a slot that must hold none. */
type StartingCall<A extends unknown[]> = {
  (...args: A): Request;
  (...args: [...A, requests: RequestArray, index: number]): void;
};

type BlockingCalls = { [K in keyof BlockingArguments]: (...args: BlockingArguments[K]) => void };
type StatusCalls = { [K in keyof StatusArguments]: StatusCall<StatusArguments[K]> };
type StartingCalls = { [K in keyof StartingArguments]: StartingCall<StartingArguments[K]> };
type PersistentCalls = { readonly [K in keyof PersistentArguments]: StartingCall<PersistentArguments[K]> };

/** A request that completed: its place, UNDEFINED where none was active. */
export interface IndexedStatus {
  readonly index: number;
  readonly status: Status;
}
export interface SomeStatuses {
  readonly indices: number[];
  readonly statuses: Status[];
}
type Many = RequestArray | readonly Request[];

interface CompletionCalls {
  Wait: {
    (request: Request): Status;
    (request: Request, status: StatusIgnore): void;
    (requests: RequestArray, index: number): Status;
    (requests: RequestArray, index: number, status: StatusIgnore): void;
  };
  /** Null while it is not complete. */
  Test(request: Request): Status | null;
  Test(requests: RequestArray, index: number): Status | null;
  Waitall: { (requests: Many): Status[]; (requests: Many, statuses: StatusIgnore): void };
  /** Null while not all are complete. */
  Testall(requests: Many): Status[] | null;
  Waitany(requests: Many): IndexedStatus;
  /** Null while none is complete. */
  Testany(requests: Many): IndexedStatus | null;
  /** Null where no request is active. */
  Waitsome(requests: Many): SomeStatuses | null;
  Testsome(requests: Many): SomeStatuses | null;
  Start(request: Request): void;
  Start(requests: RequestArray, index: number): void;
  Startall(requests: Many): void;
  Cancel(request: Request): void;
  Cancel(requests: RequestArray, index: number): void;
  /** Gives the request up; its buffers stay alive until it is complete. */
  Request_free(request: Request): void;
  Request_free(requests: RequestArray, index: number): void;
  /** Null where no message has arrived. */
  Iprobe(source: number, tag: number, comm: Comm): Status | null;
  Mprobe(source: number, tag: number, comm: Comm): { message: Message; status: Status };
  Improbe(source: number, tag: number, comm: Comm): { message: Message; status: Status } | null;
  Mrecv(buf: Data, count: number, datatype: Datatype, message: Message): Status;
  /** `length` request slots for bound operations. */
  requests(length: number): RequestArray;
  /**
   * Ends a request array, whose requests must be complete. Operations bound to it fail from now on, and let go of their
   * buffers.
   */
  freeRequests(requests: RequestArray): void;
  /** Requests that were forgotten in flight, and still keep their buffers. */
  retiredRequests(): number;
}

/**
 * The bound forms: the same arguments make an engine operation, which does nothing until it is called or run. They ignore
 * statuses. Calls that start something take a request array and an index, and fail where that slot holds a request.
 */
export type Bind = { [K in keyof BlockingArguments]: (...args: BlockingArguments[K]) => Operation } & {
  [K in keyof StatusArguments]: (...args: StatusArguments[K]) => Operation;
} & {
  [K in keyof StartingArguments]: (
    ...args: [...StartingArguments[K], requests: RequestArray, index: number]
  ) => Operation;
} & { [K in 'Wait' | 'Test' | 'Start']: (requests: RequestArray, index?: number) => Operation } & {
  [K in 'Waitall' | 'Testall' | 'Waitany' | 'Testany' | 'Waitsome' | 'Testsome' | 'Startall']: (
    requests: RequestArray,
  ) => Operation;
} & {
  /** Looks once, as a test for the engine's `until`: pending while the request is not complete. */
  TestDone(requests: RequestArray, index?: number): Operation;
  Iprobe(...args: ProbeArguments): Operation;
  /** `requests.length` Isends in one operation, from `buffers[i % buffers.length]`; no request may be active. */
  IsendWindow(...args: WindowArguments): Operation;
  /** `requests.length` Irecvs in one operation, into `buffers[i % buffers.length]`; no request may be active. */
  IrecvWindow(...args: WindowArguments): Operation;
  /** One Isend with each call: request i from `buffers[i % buffers.length]`, in turn; that request may not be active. */
  IsendNext(...args: WindowArguments): Operation;
  /** One Irecv with each call, likewise. */
  IrecvNext(...args: WindowArguments): Operation;
  /** `window` Puts in one operation: number i from the i-th `count` elements of the origin, to `base + i * stride`. */
  PutWindow(...args: TransferWindowArguments): Operation;
  /** `window` Gets in one operation: number i from `base + i * stride`, into the i-th `count` elements of the origin. */
  GetWindow(...args: TransferWindowArguments): Operation;
  /** Looks once whether the exposure epoch is over. */
  Win_test(win: Win): Operation;
} & Partial<Mpi4Bind>;

/** Bound forms of what MPI-4 added. The operation makes the request; Start starts it. */
export type Mpi4Bind = {
  readonly [K in keyof PersistentArguments]: (
    ...args: [...PersistentArguments[K], requests: RequestArray, index: number]
  ) => Operation;
};

interface WindowCalls {
  /**
   * Exposes the first `size` bytes of `base`, which stay alive until Win_free; null for none. Displacements count
   * `dispUnit` bytes. Collective.
   */
  Win_create(base: Data, size: number, dispUnit: number, comm: Comm): Win;
  /**
   * Exposes `size` bytes of memory that MPI allocates. Win_free detaches them, and is refused while operations hold them.
   * Collective.
   */
  Win_allocate(size: number, dispUnit: number, comm: Comm): { win: Win; memory: ArrayBuffer };
  /** A window whose memory is attached later. Collective. */
  Win_create_dynamic(comm: Comm): Win;
  /** The first `size` bytes of `base`, which stay alive until they are detached or the window is freed. */
  Win_attach(win: Win, base: Bytes, size: number): void;
  Win_detach(win: Win, base: Bytes): void;
  /** Address of the first byte: what others need as a displacement in a dynamic window. */
  Get_address(location: Bytes): number;
  Win_get_group(win: Win): Group;
  /** Whether the exposure epoch that Win_post began is over, and ends it then. */
  Win_test(win: Win): boolean;
  /**
   * Operations bound to the window fail from now on. Refused while anything that this rank started on it is not completed
   * by a synchronising call. Collective.
   */
  Win_free(win: Win): void;
}

interface EnvironmentCalls {
  Init(): void;
  /** The level that MPI provides. */
  Init_thread(required: number): number;
  Initialized(): boolean;
  /** Bound operations fail from now on. Requests in flight must be completed before. */
  Finalize(): void;
  Finalized(): boolean;
  /** Whether MPI may be called: between Init and Finalize, and while a session lives. */
  running(): boolean;
  /** Ends all processes of the job; does not return. */
  Abort(comm: Comm, errorcode: number): never;
  Query_thread(): number;
  Get_library_version(): string;
  Get_version(): { version: number; subversion: number };
  Get_processor_name(): string;
  Wtime(): number;
  Wtick(): number;
  Error_string(errorcode: number): string;
  Error_class(errorcode: number): number;
  /** All of the buffer serves buffered sends, and stays alive, until Buffer_detach. */
  Buffer_attach(buffer: Bytes): void;
  /** Waits until what was buffered is delivered, and returns the buffer that was attached. */
  Buffer_detach(): Bytes | undefined;
}

interface CommCalls {
  Comm_rank(comm: Comm): number;
  Comm_size(comm: Comm): number;
  Comm_dup(comm: Comm): Comm;
  /** COMM_NULL for the colour UNDEFINED. */
  Comm_split(comm: Comm, color: number, key: number): Comm;
  Comm_split_type(comm: Comm, splitType: number, key: number): Comm;
  Comm_create(comm: Comm, group: Group): Comm;
  Comm_create_group(comm: Comm, group: Group, tag: number): Comm;
  Comm_group(comm: Comm): Group;
  Comm_compare(comm1: Comm, comm2: Comm): number;
  Comm_get_name(comm: Comm): string;
  Comm_set_name(comm: Comm, name: string): void;
  /** Operations bound to the communicator fail from now on. */
  Comm_free(comm: Comm): void;
  Group_size(group: Group): number;
  Group_rank(group: Group): number;
  Group_incl(group: Group, ranks: Integers): Group;
  Group_excl(group: Group, ranks: Integers): Group;
  Group_union(group1: Group, group2: Group): Group;
  Group_intersection(group1: Group, group2: Group): Group;
  Group_difference(group1: Group, group2: Group): Group;
  Group_compare(group1: Group, group2: Group): number;
  Group_translate_ranks(group1: Group, ranks1: Integers, group2: Group): number[];
  Group_free(group: Group): void;
}

/** Neighbours at a distance along one dimension; PROC_NULL beyond an edge. */
export interface CartShift {
  readonly source: number;
  readonly dest: number;
}
/** A grid of processes, and this process's place in it. */
export interface Cart {
  readonly dims: number[];
  readonly periods: boolean[];
  readonly coords: number[];
}
export interface Degrees {
  readonly indegree: number;
  readonly outdegree: number;
  readonly weighted: boolean;
}
/** Who sends to this process, and whom it sends to, in the order of blocks; weights are null where there are none. */
export interface Neighbors {
  readonly sources: number[];
  readonly sourceweights: number[] | null;
  readonly destinations: number[];
  readonly destweights: number[] | null;
}

interface TopologyCalls {
  /** COMM_NULL on ranks that have no place in the grid. */
  Cart_create(comm: Comm, dims: Integers, periods: readonly boolean[], reorder: boolean): Comm;
  Cartdim_get(comm: Comm): number;
  Cart_get(comm: Comm): Cart;
  Cart_coords(comm: Comm, rank: number): number[];
  Cart_rank(comm: Comm, coords: Integers): number;
  Cart_shift(comm: Comm, direction: number, disp: number): CartShift;
  /** The dimensions with MPI's choice in place of each 0. */
  Dims_create(nnodes: number, dims: Integers): number[];
  /** CART, GRAPH, DIST_GRAPH or UNDEFINED. */
  Topo_test(comm: Comm): number;
  /** Each rank gives the edges that end and begin at it. */
  Dist_graph_create_adjacent(
    comm: Comm,
    sources: Integers,
    sourceweights: Weights,
    destinations: Integers,
    destweights: Weights,
    reorder: boolean,
  ): Comm;
  /** Ranks give any edges: `degrees[i]` of them from `sources[i]`, whose ends follow each other in `destinations`. */
  Dist_graph_create(
    comm: Comm,
    sources: Integers,
    degrees: Integers,
    destinations: Integers,
    weights: Weights,
    reorder: boolean,
  ): Comm;
  Dist_graph_neighbors_count(comm: Comm): Degrees;
  Dist_graph_neighbors(comm: Comm): Neighbors;
}

interface SessionCalls {
  /**
   * MPI without Init, COMM_WORLD and COMM_SELF. `required` is a thread level; `Session_get_info` tells what was provided.
   * Calls without a communicator (datatypes, groups) end the job where MPICH 4.0 finds something wrong with them.
   */
  Session_init(required: number): Session;
  /** Communicators, groups and bound operations of the session end with it. */
  Session_finalize(session: Session): void;
  /** What the session is, e.g. `{ thread_level: 'MPI_THREAD_MULTIPLE' }`. */
  Session_get_info(session: Session): Readonly<Record<string, string>>;
  Session_get_num_psets(session: Session): number;
  /** Name of a process set, e.g. `mpi://WORLD`. */
  Session_get_nth_pset(session: Session, n: number): string;
  /** Its size as text, under `mpi_size`. */
  Session_get_pset_info(session: Session, name: string): Readonly<Record<string, string>>;
  Group_from_session_pset(session: Session, name: string): Group;
  /** Collective over the group's processes, which give the same tag. COMM_NULL for an empty group. */
  Comm_create_from_group(group: Group, stringtag: string): Comm;
}

/** Bytes. */
export interface Extent {
  readonly lb: number;
  readonly extent: number;
}

interface DatatypeCalls {
  Type_contiguous(count: number, oldtype: Datatype): Datatype;
  Type_vector(count: number, blocklength: number, stride: number, oldtype: Datatype): Datatype;
  Type_create_hvector(count: number, blocklength: number, stride: number, oldtype: Datatype): Datatype;
  Type_indexed(blocklengths: Integers, displacements: Integers, oldtype: Datatype): Datatype;
  Type_create_hindexed(blocklengths: Integers, displacements: readonly number[], oldtype: Datatype): Datatype;
  Type_create_struct(blocklengths: Integers, displacements: readonly number[], types: readonly Datatype[]): Datatype;
  Type_create_resized(oldtype: Datatype, lb: number, extent: number): Datatype;
  Type_dup(oldtype: Datatype): Datatype;
  Type_commit(datatype: Datatype): void;
  /** Operations bound to the datatype fail from now on. */
  Type_free(datatype: Datatype): void;
  Type_size(datatype: Datatype): number;
  Type_get_extent(datatype: Datatype): Extent;
  Type_get_true_extent(datatype: Datatype): Extent;
  Type_get_name(datatype: Datatype): string;
}

type DatatypeName =
  | ('CHAR' | 'SIGNED_CHAR' | 'UNSIGNED_CHAR' | 'BYTE' | 'PACKED' | 'WCHAR' | 'SHORT' | 'UNSIGNED_SHORT')
  | ('INT' | 'UNSIGNED' | 'LONG' | 'UNSIGNED_LONG' | 'LONG_LONG' | 'LONG_LONG_INT' | 'UNSIGNED_LONG_LONG')
  | ('INT8_T' | 'INT16_T' | 'INT32_T' | 'INT64_T' | 'UINT8_T' | 'UINT16_T' | 'UINT32_T' | 'UINT64_T')
  | ('FLOAT' | 'DOUBLE' | 'LONG_DOUBLE' | 'C_BOOL' | 'C_FLOAT_COMPLEX' | 'C_DOUBLE_COMPLEX')
  | ('AINT' | 'OFFSET' | 'COUNT' | 'FLOAT_INT' | 'DOUBLE_INT' | 'LONG_INT' | 'SHORT_INT' | 'TWO_INT')
  | 'DATATYPE_NULL';
type OpName =
  | ('SUM' | 'PROD' | 'MAX' | 'MIN' | 'LAND' | 'LOR' | 'LXOR' | 'BAND' | 'BOR' | 'BXOR' | 'MAXLOC' | 'MINLOC')
  | ('REPLACE' | 'NO_OP' | 'OP_NULL');
type IntegerName =
  | ('SUCCESS' | 'ANY_SOURCE' | 'ANY_TAG' | 'PROC_NULL' | 'UNDEFINED' | 'ROOT' | 'BSEND_OVERHEAD')
  | ('IDENT' | 'CONGRUENT' | 'SIMILAR' | 'UNEQUAL' | 'COMM_TYPE_SHARED' | 'CART' | 'GRAPH' | 'DIST_GRAPH')
  | ('LOCK_SHARED' | 'LOCK_EXCLUSIVE')
  | ('MODE_NOCHECK' | 'MODE_NOSTORE' | 'MODE_NOPUT' | 'MODE_NOPRECEDE' | 'MODE_NOSUCCEED')
  | ('THREAD_SINGLE' | 'THREAD_FUNNELED' | 'THREAD_SERIALIZED' | 'THREAD_MULTIPLE');

type Constants = { readonly [K in DatatypeName]: Datatype } & { readonly [K in OpName]: Op } & {
  readonly [K in IntegerName]: number;
} & {
  readonly COMM_WORLD: Comm;
  readonly COMM_SELF: Comm;
  readonly COMM_NULL: Comm;
  readonly GROUP_EMPTY: Group;
  readonly IN_PLACE: InPlace;
  readonly STATUS_IGNORE: StatusIgnore;
  readonly STATUSES_IGNORE: StatusIgnore;
};

/** What the addon finds out of what was selected, before `selection` makes sense of it. */
export interface NativeSelection {
  /** Open MPI's point-to-point component. */
  readonly pml: string | null;
  /** Open MPI's one-sided components that windows of this process have had. */
  readonly osc: readonly string[];
  /** Open MPI's byte transfer layers that were initialised. */
  readonly btls: readonly string[];
  /** UCX's description of each of its endpoints. */
  readonly endpoints: readonly string[];
  /** Version of the UCX library in this process. */
  readonly ucx: string | null;
}

/** What MPI-4 added: persistent collectives and sessions. */
export type Mpi4Calls = PersistentCalls & SessionCalls;

/**
 * MPI as its addon offers it. What MPI-4 added is undefined where the MPI in use has an older standard, here and in `bind`:
 * ask `hasMpi4` once, which makes it `Mpi4`.
 */
export type Mpi = Constants &
  EnvironmentCalls &
  CommCalls &
  TopologyCalls &
  DatatypeCalls &
  BlockingCalls &
  StatusCalls &
  StartingCalls &
  CompletionCalls &
  WindowCalls & {
    /** `openmpi` or `mpich`. */
    readonly family: string;
    readonly bind: Bind;
  } & Partial<Mpi4Calls>;

/** An MPI that has all of MPI-4 that this binding knows. */
export type Mpi4 = Mpi & Mpi4Calls & { readonly bind: Mpi4Bind };

/** What the addon exports for the files of src/mpi alone. */
export type MpiAddon = Mpi & {
  setMpiErrorClass(constructor: typeof MpiError): void;
  setStatusClass(constructor: typeof Status): void;
  statusCount(bytes: Uint8Array, datatype: Datatype): number;
  statusCancelled(bytes: Uint8Array): boolean;
  nativeSelection(): NativeSelection;
  /** Why the file of a library can't be loaded; null where it can, and then it stays loaded. */
  loadProblem(path: string): string | null;
};
