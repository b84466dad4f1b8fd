/** Times of kernels: runs all lanes, launch by launch, and judges each cell. */
import { lanes } from './cells.mjs';
import { launchLane } from './duel.mjs';
import { judge, medianOfGroups, verdicts } from './statistics.mjs';
import { progress } from './text.mjs';

/** All launches of the lanes that have wanted cells. Returns those cells with `launches: [{ iterations, pairs }]`. */
export async function measureCells(wanted, { launches, pairs }) {
  const chosen = lanes(wanted);
  const measured = new Map(chosen.flatMap(({ cells }) => cells.map((cell) => [cell.id, { ...cell, launches: [] }])));
  for (let launch = 0; launch < launches; ++launch) {
    for (const lane of chosen) {
      progress(`launch ${launch + 1} of ${launches}: ${lane.pml} ${lane.kernel}, ${lane.cells.length} cells`);
      const results = await launchLane(lane, { pairs, offset: launch * pairs });
      for (const [id, result] of results) measured.get(id).launches.push(result);
    }
  }
  return [...measured.values()];
}

/** A cell's values by launch: `of` turns the seconds of one pair into a value. */
function valuesOf({ launches }, of) {
  return launches.map(({ iterations, pairs }) => pairs.map((pair) => of(pair, iterations)));
}

/** The cell as a row of the table of times. */
export function judgeCell(cell) {
  const { unit, neutral, of } = cell.figure;
  const values = valuesOf(cell, ({ subject, base }, iterations) => of(subject, base, iterations));
  const controls = valuesOf(cell, ({ control, base }, iterations) => of(control, base, iterations));
  const [figure, control] = [medianOfGroups(values), medianOfGroups(controls)];
  const verdict = cell.bound === undefined ? verdicts.reported : judge(figure, control, cell.bound, neutral);
  return { id: cell.id, unit, bound: cell.bound, figure, control, values, controls, verdict };
}

/** What the C program pays for stamping each iteration: nanoseconds, and per cent of the time without. */
export function samplingOf(cell) {
  const cost = valuesOf(cell, ({ base, around }, iterations) => ((base - around) / iterations) * 1e9);
  const share = valuesOf(cell, ({ base, around }) => (base / around - 1) * 100);
  return { id: cell.id, cost: medianOfGroups(cost), share: medianOfGroups(share) };
}
