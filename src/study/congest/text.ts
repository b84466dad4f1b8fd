/** `fabricbench congest` as text. */
import { formatBytes } from '../../cli/values.js';
import { MEASURES, type Compared, type Factor, type Impact, type Measure } from './measure.js';
import type { CongestOptions } from './options.js';
import { VICTIMS, type Roles } from './roles.js';
import { verdictOf } from './verdict.js';

const NAMES: Readonly<Record<Measure, string>> = { mean: 'mean', median: 'P50', p99: 'P99', p999: 'P99.9', max: 'max' };
const HEADS = ['#', 'Isolated(us)', 'Congested(us)', 'Factor', '95% low', '95% high', 'Control', '95% low', '95% high'];
const WIDTHS = [8, 14, 15, 10, 10, 10, 10, 10, 10];

const line = (texts: readonly string[]): string =>
  `${texts.map((text, index) => (index === 0 ? text.padEnd(WIDTHS[0] ?? 8) : text.padStart(WIDTHS[index] ?? 10))).join('')}\n`;

const factorTexts = ({ value, interval }: Factor): string[] => [
  value.toFixed(3),
  ...(interval ? [interval.low.toFixed(3), interval.high.toFixed(3)] : ['-', '-']),
];

function measureLine(measure: Measure, compared: Compared | null): string {
  if (!compared) return line([NAMES[measure], ...HEADS.slice(1).map(() => '-')]);
  const { isolated, congested, factor, control } = compared;
  const times = [isolated, congested].map((seconds) => (seconds * 1e6).toFixed(2));
  return line([NAMES[measure], ...times, ...factorTexts(factor), ...factorTexts(control)]);
}

/** Ranks as ranges where they follow each other; long lists are cut. */
function ranksText(ranks: readonly number[]): string {
  const shown = ranks.slice(0, 8).join(',');
  return ranks.length > 8 ? `${shown},... (${ranks.length})` : shown;
}

export function congestHead(
  hosts: readonly string[],
  { victims, aggressors }: Roles,
  { rounds }: CongestOptions,
): string {
  const places = new Set(hosts).size;
  return [
    `# fabricbench congest: ${hosts.length} ranks on ${places} host${places === 1 ? '' : 's'}, ${rounds} rounds`,
    `# Victim: ranks ${ranksText(victims)}; aggressors: ranks ${ranksText(aggressors)}`,
    '',
  ].join('\n');
}

function remarkOf({ victim, aggressor, measures }: Impact): string {
  const told = (['mean', 'p99'] as const).flatMap((measure) => {
    const compared = measures[measure];
    if (!compared) return [];
    const times = `${compared.factor.value.toFixed(2)} times`;
    switch (verdictOf(compared)) {
      case 'slower':
        return [`${NAMES[measure]} ${times} as long`];
      case 'faster':
        return [`${NAMES[measure]} ${times} as long, which is less`];
      case 'no change':
        return [`${NAMES[measure]} no other than without traffic`];
      case 'noisy':
        return [`${NAMES[measure]} ${times} as long, too noisy to tell`];
      case 'unsure':
        return [`${NAMES[measure]} ${times} as long, not sure: it takes 6 rounds to tell`];
    }
  });
  return `# ${victim} beside ${aggressor}: ${told.join('; ')}\n`;
}

/** The table of one victim and aggressor, with what follows from it. */
export function impactText(impact: Impact, { size, aggressorSize }: CongestOptions): string {
  const { victim, aggressor, measures, traffic, statistics } = impact;
  const moved = traffic === null ? '' : `, ${(traffic / 1e6).toFixed(1)} MB/s of traffic`;
  const title = `${victim} (${VICTIMS[victim].program}, ${formatBytes(size)} bytes) beside ${aggressor} (${formatBytes(aggressorSize)} bytes)`;
  return [
    `\n# ${title}: ${statistics.isolated.n} samples each${moved}\n`,
    line(HEADS),
    ...MEASURES.map((measure) => measureLine(measure, measures[measure])),
    remarkOf(impact),
  ].join('');
}
