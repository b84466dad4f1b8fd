/** `fabricbench congest` in a record: a row for each state of each victim and aggressor, and the factors. */
import type { JsonObject, RowRecord, StudyRecord } from '../../results/types.js';
import { MEASURES, STATES, type Compared, type Factor, type Impact, type State } from './measure.js';
import type { CongestOptions } from './options.js';
import type { Roles } from './roles.js';
import { verdictOf } from './verdict.js';

const rowOf = (impact: Impact, state: State, { size, aggressorSize }: CongestOptions): RowRecord => {
  const { victim, aggressor, iterations, warmup, statistics } = impact;
  const own = statistics[state];
  return {
    parameters: { size, victim, aggressor, state, aggressorSize },
    ...{ n: iterations[state], warmup },
    figures: { latency: { value: own.mean, unit: 's' } },
    statistics: { ...own, figure: 'latency', unit: 's' },
  };
};

export const rowsOfImpact = (impact: Impact, options: CongestOptions): RowRecord[] =>
  STATES.map((state) => rowOf(impact, state, options));

const factorJson = ({ value, interval }: Factor): JsonObject => ({
  value,
  interval: interval && { low: interval.low, high: interval.high, level: interval.level },
});

function comparedJson(compared: Compared | null): JsonObject | null {
  if (!compared) return null;
  const { isolated, congested, factor, control } = compared;
  return {
    isolated,
    congested,
    factor: factorJson(factor),
    control: factorJson(control),
    verdict: verdictOf(compared),
  };
}

/** Times are seconds, traffic bytes per second. */
export function studyOf(impacts: readonly Impact[], { victims, aggressors }: Roles): StudyRecord {
  return {
    ...{ kind: 'congest', victims: [...victims], aggressors: [...aggressors] },
    impacts: impacts.map(({ victim, aggressor, traffic, measures }) => ({
      ...{ victim, aggressor, traffic },
      measures: Object.fromEntries(MEASURES.map((measure) => [measure, comparedJson(measures[measure])])),
    })),
  };
}
