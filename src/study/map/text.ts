/** A map in text: what was done, what the figures are, and the verdict. */
import { formatBytes } from '../../cli/values.js';
import type { Effort } from './budget.js';
import { KINDS } from './figures.js';
import { summariesOf, type FigureSummary } from './summary.js';
import type { FamilySummary, Survey } from './survey.js';
import type { Finding } from './verdict.js';
import { evidenceText, figureText, rounded, subjectText } from './words.js';

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** `8 bytes`, `64 KiB`. */
function bytesText(bytes: number): string {
  const text = formatBytes(bytes);
  return /\d$/.test(text) ? plural(bytes, 'byte') : text.replace(/(\d+)(\w)/, '$1 $2iB');
}

/** What is done with each pair. */
export function effortText(effort: Effort): string {
  const { latencySize, latencyIterations, size, window, windows } = effort;
  const pings = `${latencyIterations} messages of ${bytesText(latencySize)} there and back`;
  const streams = `${plural(windows, 'window')} of ${window} x ${bytesText(size)} each way`;
  return [...(latencyIterations > 0 ? [pings] : []), ...(windows > 0 ? [streams] : [])].join(', ');
}

/** What the clock has taken away; none where all that was wanted was done. */
export function droppedText({ plan, rounds, nodes }: Survey, wanted: Effort, timeLimit: number): string[] {
  const { effort } = plan;
  const lines: string[] = [];
  if (rounds < plan.of) {
    const share = rounded((100 * rounds) / plan.of);
    lines.push(
      `${timeLimit} s suffice for ${rounds} of ${plan.of} rounds: each of ${nodes} nodes was measured with ${rounds} others, ${share} % of the pairs`,
    );
  }
  if (JSON.stringify(effort) !== JSON.stringify(wanted))
    lines.push(`to end within ${timeLimit} s each pair got ${effortText(effort)}, in place of ${effortText(wanted)}`);
  return lines;
}

function linkText([from, to]: readonly [number, number], symmetric: boolean, names: readonly string[]): string {
  return `${names[from] ?? '?'} ${symmetric ? '-' : '->'} ${names[to] ?? '?'}`;
}

function summaryLine(summary: FigureSummary, names: readonly string[]): string[] {
  const { figure, best, median, worst10, worst1, worst, worstLink } = summary;
  const cells = [best, median, worst10, worst1, worst].map((value) => figureText(figure, value));
  return [figure, ...cells, linkText(worstLink, KINDS[figure].symmetric, names)];
}

/** Columns, the first and the last to the left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === row.length - 1
          ? cell.padEnd(widths[column] ?? 0)
          : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

export function figuresText({ grids }: Survey, names: readonly string[]): string {
  const head = ['', 'best', 'median', 'worst 10 %', 'worst 1 %', 'worst', 'which is'];
  return `${aligned([head, ...summariesOf(grids).map((one) => summaryLine(one, names))]).join('\n')}\n`;
}

function findingText(finding: Finding, names: readonly string[]): string {
  const lines = finding.evidence.map((one) => `    ${evidenceText(finding, one, names)}`);
  return [`  ${subjectText(finding, names)}`, ...lines].join('\n');
}

/** Too many to be faults. */
function commonText({ figure, subject, threshold, tests, beyond }: FamilySummary): string {
  const factor = rounded(KINDS[figure].worse > 0 ? Math.exp(threshold) : Math.exp(-threshold));
  const than = KINDS[figure].worse > 0 ? 'at least' : 'at most';
  const what = `${beyond} of ${tests} ${subject === 'link' ? 'links' : 'hosts'}`;
  return `${KINDS[figure].words}: ${what} have ${than} ${factor} times what is expected: too many for faults, so it is how this network or its load is, and none of them is accused`;
}

/** What the map says, in sentences without the marks of lists. */
export function verdictLines(survey: Survey, names: readonly string[]): string[] {
  const { findings, unsettled, families, tooFew, falseAlarms } = survey;
  if (tooFew)
    return [
      `no verdict: with ${plural(survey.nodes, 'node')} nobody can tell whether a host or a link is to blame; give 4 or more`,
    ];
  const percent = rounded(100 * falseAlarms);
  const none = `no outlier: no host, link or direction is slower than it should be in repeated measurements`;
  const some = `${plural(findings.length, 'outlier')} (a map without a fault accuses anybody with a chance below ${percent} %):`;
  const open = `${plural(unsettled.length, 'suspect')} of which it did not become sure before the time was over:`;
  return [
    findings.length === 0 ? none : some,
    ...findings.map((one) => findingText(one, names)),
    ...(unsettled.length > 0 ? [open, ...unsettled.map((one) => findingText(one, names))] : []),
    ...families.filter(({ common }) => common).map(commonText),
    ...families.filter((one) => !one.common && one.beyond > one.suspects).map(cutText),
  ];
}

const cutText = ({ figure, subject, beyond, suspects }: FamilySummary): string =>
  `${KINDS[figure].words}: of ${beyond} suspect ${subject}s only the ${suspects} worst were measured again`;
