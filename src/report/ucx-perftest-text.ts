/** What ucx_perftest shows, byte for byte as 1.13.1 does, but for the points of docs/differences.md. */
import type { UcxTestOptions } from '../cli/ucx-perftest-options.js';
import {
  csvHeader,
  csvRow,
  percentileText,
  severalRow,
  singleRow,
  statisticsLine,
  type RowFormat,
} from './ucx-perftest-rows.js';
import type { UcxPerftestText, UcxTestFacts, UcxTextOptions } from './ucx-perftest-types.js';

const BOX_WIDTH = 108;
/** The peer's, which is too short for its box. */
const HEADER_SIZE_WIDTH = 92;
const LABEL_WIDTH = 10;
const BOX_RULE = `+${'-'.repeat(BOX_WIDTH - 2)}+`;
const GROUPS_RULE = rule([14, 14, 30, 21, 23]);
const COLUMNS_RULE = rule([14, 14, 10, 9, 9, 10, 10, 11, 11]);

const LAYOUT_NAMES = { short: 'short', shortiov: 'short iov', bcopy: 'bcopy', zcopy: 'zcopy' } as const;

/** Everything that one side of ucx_perftest shows on stdout, but for its help. */
export function ucxPerftestText(options: UcxTextOptions): UcxPerftestText {
  return options.csv ? csvText(options) : tableText(options);
}

function greeting(): Pick<UcxPerftestText, 'waiting' | 'accepted'> {
  return {
    waiting: () => 'Waiting for connection...\n',
    accepted: (peer) => `Accepted connection from ${peer}\n`,
  };
}

function tableText(options: UcxTextOptions): UcxPerftestText {
  const format: RowFormat = { thousands: options.thousands };
  const batch = options.batchFiles.length > 0;
  return {
    ...greeting(),
    parameters: (test, testOptions) => lines(boxLines(test, testOptions, batch)),
    header: (test) => lines(headerLines(options, test, batch)),
    label: (labels) => (labels.length === 0 || options.finalOnly ? '' : lines([labelRule(labels)])),
    progress: (thread, figures) => (options.finalOnly ? '' : lines([singleRow(`[thread ${thread}]`, figures, format)])),
    final: (figures, labels, { several = false, info } = {}) => {
      const label = options.finalOnly ? labels.join('/').padStart(LABEL_WIDTH) : 'Final:'.padEnd(LABEL_WIDTH);
      const row = several ? severalRow(label, figures, format) : singleRow(label, figures, format);
      const shown = options.extraInfo ? `${row}  ${info ?? ''}` : row;
      return lines([shown, ...(options.stats && figures.statistics ? [statisticsLine(figures.statistics)] : [])]);
    },
  };
}

function csvText(options: UcxTextOptions): UcxPerftestText {
  return {
    ...greeting(),
    // stdout of a process that talks to itself is the CSV.
    parameters: (test, testOptions) =>
      testOptions.loopback ? '' : lines(boxLines(test, testOptions, options.batchFiles.length > 0)),
    header: () => lines([csvHeader(options)]),
    label: () => '',
    progress: (_, figures, labels) => (options.finalOnly ? '' : lines([csvRow(options, labels, figures)])),
    final: (figures, labels, { several = false } = {}) => lines([csvRow(options, labels, figures, several)]),
  };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

/** The box of a server ends with a rule; that of a process for both sides is followed by the table's. */
function boxLines(test: UcxTestFacts, options: UcxTestOptions, batch: boolean): string[] {
  const end = options.loopback ? [] : [BOX_RULE];
  if (batch) return end;
  const size = options.sizes.reduce((sum, piece) => sum + piece, 0);
  const isAm = test.api === 'ucp' && test.name.startsWith('ucp_am_');
  return [
    BOX_RULE,
    boxLine('API:', test.api === 'uct' ? 'transport layer' : 'protocol layer'),
    boxLine('Test:', test.description),
    boxLine('Data layout:', test.api === 'uct' ? LAYOUT_NAMES[options.layout] : '(automatic)'),
    boxLine('Send memory:', options.memoryTypes[0]),
    boxLine('Recv memory:', options.memoryTypes[1]),
    boxLine('Message size:', String(size)),
    ...(isAm ? [boxLine('AM header size:', String(options.amHeader ?? 0), HEADER_SIZE_WIDTH)] : []),
    ...end,
  ];
}

function boxLine(name: string, value: string, width = BOX_WIDTH): string {
  return `${`| ${name.padEnd(13)} ${value}`.padEnd(width - 1)}|`;
}

function headerLines(options: UcxTextOptions, test: UcxTestFacts, batch: boolean): string[] {
  // Batch files may hold tests of both kinds, and the heading stands above all of them.
  const metric = batch && options.testGiven !== true ? 'overhead' : test.metric;
  const title = metric === 'latency' ? '        latency (usec)        ' : '       overhead (usec)        ';
  const stage = options.finalOnly ? '     Test     ' : '    Stage     ';
  const percentile = `${percentileText(options.percentile).padStart(4)}%ile`;
  return [
    GROUPS_RULE,
    `|              |              |${title}|   bandwidth (MB/s)  |  message rate (msg/s) |`,
    COLUMNS_RULE,
    `|${stage}| # iterations | ${percentile} | average | overall |  average |  overall |  average  |  overall  |`,
    COLUMNS_RULE,
  ];
}

function labelRule(labels: readonly string[]): string {
  const label = labels.join('/');
  return `+${label}${COLUMNS_RULE.slice(1 + label.length)}`;
}

function rule(widths: readonly number[]): string {
  return `+${widths.map((width) => `${'-'.repeat(width)}+`).join('')}`;
}
