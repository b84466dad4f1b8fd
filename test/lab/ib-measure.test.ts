/** Measuring over real verbs: every test and connection, options, and what validation finds. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groups, ITERATIONS, type MeasureCase, type Told } from './ib-measure-cases.js';
import { runPair } from './processes.js';

const SIDE = join(dirname(fileURLToPath(import.meta.url)), 'cases', 'ib-measure-side.js');
const PORT = 18600;
/** Of a group of cases, in the machine's emulation. */
const LIMIT = 400;

interface Outcome {
  readonly client: readonly Told[];
  readonly server: readonly Told[];
}

const lines = (text: string): Told[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);

async function runGroup(group: string): Promise<Outcome> {
  const side = (role: string): string[] => [process.execPath, SIDE, role, String(PORT), group];
  const { client, server, report } = await runPair(side('server'), side('client'), { port: PORT, limit: LIMIT });
  assert.deepEqual([server.code, client.code], [0, 0], report);
  return { client: lines(client.stdout), server: lines(server.stdout) };
}

const isPositive = (value: number | null | undefined): boolean =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);
const of = (told: readonly Told[], label: string): Told[] => told.filter((one) => one.label === label);

/** Both sides have come to the end of all sizes, with figures where this side measures. */
function checkFigures({ label, program, argv }: MeasureCase, { client, server }: Outcome): void {
  const [clients, servers] = [of(client, label), of(server, label)];
  assert.isNotEmpty(clients, label);
  assert.equal(clients.length, servers.length, label);
  const passive = /read|atomic/.test(program);
  for (const told of clients) {
    const rates = [told.bandwidth?.average, told.bandwidth?.messageRate];
    const times = [told.latency?.average, told.latency?.min, told.latency?.typical, told.latency?.max];
    assert.isTrue((program.endsWith('bw') ? rates : times).every(isPositive), JSON.stringify(told));
  }
  if (program.endsWith('lat'))
    for (const told of servers) assert.equal(told.latency === undefined, passive, JSON.stringify(told));
  if (program.endsWith('lat') && !argv.includes('-D'))
    for (const told of clients) assert.equal(told.samples, ITERATIONS - 1, JSON.stringify(told));
  if (argv.includes('-b')) for (const told of servers) assert.isTrue(isPositive(told.bandwidth?.average), label);
}

/** What of all bytes arrived wrong, on either side. */
const wrongBytes = ({ client, server }: Outcome, label: string): number | undefined => {
  const told = [...of(client, label), ...of(server, label)].map((one) => one.wrongBytes);
  return told.some((one) => one === undefined) ? undefined : told.reduce<number>((sum, one) => sum + (one ?? 0), 0);
};

function describeCases(what: string, group: string, check: (one: MeasureCase, all: Outcome) => void): void {
  const cases = groups[group] ?? [];
  describe(what, () => {
    let outcome: Outcome;
    before(async function () {
      this.timeout((LIMIT + 10) * 1000);
      outcome = await runGroup(group);
    });
    for (const one of cases) {
      it(one.label, () => {
        check(one, outcome);
      });
    }
  });
}

describe('measuring over verbs', () => {
  describeCases('every test and connection', 'matrix', (one, all) => {
    checkFigures(one, all);
    assert.equal(wrongBytes(all, one.label), one.argv.includes('--data_validation') ? 0 : undefined);
  });

  describeCases('options', 'options', (one, all) => {
    checkFigures(one, all);
    if (one.argv.includes('--data_validation')) assert.equal(wrongBytes(all, one.label), 0);
    const [told] = of(all.client, one.label);
    if (one.argv.includes('-W')) assert.isAbove(told?.counters?.[0]?.[1] ?? 0, 0);
    if (one.argv.includes('--cpu_util')) assert.isTrue(isPositive(told?.bandwidth?.cpuUtil));
    if (one.argv.includes('--rate_limit')) assert.isBelow(told?.bandwidth?.messageRate ?? Infinity, 1100);
  });

  describeCases('broken bytes', 'tampered', (one, all) => {
    assert.isAbove(wrongBytes(all, one.label) ?? 0, 0);
  });
});
