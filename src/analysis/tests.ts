/** Which tests do the same through different layers, so that they can be held against each other. */
import { perftests } from '../bench/suites/perftest.js';
import { ucxTest } from '../bench/suites/ucx-perftest.js';
import type { ResultRecord, RowRecord } from '../results/types.js';

/** What a row's test is. */
export interface Test {
  /** Program, or for ucx_perftest the test: `osu_bw`, `put_lat`. */
  readonly name: string;
  readonly program: string;
  /** `verbs`, `uct`, `ucp`, `mpi`, ... */
  readonly layer: string;
  /** What it does, in words that are the same in all layers: `write`, `send`; else its name. */
  readonly operation: string;
  readonly measures: 'latency' | 'bandwidth' | 'other';
}

/** From the wire up. */
export const LAYERS: readonly string[] = ['verbs', 'uct', 'ucp', 'mpi'];

/** How far up a layer is; those that aren't known are above all others. */
export function levelOf(layer: string): number {
  const level = LAYERS.indexOf(layer);
  return level < 0 ? LAYERS.length : level;
}

/** Layers as people write them. */
export function layerName(layer: string): string {
  return layer === 'verbs' ? layer : layer.toUpperCase();
}

const UCX_OPERATIONS: Readonly<Record<string, string>> = {
  am: 'send',
  tag: 'send',
  stream: 'send',
  tag_sync: 'synchronous send',
  put: 'write',
  get: 'read',
  add: 'atomic add',
  fadd: 'fetch-and-add',
  swap: 'swap',
  cswap: 'compare-and-swap',
};

/** Of the OSU programs, those whose ranks do what a test of another layer does. */
const OSU_OPERATIONS: Readonly<Record<string, readonly [operation: string, measures: Test['measures']]>> = {
  osu_latency: ['send', 'latency'],
  osu_bw: ['send', 'bandwidth'],
  osu_put_latency: ['write', 'latency'],
  osu_put_bw: ['write', 'bandwidth'],
  osu_get_latency: ['read', 'latency'],
  osu_get_bw: ['read', 'bandwidth'],
  osu_fop_latency: ['fetch-and-add', 'latency'],
  osu_cas_latency: ['compare-and-swap', 'latency'],
};

/** What a row was measured by. Programs that aren't known here stand for themselves. */
export function testOf({ run }: ResultRecord, { parameters }: RowRecord): Test {
  const { test } = parameters;
  if (typeof test === 'string') return ucxTestOf(run.name, run.layer, test);
  const verbs = perftests.find(({ name }) => name === run.name);
  const base = { name: run.name, program: run.name, layer: run.layer };
  if (verbs) {
    const operation = verbs.verb === 'atomic' ? atomicOf(parameters['atomic']) : verbs.verb;
    return { ...base, layer: 'verbs', operation, measures: verbs.kind === 'lat' ? 'latency' : 'bandwidth' };
  }
  const [operation, measures] = OSU_OPERATIONS[run.name] ?? [run.name, 'other'];
  return { ...base, operation, measures };
}

function ucxTestOf(program: string, layer: string, name: string): Test {
  const test = ucxTest(name);
  const measures = test?.metric === 'overhead' ? 'bandwidth' : 'latency';
  if (!test) return { name, program, layer, operation: name, measures: name.endsWith('_bw') ? 'bandwidth' : 'latency' };
  return { name, program, layer: test.api, operation: UCX_OPERATIONS[test.command] ?? name, measures };
}

function atomicOf(type: unknown): string {
  return type === 'CMP_AND_SWAP' ? 'compare-and-swap' : 'fetch-and-add';
}
