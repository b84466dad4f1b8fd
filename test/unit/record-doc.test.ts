/** docs/record.md: its tables are the schema's, and its examples work. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESULT_SCHEMA, type ResultRecord, type RowRecord } from '../../src/results/types.js';
import { projectRoot } from './project.js';
import { exampleHead, exampleRow } from './records.js';
import { strictSchemaErrors } from './schema.js';

const doc = readFileSync(join(projectRoot, 'docs/record.md'), 'utf8');

function rowOf(size: number, latency: number, verdict: 'steady' | 'drifting'): RowRecord {
  const row = exampleRow(size);
  const drift = { change: verdict === 'steady' ? 0 : 0.25, p: 0.5 };
  return {
    ...row,
    figures: { latency: { value: latency, unit: 's' } },
    statistics: row.statistics && { ...row.statistics, verdict, drift },
    samples: [0, 1].map((rank) => ({ rank, seconds: [latency, latency * (rank + 2)] })),
  };
}

function recordOf(rows: readonly RowRecord[], label?: string): ResultRecord {
  const head = exampleHead({ ...(label === undefined ? {} : { label }), ended: '2026-01-02T03:05:00.000Z' });
  return { schema: RESULT_SCHEMA, ...head, rows, warnings: [], status: { state: 'done' } };
}

const bandwidth = (size: number, value: number): RowRecord => ({
  ...{ ...exampleRow(size), figures: { bandwidth: { value, unit: 'B/s' } } },
});

/** The files that the examples read. */
const files: Readonly<Record<string, ResultRecord>> = {
  'latency.json': recordOf([rowOf(8, 0.5e-6, 'steady'), rowOf(16, 2e-6, 'drifting')]),
  'later.json': recordOf([rowOf(8, 0.75e-6, 'steady')], 'far'),
  'bandwidth.json': recordOf([bandwidth(8, 1e6), bandwidth(1024, 5e9), bandwidth(2048, 4e9)]),
};
const file = (name: keyof typeof files): ResultRecord => files[name] ?? expect.fail(`no ${name}`);
const rows = (name: keyof typeof files): readonly RowRecord[] => file(name).rows;
const latencyOf = ({ figures }: RowRecord): number => figures['latency']?.value ?? NaN;
const json = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** What each example, in this order, is to print: the same in JavaScript. */
const wanted: (() => string)[] = [
  () => rows('latency.json').map((row) => `${row.parameters.size}\t${latencyOf(row) * 1e6}\n`).join(''), // prettier-ignore
  () => json([1024, 5e9]),
  () => json([16, 'drifting', 0.25]),
  () => {
    const { mpi } = file('latency.json').environment;
    return `${mpi?.library}, PML ${mpi?.pml}, ${mpi?.transports?.join(' ')}\n`;
  },
  () => file('latency.json').ranks.map(({ rank, host, cores }) => `rank ${rank} on ${host}, cores ${cores?.join(',')}\n`).join(''), // prettier-ignore
  () => json(['far', 0.75e-6], [file('latency.json').run.started, 0.5e-6]),
  () =>
    json(
      ...rows('latency.json').map(({ parameters, samples = [] }) => [
        parameters.size,
        ...samples.map(({ rank, seconds }) => [rank, Math.max(...seconds)]),
      ]),
    ),
  () => json(true),
];

const examples = doc.split('\n').filter((line) => line.startsWith('jq '));

/** Numbers as one way to write them. */
const normal = (text: string): string => text.replace(/\d+(\.\d+)?(e[+-]?\d+)?/gi, (number) => String(Number(number)));

describe('docs/record.md', () => {
  it('has a table of every field, as the schema describes it', () => {
    const done = spawnSync(process.execPath, [join(projectRoot, 'scripts/record-doc.mjs')], { encoding: 'utf8' });
    expect([done.status, done.stderr]).to.deep.equal([0, '']);
  });

  it('names records that hold to the schema in its examples, each with its answer here', () => {
    for (const record of Object.values(files)) expect(strictSchemaErrors(record)).to.deep.equal([]);
    expect(examples).to.have.length(wanted.length);
    for (const example of examples) expect(example).to.match(/ (latency|later|bandwidth)\.json$/);
    for (const answer of wanted) expect(answer()).to.match(/\S\n$/);
  });

  it('has examples that say what they should', function () {
    const jq = spawnSync('jq', ['--version'], { encoding: 'utf8' });
    if (jq.status !== 0) return; // the answers above stay checked against the schema alone
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-jq-'));
    try {
      for (const [name, record] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(record));
      for (const [index, example] of examples.entries()) {
        const done = spawnSync('sh', ['-c', example], { cwd: folder, encoding: 'utf8' });
        expect([done.status, done.stderr], example).to.deep.equal([0, '']);
        expect(normal(done.stdout), example).to.equal(normal(wanted[index]?.() ?? ''));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
