/** Messages of verbs.node, as csrc/verbs/channel*.cc have them. Arguments are not checked there. */
import { loadAddon } from '../engine/load.js';
import type { Bytes, Operation } from '../engine/types.js';
import type { CqBox, MrBox, QpBox, VerbsBox } from './native-types.js';

export type LinkBox = VerbsBox<'link'>;

export interface NativeLine {
  readonly frames: QpBox;
  readonly bulk: QpBox;
  readonly in: MrBox;
  readonly out: MrBox;
  readonly remoteAddress: bigint;
  readonly remoteKey: number;
}

export interface NativeCall {
  readonly link: LinkBox;
  /** Of the line; not for calls of the whole link. */
  readonly index?: number;
  readonly size?: number;
  readonly window?: number;
  readonly buffers?: readonly Bytes[];
  /** One for each buffer; none where messages of the size go in frames. */
  readonly regions?: readonly MrBox[];
  /** What the operation keeps alive. */
  readonly holds: readonly unknown[];
}

export interface NativeChannels {
  /** Frames that may be under way, bytes of a slot for one, large messages under way, bytes of a small message at most. */
  verbsLinkLayout(): { slots: number; slotBytes: number; bulk: number; eager: number };
  verbsLink(request: { by: MessagesBy; cq: CqBox; lines: readonly NativeLine[] }): LinkBox;
  verbsLinkClose(link: LinkBox): void;
  verbsLinkLeave(link: LinkBox, index: number): void;
  channelSend(call: NativeCall): Operation;
  channelReceive(call: NativeCall): Operation;
  channelStartSends(call: NativeCall): Operation;
  channelStartReceives(call: NativeCall): Operation;
  channelCompleteSends(call: NativeCall): Operation;
  channelCompleteReceives(call: NativeCall): Operation;
  linkProgress(call: NativeCall): Operation;
  linkFlush(call: NativeCall): Operation;
}

/** By which call messages go. */
export type MessagesBy = 'send' | 'write' | 'read';

export function channelsNative(): NativeChannels {
  return loadAddon('verbs') as NativeChannels;
}
