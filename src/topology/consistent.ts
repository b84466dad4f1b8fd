/** What is wrong with a topology that hwloc has read and not refused: it believes what files say of sets of processors. */
import { parseCpuList } from '../engine/affinity.js';
import type { RawObject, RawTopology } from './native.js';

/** Words of XML, those of hwloc 1 among them. */
const ELEMENTS = [
  { type: 'pu', element: /<object type="PU"/g, words: 'processors' },
  { type: 'core', element: /<object type="Core"/g, words: 'cores' },
  { type: 'package', element: /<object type="(?:Package|Socket)"/g, words: 'packages' },
  { type: 'numa', element: /<object type="(?:NUMANode|Node)"/g, words: 'NUMA nodes' },
] as const;

const MADE_OF_PROCESSORS: readonly string[] = ['package', 'cache', 'core'] satisfies RawObject['type'][];

/** hwloc takes out in silence what has no processors, and all that is below it. */
function lost({ objects }: RawTopology, xml: string): string | undefined {
  const text = xml.replace(/<!--.*?-->/gs, '');
  for (const { type, element, words } of ELEMENTS) {
    const named = text.match(element)?.length ?? 0;
    const kept = objects.filter((object) => object.type === type).length;
    if (kept < named) return `only ${kept} of its ${named} ${words} are anywhere`;
  }
  return undefined;
}

function processorsOf({ objects }: RawTopology): string | undefined {
  const threads = objects.filter(({ type }) => type === 'pu');
  if (threads.length === 0) return 'it has no processors';
  if (new Set(threads.map(({ os }) => os)).size < threads.length) return 'two processors have one number';
  const other = threads.find(({ os, cpus }) => cpus !== String(os));
  return other && `the set of processor ${other.os} is ${other.cpus || 'empty'}`;
}

/** The processors below each object of a list that has parents first. */
function below(objects: readonly RawObject[]): number[][] {
  const members: number[][] = objects.map(() => []);
  for (const [place, { type, os, parent }] of [...objects.entries()].reverse()) {
    const own = members[place] ?? [];
    if (type === 'pu') own.push(os);
    members[parent]?.push(...own);
  }
  return members;
}

function sets({ objects }: RawTopology): string | undefined {
  const members = below(objects);
  const wrong = objects.find(({ type, cpus }, place) => {
    if (!MADE_OF_PROCESSORS.includes(type)) return false;
    return parseCpuList(cpus).join() !== [...(members[place] ?? [])].sort((a, b) => a - b).join();
  });
  return wrong && `the set of ${wrong.type} ${wrong.logical} is not that of the processors below it`;
}

/** NUMA nodes are beside the parts of a machine: theirs are any of the processors that there are. */
function nodes({ objects }: RawTopology): string | undefined {
  const all = new Set(objects.filter(({ type }) => type === 'pu').map(({ os }) => os));
  const wrong = objects.find(({ type, cpus }) => type === 'numa' && parseCpuList(cpus).some((cpu) => !all.has(cpu)));
  return wrong && `NUMA node ${wrong.os} has processors that there are not`;
}

/**
 * A contradiction in a topology that does not come from this machine, in words; undefined where there is none.
 *
 * @param xml the file's contents; null of a description
 */
export function contradiction(raw: RawTopology, xml: string | null): string | undefined {
  return (xml === null ? undefined : lost(raw, xml)) ?? processorsOf(raw) ?? sets(raw) ?? nodes(raw);
}
