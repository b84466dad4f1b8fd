/** `--bind` and `--membind` as they are written. */
import { bad, good, parseCpuList, parseInteger, type Checked } from '../cli/values.js';
import { formatCpuList } from '../engine/affinity.js';
import type { BindSpec, MemorySpec } from './types.js';

/** No kernel has a higher number of a node. */
const MOST_NODES = 2 ** 20;

const PLAIN = { keep: { kind: 'keep' }, spread: { kind: 'spread' }, compact: { kind: 'compact' } } as const;

export const BIND_FORMS =
  'near:DEV, far:DEV, numa:N, spread, compact, keep, core:N, or N,N,... with one for each local rank';

function listOf(text: string): BindSpec | undefined {
  const threads = parseCpuList(text);
  return threads && { kind: 'list', threads };
}

/** What stands after a colon. */
const WITH_ARGUMENT: Readonly<Record<string, (text: string) => BindSpec | undefined>> = {
  core: listOf,
  near: (device) => (device === '' ? undefined : { kind: 'near', device }),
  far: (device) => (device === '' ? undefined : { kind: 'far', device }),
  numa: (text) => {
    const node = parseInteger(text, 0, MOST_NODES);
    return node === undefined ? undefined : { kind: 'numa', node };
  },
};

function specOf(text: string): BindSpec | undefined {
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text as keyof typeof PLAIN];
  const colon = text.indexOf(':');
  if (colon < 0) return listOf(text);
  const word = text.slice(0, colon);
  return Object.hasOwn(WITH_ARGUMENT, word) ? WITH_ARGUMENT[word]?.(text.slice(colon + 1)) : undefined;
}

export function parseBind(text: string): Checked<BindSpec> {
  const spec = specOf(text);
  return spec ? good(spec) : bad(`"${text}" is no place to run: give ${BIND_FORMS}`);
}

/** As it may be written; lists in the order of the ranks. */
export function bindText(spec: BindSpec): string {
  switch (spec.kind) {
    case 'keep':
    case 'spread':
    case 'compact':
      return spec.kind;
    case 'list':
      return spec.threads.join(',');
    case 'near':
    case 'far':
      return `${spec.kind}:${spec.device}`;
    case 'numa':
      return `numa:${spec.node}`;
  }
}

/** Without an argument the text is empty, which means `local`. */
export function parseMembind(text: string): Checked<MemorySpec> {
  if (text === '' || text === 'local') return good({ kind: 'local' });
  const node = parseInteger(text, 0, MOST_NODES);
  return node === undefined
    ? bad(`"${text}" is no NUMA node: give its number, or local`)
    : good({ kind: 'node', node });
}

export function membindText(spec: MemorySpec): string {
  return spec.kind === 'local' ? 'local' : String(spec.node);
}

/** Numbers in a sentence: ascending in the kernel's notation. */
export function numbersText(numbers: readonly number[]): string {
  return formatCpuList([...numbers].sort((a, b) => a - b));
}
