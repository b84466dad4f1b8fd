/** What the bench of overhead prints. */
import { BOUNDS, CROWD } from './bounds.mjs';
import { verdicts } from './statistics.mjs';
import { counts, estimate, say, table } from './text.mjs';

const digitsOf = ({ unit }) => (unit.startsWith('ns') ? 2 : 4);

function timeRow(row) {
  const digits = digitsOf(row);
  const unit = (text) => `${text} ${row.unit}`.trim();
  const bound = row.bound === undefined ? '' : unit(row.bound);
  const pairs = `${row.values.flat().length} in ${row.values.length}`;
  return [row.id, unit(estimate(row.figure, digits)), bound, estimate(row.control, digits), pairs, row.verdict];
}

/** All pairs of a figure that can't be told, launch by launch. */
function allPairs(row) {
  const digits = digitsOf(row);
  say(`\nAll pairs of ${row.id}, a line per launch; its A/A control in brackets:`);
  row.values.forEach((launch, n) => {
    const pairs = launch.map((value, pair) => `${value.toFixed(digits)} (${row.controls[n][pair].toFixed(digits)})`);
    say(`  ${pairs.join('  ')}`);
  });
}

function memoryRow({ id, ranks, verdict }) {
  const each = (field) => ranks.map((rank) => (rank[field] / 1e6).toFixed(1)).join(' / ');
  return [id, ...['VmHWM', 'RssAnon', 'RssFile', 'RssShmem'].map(each), verdict];
}

/** Prints everything that was found, and last how many bounds were met. */
export function print({ times, startUps, sampling, files, memory, crowds }) {
  const columns = ['what', 'median [95 % CI]', 'at most', 'A/A control', 'pairs in launches', 'verdict'];
  table('Times', columns, [...times, ...startUps].map(timeRow));
  const walls = ({ id, walls: { ours, c, difference } }) => [
    id,
    estimate(ours, 3),
    estimate(c, 3),
    difference.toFixed(3),
  ];
  table('Wall time (s)', ['what', 'ours', 'C', 'difference of the medians'], startUps.map(walls));
  table(
    'What stamping each iteration costs the C program, against its variant that reads the clock around the loop',
    ['what', 'ns per iteration', '% of the time'],
    sampling.map(({ id, cost, share }) => [id, estimate(cost, 1), estimate(share, 1)]),
  );
  const counted = files.map(({ id, ranks, verdict }) => [id, ranks.map((rank) => rank.length).join(' / '), verdict]);
  table(
    `Files (and folders) of the project opened, by rank: at most ${BOUNDS.files}`,
    ['what', 'files', 'verdict'],
    counted,
  );
  for (const { ranks } of files) say(`    ${(ranks[0] ?? []).join(' ')}`);
  table(
    `Memory by rank in MB: VmHWM at most ${BOUNDS.memory / 1e6}, shared mappings included`,
    ['what', 'VmHWM', 'RssAnon', 'RssFile', 'RssShmem', 'verdict'],
    memory.map(memoryRow),
  );
  table(
    `Jobs of ${CROWD} ranks, which must finish within ${BOUNDS.crowd} s`,
    ['what', 'wall time (s)', 'verdict'],
    crowds.map(({ id, seconds, flaw, verdict }) => [id, seconds.toFixed(1), flaw ? `${verdict}: ${flaw}` : verdict]),
  );
  for (const row of [...times, ...startUps]) if (row.verdict === verdicts.noisy) allPairs(row);
  const all = [times, startUps, files, memory, crowds].flat().map(({ verdict }) => verdict);
  say(`\n${counts(all, Object.values(verdicts))}`);
}
