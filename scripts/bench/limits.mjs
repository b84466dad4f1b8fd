/** The bounds of what a rank costs before and beside its measuring, and whether they are met. */
import { BOUNDS } from './bounds.mjs';
import { crowds } from './crowd.mjs';
import { memories, projectFiles, startUpTriples } from './startup.mjs';
import { judge, judgeExact, medianOf, verdicts } from './statistics.mjs';
import { progress } from './text.mjs';

async function startUpOf(pml, id, count) {
  progress(`${id}: ${count} triples`);
  const triples = await startUpTriples(pml, count);
  const [values, controls] = ['subject', 'control'].map((name) => triples.map((triple) => triple[name] - triple.base));
  const [figure, control] = [medianOf(values), medianOf(controls)];
  const [ours, c] = ['subject', 'base'].map((name) => medianOf(triples.map((triple) => triple[name])));
  return {
    id,
    unit: 's',
    bound: BOUNDS.startUp,
    figure,
    control,
    values: values.map((value) => [value]), // each triple is a launch of its own
    controls: controls.map((value) => [value]),
    verdict: judge(figure, control, BOUNDS.startUp, 0),
    walls: { ours, c, difference: ours.median - c.median },
  };
}

/** Start-up over each PML, as rows of the table of times. */
export async function startUps(wanted, pmls, count) {
  const rows = [];
  for (const pml of pmls) {
    const id = `${pml} start-up osu_latency - C`;
    if (wanted(id)) rows.push(await startUpOf(pml, id, count));
  }
  return rows;
}

/** How many of the project's files each rank opens; no row when not wanted. */
export async function files(wanted, pmls) {
  const rows = [];
  for (const pml of pmls) {
    const id = `${pml} files of the project`;
    if (!wanted(id)) continue;
    progress(id);
    const ranks = await projectFiles(pml);
    if (ranks === undefined) progress(`${id}: can't be counted without strace (apt-get install strace)`);
    const verdict = ranks
      ? judgeExact(Math.max(...ranks.map((opened) => opened.length)), BOUNDS.files)
      : verdicts.noisy;
    rows.push({ id, ranks: ranks ?? [], verdict });
  }
  return rows;
}

/** Memory of each benchmark at its default sizes, and of the C program. */
export async function memoryUse(wanted, pmls) {
  const rows = [];
  for (const pml of pmls) {
    if (!wanted(`${pml} memory`)) continue;
    progress(`${pml} memory`);
    for (const { name, bounded, ranks } of await memories(pml)) {
      const most = Math.max(...ranks.map(({ VmHWM }) => VmHWM));
      const verdict = bounded ? judgeExact(most, BOUNDS.memory) : verdicts.reported;
      rows.push({ id: `${pml} memory ${name}`, ranks, verdict });
    }
  }
  return rows;
}

/** Jobs of many ranks, each run once: whether they finish, and in what wall time. */
export async function crowdRuns(wanted, pmls) {
  const rows = [];
  for (const { id, run } of pmls.flatMap(crowds).filter((crowd) => wanted(crowd.id))) {
    progress(id);
    const { seconds, flaw, report } = await run();
    if (flaw) progress(`${id} ${flaw}: ${report}`);
    rows.push({ id, seconds, flaw, verdict: flaw === undefined ? verdicts.met : verdicts.missed });
  }
  return rows;
}
