/** The rows of a run as a table for people: the figures and what they are worth, in the units that the program shows. */
import type { EnvironmentRecord, RankRecord } from '../../results/types.js';
import { columnsOf } from './columns.js';
import type { RunSoFar } from '../kept-run.js';
import type { Cell, Column } from './types.js';

/** How numbers of a unit are shown. */
interface Shown {
  readonly unit: string;
  readonly scale: number;
  readonly decimals: number;
}

const MIB = 2 ** 20;

/** osu_* count megabytes by 10^6 and the others by 2^20, and a table says what theirs says. */
function shownUnits(program: string): Readonly<Record<string, Shown>> {
  const bandwidth = program.startsWith('osu_')
    ? { unit: 'MB/s', scale: 1e-6, decimals: 2 }
    : { unit: 'MiB/s', scale: 1 / MIB, decimals: 2 };
  return {
    s: { unit: 'us', scale: 1e6, decimals: 3 },
    'B/s': bandwidth,
    '1/s': { unit: '1/s', scale: 1, decimals: 0 },
    '%': { unit: '%', scale: 1, decimals: 1 },
    B: { unit: 'bytes', scale: 1, decimals: 0 },
  };
}

export function markdownText(run: RunSoFar): string {
  const { head, rows, warnings, status } = run;
  const parts = [
    `# ${head.run.name}`,
    facts(run).map((fact) => `- ${fact}`).join('\n'), // prettier-ignore
    ...(rows.length > 0 ? [table(run).join('\n')] : []),
    ...(warnings.length > 0 ? [warnings.map((warning) => `> warning: ${escaped(warning)}`).join('\n>\n')] : []),
    ...(status.message === undefined ? [] : [`**${escaped(status.message)}**`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function facts({ head: { run, environment, ranks }, status }: RunSoFar): string[] {
  const ended = run.ended === null ? '' : ` to ${run.ended}`;
  return [
    ...(run.label === undefined ? [] : [`label: ${escaped(run.label)}`]),
    `${status.state}, ${run.started}${ended}`,
    `command: ${code(run.commandLine.join(' '))}`,
    `layer: ${escaped([run.layer, ...stackOf(environment)].join(', '))}`,
    ...environment.hosts.map(
      ({ name, cpuModel, kernel }) =>
        `host: ${escaped([name, cpuModel, kernel].filter((part) => part !== null).join(', '))}`,
    ),
    `ranks: ${escaped(ranks.map(placeOf).join('; '))}`,
  ];
}

function stackOf({ mpi, ucx, verbs }: EnvironmentRecord): string[] {
  return [
    ...(mpi ? [mpi.library ?? mpi.family, mpi.pml && `PML ${mpi.pml}`, mpi.device, mpi.transports?.join(' ')] : []),
    ...(ucx?.version ? [`UCX ${ucx.version}`] : []),
    verbs?.device,
  ].filter((part) => typeof part === 'string' && part !== '') as string[];
}

/** Many cores are where the kernel likes. */
const MOST_CORES_SHOWN = 4;

function placeOf({ rank, host, cores }: RankRecord): string {
  const many = cores === null || cores.length > MOST_CORES_SHOWN;
  return `${rank} on ${host}${many ? '' : ` core ${cores.join(',')}`}`;
}

function table({ head, rows }: RunSoFar): string[] {
  const units = shownUnits(head.run.name);
  const columns = columnsOf(rows).filter(({ main }) => main === true);
  const shown = columns.map((column) => ({ column, unit: units[column.unit ?? ''] }));
  const names = shown.map(({ column: { name, unit: own }, unit }) => {
    const named = unit?.unit ?? own;
    return escaped(named === undefined ? name : `${name} (${named})`);
  });
  const align = columns.map((column) => (isNumeric(column, rows) ? '---:' : '---'));
  const cells = rows.map((row) => shown.map(({ column, unit }) => cellText(column.cell(row), unit)));
  return [names, align, ...cells].map((line) => `| ${line.join(' | ')} |`);
}

function isNumeric({ cell }: Column, rows: RunSoFar['rows']): boolean {
  return rows.every((row) => ['number', 'object'].includes(typeof cell(row)));
}

function cellText(cell: Cell, unit: Shown | undefined): string {
  if (cell === null) return '';
  if (typeof cell !== 'number' || !unit) return escaped(String(cell));
  return (cell * unit.scale).toFixed(unit.decimals);
}

/** Words that Markdown would take as its own stay words, and stay in their cell. */
function escaped(text: string): string {
  return text.replace(/[\\|*_`<>]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Between as many backticks as the text itself doesn't have. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text.replace(/\s+/g, ' ')}${space}${fence}`;
}
