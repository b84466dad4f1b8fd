/** Figures and findings of a map in words. */
import { KINDS, type FigureName } from './figures.js';
import type { Evidence, Finding } from './verdict.js';

/** With its unit. */
export function figureText(name: FigureName, value: number): string {
  if (Number.isNaN(value)) return '-';
  if (name === 'latency') return `${rounded(value * 1e6)} us`;
  return name === 'bandwidth' ? `${rounded(value / 1e6)} MB/s` : rounded(value);
}

/** Three digits, without an exponent. */
export function rounded(value: number): string {
  if (Math.abs(value) >= 1000) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

export function subjectText({ kind, nodes: [first = -1, second = -1] }: Finding, names: readonly string[]): string {
  const name = (node: number): string => names[node] ?? String(node);
  if (kind === 'host') return `host ${name(first)}`;
  return kind === 'link' ? `link ${name(first)} - ${name(second)}` : `direction ${name(first)} -> ${name(second)}`;
}

function wayText(
  { kind, nodes: [first = -1, second = -1] }: Finding,
  { way }: Evidence,
  names: readonly string[],
): string {
  if (way === 'both' || kind === 'direction') return '';
  if (kind === 'host') return way === 'out' ? ' when it sends' : ' when it receives';
  const [from, to] = way === 'out' ? [first, second] : [second, first];
  return ` to ${names[to] ?? to} from ${names[from] ?? from}`;
}

/** Powers of ten, for a bound that is far from exact. */
function chanceText(chance: number): string {
  if (chance >= 0.01) return `${rounded(100 * chance)} %`;
  const power = Math.floor(-Math.log10(Math.max(chance, 1e-300)));
  return `1 in ${power > 3 ? `10^${power}` : String(10 ** power)}`;
}

/** `latency 4.1 us, 2.05 times the 2 us expected; in 5 of 5 repeats, false alarm less likely than 1 in 10^6`. */
export function evidenceText(finding: Finding, evidence: Evidence, names: readonly string[]): string {
  const { figure, measured, expected, factor, hits, tries, falseAlarm } = evidence;
  const what = `${KINDS[figure].words}${wayText(finding, evidence, names)} ${figureText(figure, measured)}`;
  const often = `in ${hits} of ${tries} repeats, a false alarm with a chance below ${chanceText(falseAlarm)}`;
  return `${what}, ${rounded(factor)} times the ${figureText(figure, expected)} expected; ${often}`;
}
