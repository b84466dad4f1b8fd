#!/usr/bin/env node
/**
 * How long records take: writing one with 10^6 samples, comparing two of those, importing text of 10,000 lines, a report of
 * 20 records. Usage: node scripts/bench/records.mjs [--rounds N] [--only PATTERN] [--json FILE]
 * Commands are timed as a user sees them, from the start of the process to its end. Exit code: 1 when the median of the
 * rounds is above a bound, 2 when something can't be measured, else 0.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { JsonReporter } from '../../build/ts/src/report/json.js';
import { recordTarget } from '../../build/ts/src/report/record-target.js';
import { SampleStore } from '../../build/ts/src/bench/measure/samples.js';
import { seeded } from '../../build/ts/test/unit/random.js';
import { exampleHead } from '../../build/ts/test/unit/records.js';
import { inProject } from '../lib/project.mjs';
import { exitCode, judgeExact, medianOf } from './statistics.mjs';
import { progress, say, table } from './text.mjs';

const SIZES = Array.from({ length: 10 }, (_, index) => 2 ** (index + 3));
const MILLION = 1e6;
const LINES = 10_000;
const RECORDS = 20;
/** Of a run of osu_latency with its usual sizes and iterations. */
const USUAL = Array.from({ length: 23 }, (_, index) => ({ size: 2 ** index, n: index < 14 ? 10_000 : 1000 }));
const nowhere = { write: () => undefined };

/** What a size's iterations took, in seconds: nearly equal times, and some that are far longer. */
function durations(size, n, random) {
  return Float64Array.from(
    { length: n },
    () => (2e-6 + size / 4e9) * (0.95 + 0.1 * random() + (random() < 0.01 ? 5 : 0)),
  );
}

/** What a run hands to its record: rows as they come, with their statistics. */
function rowsOf(sizes, seed) {
  const random = seeded(seed);
  return sizes.map(({ size, n }) => {
    const seconds = durations(size, n, random);
    const store = new SampleStore({ convert: (value) => value / 2 });
    store.add(seconds);
    const statistics = { ...store.statistics(), figure: 'latency', unit: 's' };
    const row = {
      parameters: { size, datatype: 'MPI_CHAR' },
      n,
      figures: { latency: { value: statistics.mean, unit: 's' } },
      statistics,
    };
    return { seconds, row };
  });
}

function write(file, rows, name = 'osu_latency') {
  const reporter = new JsonReporter(recordTarget(file, nowhere), { samples: true });
  reporter.begin(exampleHead({ name }));
  for (const { seconds, row } of rows) {
    reporter.samples(0, seconds);
    reporter.row(row);
  }
  reporter.end({ state: 'done' });
}

/** Texts that people kept, again and again. */
function manyLines() {
  const folder = inProject('test/fixtures/captured');
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const lines = kept.join('\n').split('\n');
  return Array.from({ length: LINES }, (_, index) => lines[index % lines.length]).join('\n');
}

function run(...words) {
  const { status, stderr, signal } = spawnSync(process.execPath, [inProject('dist/fabricbench.js'), ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`fabricbench ${words[0]} ended with ${signal ?? status}: ${stderr}`);
}

/** Prepares each case in a folder, and gives what is timed. */
const CASES = {
  'write 10^6 samples': {
    bound: 1,
    prepare(folder) {
      const rows = rowsOf(
        SIZES.map((size) => ({ size, n: MILLION / SIZES.length })),
        1,
      );
      return () => write(join(folder, 'written.json'), rows);
    },
  },
  'compare 10^6 samples with as many': {
    bound: 2,
    prepare(folder) {
      const files = ['a', 'b'].map((name, seed) => {
        const file = join(folder, `${name}.json`);
        write(
          file,
          rowsOf(
            SIZES.map((size) => ({ size, n: MILLION / SIZES.length })),
            seed + 2,
          ),
        );
        return file;
      });
      return () => run('compare', ...files);
    },
  },
  'import 10,000 lines': {
    bound: 0.3,
    prepare(folder) {
      const [from, to] = ['lines.txt', 'lines.json'].map((name) => join(folder, name));
      writeFileSync(from, manyLines());
      return () => run('import', from, '-o', to);
    },
  },
  'report of 20 records with samples': {
    bound: 3,
    prepare(folder) {
      const files = Array.from({ length: RECORDS }, (_, index) => join(folder, `run-${index}.json`));
      for (const [index, file] of files.entries()) write(file, rowsOf(USUAL, index + 10));
      const page = join(folder, 'report.html');
      return () => run('report', ...files, '-o', page);
    },
  },
};

function measured(name, { bound, prepare }, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-records-'));
  try {
    progress(`${name} ...`);
    const action = prepare(folder);
    const seconds = Array.from({ length: rounds }, () => {
      const from = performance.now();
      action();
      return (performance.now() - from) / 1000;
    });
    const bytes = Math.max(...readdirSync(folder).map((file) => statSync(join(folder, file)).size));
    return { name, bound, seconds, median: medianOf(seconds).median, largestFile: bytes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds takes a positive integer, not ${values.rounds}`);
  const pattern = new RegExp(values.only);
  const results = Object.entries(CASES).filter(([name]) => pattern.test(name)).map(([name, one]) => measured(name, one, rounds)); // prettier-ignore
  if (results.length === 0)
    throw new Error(`--only ${values.only} chooses nothing of: ${Object.keys(CASES).join('; ')}`);
  const text = (value) => value.toFixed(3);
  table(
    `Seconds, of ${rounds} rounds`,
    ['', 'median', 'least', 'most', 'bound', ''],
    results.map(({ name, bound, seconds, median }) => [name, text(median), text(Math.min(...seconds)), text(Math.max(...seconds)), String(bound), judgeExact(median, bound)]), // prettier-ignore
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  say();
  process.exitCode = exitCode(results.map(({ median, bound }) => judgeExact(median, bound)));
}

try {
  main();
} catch (error) {
  progress(error.message);
  process.exitCode = 2;
}
