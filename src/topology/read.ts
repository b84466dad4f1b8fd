/** Reads a topology by hwloc: this machine's, a file's, or one that is described. */
import { readFileSync, statSync } from 'node:fs';
import { assemble } from './assemble.js';
import { contradiction } from './consistent.js';
import { TopologyError } from './errors.js';
import { hwloc, type NativeTopology, type ReadFailure } from './native.js';
import { checkSynthetic } from './synthetic.js';
import type { Topology, TopologyRequest } from './types.js';

/** Above any machine's, and below what takes a noticeable time to read. */
const MOST_BYTES = 64 * 2 ** 20;

type Source = Topology['source'];

/**
 * Reads a topology: of the file or description asked for; without either of those that HWLOC_XMLFILE or HWLOC_SYNTHETIC
 * name, as hwloc itself would; else of this machine, with what this process may use now.
 *
 * @param load for tests
 * @throws LoadError where fabricbench was built without hwloc; TopologyError where the file or description is no good
 */
export function readTopology(request: TopologyRequest = {}, load: () => NativeTopology = hwloc): Topology {
  const source = sourceOf(request);
  const xml = source.kind === 'xml' ? contentsOf(source.name) : null;
  const synthetic = source.kind === 'synthetic' ? checkSynthetic(source.name) : null;
  const native = load();
  const raw = native.read(xml, synthetic, request.devices ?? 'all');
  if ('step' in raw) throw new TopologyError(explain(raw, source, native.version, xml));
  const problem = source.kind === 'machine' ? undefined : contradiction(raw, xml);
  if (problem !== undefined)
    throw new TopologyError(`the topology ${source.name} can't be read: it is malformed, for ${problem}: ${HOW}`);
  const topology = assemble(raw, source, native.version);
  return source.kind === 'machine'
    ? { ...topology, source: { kind: 'machine', name: topology.hostname ?? '' } }
    : topology;
}

/** Where both variables are set hwloc takes the description. */
function sourceOf({ xml, synthetic }: TopologyRequest): Source {
  if (xml !== undefined && synthetic !== undefined) {
    throw new TopologyError('a topology comes from a file or from a description: name one of them');
  }
  if (xml !== undefined) return { kind: 'xml', name: xml };
  if (synthetic !== undefined) return { kind: 'synthetic', name: synthetic };
  const { HWLOC_SYNTHETIC: described, HWLOC_XMLFILE: file } = process.env;
  if (described) return { kind: 'synthetic', name: described };
  return file ? { kind: 'xml', name: file } : { kind: 'machine', name: '' };
}

const systemText = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'it may not be read';
  return message;
};

function contentsOf(path: string): string {
  const cannot = (cause: string): TopologyError => new TopologyError(`the topology ${path} can't be read: ${cause}`);
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw cannot('it is no regular file');
    if (stats.size > MOST_BYTES) throw cannot(`it is longer than ${MOST_BYTES / 2 ** 20} MiB, which no topology is`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof TopologyError ? error : cannot(systemText(error));
  }
  if (!text.includes('<topology') || text.includes('\0')) throw cannot(`it is no XML of lstopo: ${HOW}`);
  return text;
}

const HOW = 'write one with lstopo FILE.xml on the machine that is meant';

/** The major version of the hwloc that wrote a file, where it is above this one's, whose files alone this one reads. */
function laterVersion(xml: string, own: number): number | undefined {
  const version = Number(/<topology\s[^>]*?\bversion="(\d+)/.exec(xml)?.[1] ?? 0);
  return version > own ? version : undefined;
}

function explain({ step, text }: ReadFailure, { kind, name }: Source, version: string, xml: string | null): string {
  if (step === 'library') return `hwloc can't be started (${text}): build fabricbench again with npm run build`;
  if (step === 'fork')
    return `the topology ${name} can't be tried out in a process of its own (${text}): end some others`;
  const own = Number.parseInt(version, 10);
  const later = xml === null ? undefined : laterVersion(xml, own);
  if (later !== undefined) {
    return `the topology ${name} can't be read: hwloc ${later} wrote it, and this one is ${version}: write one with lstopo of hwloc ${own}, or build fabricbench with hwloc ${later}`;
  }
  if (kind === 'xml') return `the topology ${name} can't be read: hwloc finds it malformed: ${HOW}`;
  if (kind === 'synthetic') {
    return `hwloc does not understand the topology "${name}": describe one as "package:2 numa:1 core:4 pu:2"`;
  }
  return `hwloc can't read this machine's topology (${text}): see whether lstopo can`;
}
