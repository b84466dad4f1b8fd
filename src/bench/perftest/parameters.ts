/** What both sides must have been told alike. The peer compares nothing, and hangs where it differs. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Json } from '../../results/types.js';
import { agree } from '../meeting/refusal.js';
import type { Party } from '../meeting/party.js';
import { PerftestRefusal } from './types.js';

type Parameters = Readonly<Record<string, Json>>;

/** By the words of the options that set them. */
export function parametersOf(options: PerftestOptions): Parameters {
  const { verb, kind, connection, duration, meeting } = options;
  return {
    test: `ib_${verb}_${kind}`,
    'connection (-c)': connection,
    'message size (-s)': options.sizes.length === 1 ? (options.sizes[0] ?? null) : options.sizes,
    'iterations (-n)': duration ? null : options.iterations,
    'duration (-D)': duration?.seconds ?? null,
    'margin (-f)': duration?.margin ?? null,
    'queue pairs (-q)': options.qps,
    'both ways (-b)': kind === 'bw' && options.bidirectional,
    'reversed roles (--reversed)': options.reversed,
    ...(verb === 'atomic' ? { 'atomic (-A)': options.atomicType } : {}),
    'immediate data (--write_with_imm, --send_with_imm)': options.withImm,
    'data validation (--data_validation)': options.validate,
    'warm-up (--perform_warm_up)': options.warmUp,
    'running on (--run_infinitely)': options.runInfinitely,
    'queue pairs by rdma_cm (-R)': meeting.rdmaCm,
  };
}

function shown(value: Json | undefined): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', '');
}

/** What differs, in words; empty where nothing does. */
export function differences(here: Parameters, there: Parameters): string[] {
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])];
  return names
    .map((name) => ({ name, own: shown(here[name]), other: shown(there[name]) }))
    .filter(({ own, other }) => own !== other)
    .map(({ name, own, other }) => `${name} is ${own} here and ${other} there`);
}

/**
 * Sees to it that all sides were told the same.
 *
 * @throws PerftestRefusal on all of them, naming everything that differs, as each sees it
 */
export function compareParameters({ world, pair, role }: Party, options: PerftestOptions): void {
  const own = parametersOf(options);
  const said = pair.allgather(own);
  const others = role === 'client' ? said.slice(-1) : said.slice(0, -1);
  const found = others.map((other) => differences(own, other)).find((differing) => differing.length > 0);
  const refusal = found
    ? new PerftestRefusal(`the two sides differ: ${found.join(', ')}; give both the same options`)
    : null;
  agree(world, refusal);
}
