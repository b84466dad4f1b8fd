/** What was found, for people: 80 columns, colour where it is asked for. */
import picocolors from 'picocolors';
import { wrap } from '../cli/wrap.js';
import { spoils } from './examine.js';
import type { Difference, Finding, NodeReport, Verdict } from './types.js';
import { count } from './words.js';

const WIDTH = 80;
/** Of the verdict, and of the check's name. */
const VERDICT = 8;
const NAME = 18;
/** What matters most comes first. */
const VERDICTS: readonly Verdict[] = ['bad', 'note', 'unknown', 'good'];

export interface TextOptions {
  readonly colour: boolean;
}

type Paint = (verdict: Verdict, text: string) => string;

function painter({ colour }: TextOptions): Paint {
  const { red, green, yellow, cyan } = picocolors.createColors(colour);
  const paints = { good: green, bad: red, note: yellow, unknown: cyan };
  return (verdict, text) => paints[verdict](text);
}

/** A word before its text, which is wrapped below itself. A long name has a line of its own. */
function labelled(label: string, text: string, indent: number): string[] {
  const fits = label.length < indent;
  const lines = wrap(text, WIDTH - indent).map((line) => `${' '.repeat(indent)}${line}`);
  return fits ? [`${label.padEnd(indent)}${lines[0]?.slice(indent) ?? ''}`, ...lines.slice(1)] : [label, ...lines];
}

const INDENT = VERDICT + NAME;

/** A line of what was found, and where that isn't good what is wanted and how to get it. */
function findingLines({ check, verdict, found, wanted, mend }: Finding, paint: Paint): string[] {
  const [first = '', ...rest] = labelled(`${verdict.padEnd(VERDICT)}${check}`, found, INDENT);
  const more = [
    ...labelled(`${' '.repeat(VERDICT)}  wanted`, wanted, INDENT),
    ...(mend === null ? [] : labelled(`${' '.repeat(VERDICT)}  mend`, mend, INDENT)),
  ];
  return [`${paint(verdict, verdict)}${first.slice(verdict.length)}`, ...rest, ...more];
}

function summary(findings: readonly Finding[]): string {
  const counts = VERDICTS.map(
    (verdict) => [verdict, findings.filter((one) => one.verdict === verdict).length] as const,
  );
  const told = counts.filter(([, number]) => number > 0).map(([verdict, number]) => `${number} ${verdict}`);
  return `${count(findings.length, 'finding')}: ${told.join(', ')}`;
}

/** `node1, node2 and 14 more` */
const MOST_NAMES = 8;
function names(hosts: readonly string[]): string {
  const shown = hosts.slice(0, MOST_NAMES).join(', ');
  return hosts.length > MOST_NAMES ? `${shown} and ${hosts.length - MOST_NAMES} more` : shown;
}

const sorted = (findings: readonly Finding[], wanted: readonly Verdict[]): Finding[] =>
  wanted.flatMap((verdict) => findings.filter((one) => one.verdict === verdict));

const headOf = ({ ranks, findings }: NodeReport, hosts: readonly string[]): string =>
  `${names(hosts)}${ranks === null ? '' : `, ${count(ranks, 'rank')}${hosts.length > 1 ? ' each' : ''}`}: ${summary(findings)}`;

/** Of several nodes only what wants a look is told, once for all of which it is true word for word. */
function groupLines(nodes: readonly NodeReport[], paint: Paint): string[] {
  const wanted = nodes.length > 1 ? VERDICTS.filter((verdict) => verdict !== 'good') : VERDICTS;
  const groups = new Map<string, NodeReport[]>();
  for (const node of nodes) {
    const told = JSON.stringify([node.ranks, sorted(node.findings, wanted), summary(node.findings)]);
    groups.set(told, [...(groups.get(told) ?? []), node]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const hosts = group.map(({ host }) => host);
    const lines = sorted(first.findings, wanted).flatMap((one) => findingLines(one, paint));
    return [...wrap(headOf(first, hosts), WIDTH), '', ...lines, ...(lines.length > 0 ? [''] : [])];
  });
}

function differenceLines(differences: readonly Difference[], nodes: number, paint: Paint): string[] {
  if (nodes < 2) return [];
  if (differences.length === 0)
    return [`${paint('good', 'good')}    nothing that was looked at differs between the ${nodes} nodes`, ''];
  const lines = differences.flatMap(({ fact, values }) => {
    const told = values.map(({ value, hosts }) => `${value ?? 'none'}: ${names(hosts)}`);
    const [first = '', ...rest] = wrap(`differs between nodes: ${fact}: ${told.join('; ')}`, WIDTH - VERDICT);
    return [
      `${paint('bad', 'bad')}${' '.repeat(VERDICT - 3)}${first}`,
      ...rest.map((line) => `${' '.repeat(VERDICT)}${line}`),
    ];
  });
  return [...lines, ''];
}

export function doctorText(
  nodes: readonly NodeReport[],
  differences: readonly Difference[],
  options: TextOptions,
): string {
  const paint = painter(options);
  const end = spoils(nodes, differences)
    ? 'What is bad would spoil results.'
    : 'Nothing was found that would spoil results.';
  return [...groupLines(nodes, paint), ...differenceLines(differences, nodes.length, paint), end, ''].join('\n');
}

export function doctorJson(nodes: readonly NodeReport[], differences: readonly Difference[]): string {
  return `${JSON.stringify({ spoils: spoils(nodes, differences), nodes, differences }, null, 2)}\n`;
}
