/** Connections by librdmacm: queue pairs that it connects, and texts over them. */
import type { ConnectOptions, ProtectionDomain, QpOptions, QueuePair, VerbsContext } from './types.js';

export interface CmAddress {
  /** Name or address of an interface of RDMA's; of the peer for clients. */
  readonly host?: string;
  readonly port: number;
  readonly ipv6?: boolean;
  /** Of this side. */
  readonly source?: string;
  /** IP's type of service. */
  readonly tos?: number;
}

/** One connection that is being made. Every wait polls the process's cancelling and ends after its timeout. */
export interface CmId {
  /** The device that the route takes; known once resolved (client) or asked (server). */
  readonly context: VerbsContext;
  readonly port: number;
  /** Makes the queue pair of this connection, in states that the CM sees to. */
  createQp(pd: ProtectionDomain, options: QpOptions): QueuePair;
  /** Client: asks for the connection, with some private bytes; waits until it stands. */
  connect(options: CmParameters): void;
  /** Server: takes it; waits until it stands. */
  accept(options: CmParameters): void;
  /** Of the other side. */
  readonly privateData: Uint8Array;
  /** UD: how to reach the other side. */
  udPeer(): { readonly qpn: number; readonly qkey: number; readonly ah: import('./types.js').AddressHandle };
  /** Whether the other side has gone; where it has, why. */
  gone(): string | null;
  disconnect(): void;
  destroy(): void;
}

export type CmParameters = Pick<ConnectOptions, 'retryCount' | 'rnrRetry'> & {
  readonly responderResources: number;
  readonly initiatorDepth: number;
  /** At most 56 bytes. */
  readonly privateData?: Uint8Array;
};

export interface CmListener {
  /** The next connection asked for. Throws after `timeout` seconds. */
  accept(options: { readonly timeout: number }): CmId;
  close(): void;
}

export interface Cm {
  /** Resolves address and route. `ud`: in the port space of datagrams. */
  resolve(
    address: CmAddress & { readonly host: string },
    options: { readonly ud: boolean; readonly timeout: number },
  ): CmId;
  listen(address: CmAddress, options: { readonly ud: boolean }): CmListener;
}
