/** What src/verbs/bind*.ts and csrc/verbs/operations*.cc hand to each other. Arguments are not checked there. */
import type { Bytes, Operation } from '../engine/types.js';
import type { AhBox, CqBox, MrBox, QpBox, SrqBox, VerbsBox } from './native-types.js';

export type StreamBox = VerbsBox<'stream'>;
export type ReceivesBox = VerbsBox<'receives'>;

export interface NativePiece {
  readonly mr: MrBox;
  readonly offset: number;
  readonly length: number;
}

/** Fields that are undefined aren't there natively. */
export interface NativeSend extends NativePiece {
  readonly qp: QpBox;
  /** Its place in the table of csrc/verbs/operations_wr.cc. */
  readonly opcode: number;
  readonly inline: boolean;
  readonly imm: number | undefined;
  readonly address: bigint | undefined;
  readonly rkey: number | undefined;
  readonly compareAdd: bigint;
  readonly swap: bigint;
  readonly ah: AhBox | undefined;
  readonly qpn: number | undefined;
  readonly qkey: number | undefined;
  readonly srqn: number | undefined;
}

/** What the operation's function keeps alive. */
interface Holding {
  readonly holds: readonly unknown[];
}

export interface NativeReceive extends NativePiece {
  readonly qp: QpBox | undefined;
  readonly srq: SrqBox | undefined;
}

export interface NativeStreamRequest extends Holding {
  readonly wrs: readonly NativeSend[];
  /** Both 0: there is no walk. */
  readonly step: number;
  readonly span: number;
  readonly postList: number;
  readonly txDepth: number;
  readonly cqMod: number;
  readonly cqePoll: number;
  readonly total: number;
  readonly events: boolean;
  readonly completions: Float64Array | undefined;
}

export interface NativeReceivesRequest extends Holding {
  readonly cq: CqBox;
  readonly wrs: readonly NativeReceive[];
  readonly postList: number;
  readonly cqePoll: number;
  readonly events: boolean;
}

export interface NativeStream {
  readonly post: Operation;
  readonly end: Operation;
  readonly state: StreamBox;
}

export interface NativeReceives {
  readonly take: Operation;
  readonly test: Operation;
  readonly state: ReceivesBox;
}

/** What csrc/verbs/operations*.cc export. */
export interface NativeOperations {
  bindPost(request: NativeSend & Holding & { readonly stamp: boolean }): Operation;
  bindComplete(request: Holding & { readonly cq: CqBox; readonly events: boolean }): Operation;
  bindWaitByte(request: Holding & { readonly buffer: Bytes; readonly offset: number }): Operation;
  bindStream(request: NativeStreamRequest): NativeStream;
  streamCompleted(stream: StreamBox): number;
  streamNoted(stream: StreamBox): number;
  /** Throws an Error where anything is outstanding, or the stream has failed. */
  streamRestart(stream: StreamBox, total: number): void;
  bindReceives(request: NativeReceivesRequest): NativeReceives;
  /** Throws an OperationError where the queue doesn't hold so many. */
  receivesFill(receives: ReceivesBox, count: number): void;
  receivesTaken(receives: ReceivesBox): number;
  receivesArrived(receives: ReceivesBox): number;
  receivesRestart(receives: ReceivesBox): void;
  bindBothWays(request: {
    readonly stream: NativeStreamRequest;
    readonly receives: NativeReceivesRequest;
    readonly after: boolean;
  }): { readonly stream: NativeStream; readonly receives: NativeReceives };
}
