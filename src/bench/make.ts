/** What every rank runs: of what make fabricbench, MPI and the rest of it are, and whether that is the same everywhere. */
import { hostname } from 'node:os';
import type { Selection } from '../mpi/selection.js';
import { VERSION } from './version.js';

/** What a rank says of itself first of all. Fields are only ever added: ranks of other versions are to understand it. */
export interface Make {
  readonly host: string;
  readonly fabricbench: string;
  /** Text of the MPI library. */
  readonly mpi: string;
  readonly ucx: string | null;
  readonly node: string;
}

export function ownMake({ library, ucx }: Pick<Selection, 'library' | 'ucx'>): Make {
  return { host: hostname(), fabricbench: VERSION, mpi: library, ucx, node: process.version };
}

/** What comes of comparing the makes of all ranks. */
export interface Alike {
  /** Why they can't run together, in a sentence; null where they can. */
  readonly refusal: string | null;
  /** What differs and may be meant. */
  readonly warnings: readonly string[];
}

/** Hosts that a sentence names at most for each version. */
const NAMED = 3;

/**
 * Compares what ranks run, by rank. Of another fabricbench or another MPI a rank may wait for messages that never come, and
 * figures would be of neither.
 */
export function compareMakes(makes: readonly Make[]): Alike {
  const fabricbench = difference(makes, (make) => make.fabricbench);
  const mpi = difference(makes, (make) => shortMpi(make.mpi));
  const refusal =
    fabricbench === null
      ? mpi && `the ranks run different versions of MPI: ${mpi}; install one and the same on all nodes`
      : `the ranks run different versions of fabricbench: ${fabricbench}; install one and the same on all nodes`;
  const kinds = [
    ['builds of MPI', difference(makes, (make) => make.mpi)],
    ['versions of UCX', difference(makes, (make) => make.ucx ?? 'none')],
    ['versions of Node', difference(makes, (make) => make.node)],
  ] as const;
  const warnings = kinds.flatMap(([what, found]) =>
    found === null ? [] : [`the ranks run different ${what}: ${found}`],
  );
  return { refusal, warnings: refusal === null ? warnings : [] };
}

/** Name and version, without how and when the library was built. */
function shortMpi(library: string): string {
  return library.replace(/,.*$/, '').replace(/ MPICH (Release|ABI|Device).*$/, '');
}

/** Each version and who has it, in words; null where all have the same. The version that most have comes first. */
function difference(makes: readonly Make[], versionOf: (make: Make) => string): string | null {
  const holders = new Map<string, { host: string; rank: number }[]>();
  for (const [rank, make] of makes.entries()) {
    const version = versionOf(make);
    holders.set(version, [...(holders.get(version) ?? []), { host: make.host, rank }]);
  }
  if (holders.size < 2) return null;
  const byCount = [...holders].sort(([, a], [, b]) => b.length - a.length);
  return byCount.map(([version, those]) => `${version} on ${namesOf(those)}`).join(', ');
}

/** Hosts, each with its first rank that is meant. */
function namesOf(holders: readonly { host: string; rank: number }[]): string {
  const first = new Map<string, number>();
  for (const { host, rank } of holders) if (!first.has(host)) first.set(host, rank);
  const names = [...first].slice(0, NAMED).map(([host, rank]) => `${host} (rank ${rank})`);
  const rest = first.size - names.length;
  return rest === 0 ? names.join(' and ') : `${names.join(', ')} and ${rest} more`;
}
