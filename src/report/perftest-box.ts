/** The box of the ib_* programs and the addresses below it, as perftest 4.5 prints them. */
import type { PerftestOptions, Verb } from '../cli/perftest-options.js';
import { hex, lines } from './perftest-format.js';
import type { PerftestAddress, PerftestHeader } from './perftest-types.js';

export const RULE = '-'.repeat(87);
const INDENT = ' '.repeat(20);
/** Words of the box. */
export const TRANSPORTS: Readonly<Record<PerftestHeader['transport'], string>> = {
  IB: 'IB',
  iWARP: 'IW',
  Unknown: 'Unknown',
};

/** The server's box around its one line. */
const STARS = '*'.repeat(36);
const VERB_TITLES: Readonly<Record<Verb, string>> = {
  send: 'Send',
  write: 'RDMA_Write',
  read: 'RDMA_Read',
  atomic: 'Atomic',
};

export function waitingText(): string {
  return lines(['', STARS, '* Waiting for client to connect... *', STARS]);
}

/** What the client of a server that connects by rdma_cm must know. */
export function waitingForCmText(): string {
  return lines([
    ' Waiting for client rdma_cm QP to connect',
    ' Please run the same command with the IB/RoCE interface IP',
    RULE,
  ]);
}

/** E.g. `RDMA_Write Bidirectional BW Test`. */
export function titleOf({ verb, kind, atomicType, bidirectional, postList }: PerftestOptions): string {
  const words = [
    VERB_TITLES[verb],
    ...(verb === 'atomic' ? [atomicType] : []),
    ...(bidirectional ? ['Bidirectional'] : []),
    ...(postList > 1 ? ['Post List'] : []),
    ...(kind === 'bw' ? ['BW'] : ['Latency']),
    'Test',
  ];
  return words.join(' ');
}

export function boxText(options: PerftestOptions, header: PerftestHeader): string {
  return lines([RULE, INDENT + titleOf(options), ...boxLines(options, header), RULE]);
}

function boxLines(options: PerftestOptions, header: PerftestHeader): string[] {
  const { meeting, path } = options;
  const exchange = meeting.rdmaCm || meeting.rdmaCmExchange ? 'rdma_cm' : 'Ethernet';
  return [
    ...(options.events ? [` Test with events. Using ${header.device}_comp${options.vector}`] : []),
    `${line('Dual-port', 'OFF')}\t\t${cell('Device', header.device)}`,
    `${line('Number of qps', options.qps)}\t\t${cell('Transport type', TRANSPORTS[header.transport])}`,
    `${line('Connection type', options.connection)}\t\t${cell('Using SRQ', onOff(header.usingSrq))}`,
    line('PCIe relax order', onOff(options.relaxedOrdering)),
    line('ibv_wr* API', onOff(header.wrApi)),
    ...depthLines(options, header),
    line('Mtu', `${header.mtu}[B]`),
    line('Link type', header.linkLayer),
    ...(header.gidIndex === undefined ? [] : [line('GID index', header.gidIndex)]),
    limitLine(options, header),
    ` rdma_cm QPs\t : ${onOff(meeting.rdmaCm)}`,
    line('Data ex. method', exchange) + (path.tos === undefined ? '' : ` \tTOS    : ${path.tos}`),
  ];
}

/** Depths of what this side does: the side that sends, the side that receives, or both. */
function depthLines(options: PerftestOptions, header: PerftestHeader): string[] {
  const { verb, kind, bidirectional, postList, recvPostList } = options;
  const sends = bidirectional || (header.sender ?? true);
  const receives = verb === 'send' && (bidirectional || !sends);
  return [
    ...(sends ? [line('TX depth', header.txDepth)] : []),
    ...(postList > 1 ? [line('Post List', postList)] : []),
    ...(recvPostList > 1 ? [line('Recv Post List', recvPostList)] : []),
    ...(receives ? [line('RX depth', header.rxDepth)] : []),
    ...(kind === 'bw' ? [line('CQ Moderation', header.cqMod)] : []),
  ];
}

function limitLine({ verb }: PerftestOptions, { maxInline, outstandingReads }: PerftestHeader): string {
  const reads = verb === 'read' || verb === 'atomic';
  return reads ? line('Outstand reads', outstandingReads ?? 0) : line('Max inline data', `${maxInline}[B]`);
}

export function addressText(which: 'local' | 'remote', address: PerftestAddress): string {
  const { lid, qpn, psn, outReads, rkey, vaddr, srqn, gid } = address;
  const words = [
    `LID ${hex(lid, 4)} QPN ${hex(qpn, 6)} PSN ${hex(psn, 6)}`,
    ...(outReads === undefined ? [] : [`OUT ${hex(outReads, 4)}`]),
    ...(rkey === undefined || vaddr === undefined ? [] : [`RKey ${hex(rkey, 8)} VAddr ${hex(vaddr, 16)}`]),
    ...(srqn === undefined ? [] : [`SRQn ${hex(srqn, 8)}`]),
  ];
  return lines([` ${which} address: ${words.join(' ')}`, ...(gid === undefined ? [] : [` GID: ${gidText(gid)}`])]);
}

/** The bytes in decimal, as perftest has them. */
function gidText(gid: Uint8Array): string {
  return Array.from(gid, (byte) => String(byte).padStart(2, '0')).join(':');
}

function cell(name: string, value: string | number): string {
  return `${name.padEnd(15)}: ${value}`;
}

function line(name: string, value: string | number): string {
  return ` ${name.padEnd(16)}: ${value}`;
}

function onOff(on: boolean): string {
  return on ? 'ON' : 'OFF';
}
