/** Slurm's short form of node names: `node[1-3,7],login1`. */

/** More than any cluster has: a typing error must not fill the memory. */
const MOST = 100_000;

/** The names that it stands for, in its order; undefined where it is none. */
export function expandHostlist(text: string): string[] | undefined {
  const parts = splitOutside(text);
  if (parts.some((part) => part === '')) return undefined;
  const names: string[] = [];
  for (const part of parts) {
    const expanded = expandPart(part);
    if (expanded === undefined || names.length + expanded.length > MOST) return undefined;
    names.push(...expanded);
  }
  return names;
}

/** At the commas that stand outside of brackets. */
const splitOutside = (text: string): string[] => text.split(/,(?![^[]*\])/);

/** One name, or one with brackets: what stands before them goes with all that is in them, and with what follows. */
function expandPart(part: string): string[] | undefined {
  const match = /^([\w.-]*)\[([\d,-]+)\](.*)$/.exec(part);
  if (match === null) return /^[\w.-]+$/.test(part) ? [part] : undefined;
  const [, before = '', inside = '', after = ''] = match;
  const numbers = inside.split(',').map(expandRange);
  const rests = after === '' ? [''] : expandPart(after);
  if (rests === undefined || numbers.some((range) => range === undefined)) return undefined;
  return numbers.flatMap((range) => (range ?? []).flatMap((number) => rests.map((rest) => before + number + rest)));
}

/** `007-012` keeps its zeros. */
function expandRange(text: string): string[] | undefined {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, first = '', last = first] = match;
  const count = Number(last) - Number(first) + 1;
  if (!(count >= 1 && count <= MOST)) return undefined;
  return Array.from({ length: count }, (_, index) => String(Number(first) + index).padStart(first.length, '0'));
}
