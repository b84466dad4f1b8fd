/** Two values of one thing in as few words as tell them apart: `Open MPI 4.1.4 / 5.0.2`, `--bind=14 / 0`. */

export const NOT_THERE = 'none';

export function pairText(a: string, b: string): string {
  const start = sharedStart(a, b);
  return `${a} / ${b.slice(start) === '' ? b : b.slice(start)}`;
}

/** The length of what both begin with, up to a blank or an equals sign. */
function sharedStart(a: string, b: string): number {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same += 1;
  const before = a.slice(0, same);
  return Math.max(before.lastIndexOf(' '), before.lastIndexOf('=')) + 1;
}

/** Words of two command lines that differ, each with the option before it. */
export function wordDifferences(a: readonly string[], b: readonly string[]): string[] {
  return hunks(a, b).map(({ fromA, toA, fromB, toB }) => {
    const option = a[fromA - 1];
    const lead = option?.startsWith('-') && !option.includes('=') && option === b[fromB - 1] ? [option] : [];
    const [left, right] = [a.slice(fromA, toA), b.slice(fromB, toB)].map((words) => [...lead, ...words].join(' '));
    return pairText(textOr(left, lead), textOr(right, lead));
  });
}

function textOr(text: string | undefined, lead: readonly string[]): string {
  return text === undefined || text === '' ? [...lead, NOT_THERE].join(' ') : text;
}

interface Hunk {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** What lies between the words of the longest sequence that both have. */
function hunks(a: readonly string[], b: readonly string[]): Hunk[] {
  const matches = [...commonWords(a, b), [a.length, b.length] as const];
  let [fromA, fromB] = [0, 0];
  const found: Hunk[] = [];
  for (const [toA, toB] of matches) {
    if (toA > fromA || toB > fromB) found.push({ fromA, toA, fromB, toB });
    [fromA, fromB] = [toA + 1, toB + 1];
  }
  return found;
}

function commonWords(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j) {
      const row = lengths[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
