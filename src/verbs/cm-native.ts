/** Connections by librdmacm, as csrc/verbs/cm.cc exports them. What it throws has a property `reason`. */
import { loadAddon } from '../engine/load.js';
import type { AhBox, ContextBox, NativeQp, PdBox, QpBox, VerbsBox } from './native-types.js';

export type CmBox = VerbsBox<'cm'>;
export type CmListenerBox = VerbsBox<'cm-listener'>;

export interface NativeCmAddress {
  readonly host: string | undefined;
  readonly port: number;
  readonly ipv6: boolean;
  readonly source: string | undefined;
  readonly tos: number | undefined;
  readonly qpTimeout: number | undefined;
  readonly ud: boolean;
}

export interface NativeCmParameters {
  readonly responderResources: number;
  readonly initiatorDepth: number;
  readonly retryCount: number;
  readonly rnrRetry: number;
  readonly privateData: Uint8Array | undefined;
}

/** Seconds that are negative are for ever. */
export interface NativeCm {
  cmResolve(address: NativeCmAddress, seconds: number): CmBox;
  cmListen(address: NativeCmAddress): CmListenerBox;
  cmListenerPort(listener: CmListenerBox): number;
  cmAcceptRequest(listener: CmListenerBox, seconds: number): CmBox | null;
  cmCloseListener(listener: CmListenerBox): void;
  cmContext(cm: CmBox): ContextBox;
  cmFacts(cm: CmBox): { readonly port: number; readonly peer: string };
  cmCreateQp(cm: CmBox, pd: PdBox, options: NativeQp): QpBox;
  cmConnect(cm: CmBox, parameters: NativeCmParameters, seconds: number): void;
  cmAccept(cm: CmBox, parameters: NativeCmParameters, seconds: number): void;
  cmReject(cm: CmBox, why: string): void;
  cmPrivateData(cm: CmBox): Uint8Array;
  cmUdPeer(cm: CmBox, pd: PdBox): { readonly qpn: number; readonly qkey: number; readonly ah: AhBox };
  cmGone(cm: CmBox): string | null;
  cmDisconnect(cm: CmBox): void;
  cmDestroy(cm: CmBox): void;
  /** A local socket, whose bytes cross over the connection; the caller closes it. */
  cmConnectStream(cm: CmBox, seconds: number): { readonly fd: number; readonly peer: string };
  cmAcceptStream(cm: CmBox, seconds: number): { readonly fd: number; readonly peer: string };
}

/** Throws `LoadError` where verbs.node wasn't built, or libibverbs or librdmacm are missing. */
export function cmNative(): NativeCm {
  return loadAddon('verbs') as NativeCm;
}
