/** Connections by librdmacm: queue pairs that it connects, and texts over them. What goes wrong is a ControlError. */
import type { Connection, Listener } from '../engine/control.js';
import type { AddressHandle, ConnectOptions, ProtectionDomain, QpOptions, QueuePair, VerbsContext } from './types.js';

export interface CmAddress {
  /** Name or address of an interface of RDMA's; of the peer for clients. Listeners: all interfaces where it isn't there. */
  readonly host?: string;
  /** 0 for any that is free (listeners). */
  readonly port: number;
  readonly ipv6?: boolean;
  /** Of this side (clients). */
  readonly source?: string;
  /** IP's type of service, 0 to 255 (clients). */
  readonly tos?: number;
  /** Local ACK timeout of connected queue pairs: 4.096 us * 2^n (default: what the path gives). */
  readonly qpTimeout?: number;
}

/** One connection that is being made. Every wait polls the process's cancelling and ends after its timeout. */
export interface CmId {
  /** librdmacm's own opening of the device that the route takes: all that the queue pair uses must be made of it. */
  readonly context: VerbsContext;
  /** The device's. */
  readonly port: number;
  /** Of the other side, e.g. `10.0.0.1:18515`. */
  readonly peer: string;
  /** Makes the queue pair of this connection (RC or, by datagrams, UD), in states that the CM sees to. */
  createQp(pd: ProtectionDomain, options: QpOptions): QueuePair;
  /** Client: asks for the connection, with some private bytes; waits until it stands. */
  connect(options: CmParameters): void;
  /** Server: takes it; waits until it stands. */
  accept(options: CmParameters): void;
  /** Server: refuses it; the client's error says why (at most 148 bytes). */
  reject(why: string): void;
  /** Of the other side, padded with zeros: a client's from the beginning, a server's once connected. */
  readonly privateData: Uint8Array;
  /** UD: how to reach the other side, once connected. */
  udPeer(pd: ProtectionDomain): { readonly qpn: number; readonly qkey: number; readonly ah: AddressHandle };
  /** Whether the other side has gone; where it has, why. Datagrams never say. */
  gone(): string | null;
  disconnect(): void;
  /** Disconnects too. Its queue pair must have been destroyed. */
  destroy(): void;
}

export type CmParameters = Pick<ConnectOptions, 'retryCount' | 'rnrRetry'> & {
  /** RDMA reads and atomics that the other side may have outstanding here, and this side there. */
  readonly responderResources: number;
  readonly initiatorDepth: number;
  /** At most 56 bytes; 52 for UD. */
  readonly privateData?: Uint8Array;
  /** Seconds (default 30). */
  readonly timeout?: number;
};

export interface CmListener {
  readonly port: number;
  /** The next connection asked for; null after `timeout` seconds (default: for ever). */
  accept(options?: { readonly timeout?: number }): CmId | null;
  close(): void;
}

export interface CmResolveOptions {
  /** In the port space of datagrams. */
  readonly ud: boolean;
  /** Seconds. */
  readonly timeout: number;
}

export interface Cm {
  /** Resolves address and route. */
  resolve(address: CmAddress & { readonly host: string }, options: CmResolveOptions): CmId;
  listen(address: CmAddress, options: { readonly ud: boolean }): CmListener;
  /** A control connection over SENDs of a connection by rdma_cm, in place of TCP's: its methods are the same. */
  connectTexts(address: CmAddress & { readonly host: string }, options?: { readonly timeout?: number }): Connection;
  listenTexts(address: CmAddress): Listener;
}
