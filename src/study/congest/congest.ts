/** `fabricbench congest`: what a victim's communication suffers from other traffic. */
import { Impossible } from '../../cli/commands/command.js';
import type { Study, StudyProgram } from '../program.js';
import type { Field } from '../types.js';
import { measureImpact, type Impact } from './measure.js';
import { congestRows, readCongest, type CongestOptions } from './options.js';
import { rowsOfImpact, studyOf } from './record.js';
import { AGGRESSORS, rolesAmong, type AggressorName, type Roles } from './roles.js';
import { congestHead, impactText } from './text.js';

const PROBE_BYTES = 64;
/** Open MPI 4.1 takes its component rdma, which fails between hosts that have TCP alone. */
const WITHOUT_WINDOWS = 'where that is Open MPI over TCP give it another component for windows, --mca osc ucx or pt2pt';

const leastOf = ({ aggressors }: CongestOptions): number =>
  Math.max(...aggressors.map((name) => AGGRESSORS[name].least));

/** Why an aggressor can't be had on these ranks, in a sentence; undefined where it can. */
function refusalOf(field: Field, name: AggressorName, { aggressors }: Roles): string | undefined {
  if (!AGGRESSORS[name].windows) return undefined;
  const [put] = AGGRESSORS.put.parts(aggressors, { size: PROBE_BYTES, window: 1 });
  if (!put) return undefined;
  const { program, ranks, size, window, iterations } = put;
  const part = { program, ranks, size, window, iterations, warmup: 0 };
  try {
    field.run({ kind: 'parts', parts: [part], tries: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    return error.message;
  }
}

/** Those that can be had; the others are told. Throws `Impossible` where none is left. */
function possible({ options, field, warn }: Study<CongestOptions>, roles: Roles): AggressorName[] {
  const refused = options.aggressors.flatMap((name) => {
    const refusal = refusalOf(field, name, roles);
    return refusal === undefined
      ? []
      : [{ name, told: `there can be no ${name} here: ${refusal}; ${WITHOUT_WINDOWS}` }];
  });
  const left = options.aggressors.filter((name) => refused.every((one) => one.name !== name));
  if (left.length === 0) throw new Impossible(refused[0]?.told ?? 'there are no aggressors');
  for (const { told } of refused) warn(`${told}; it is left out`);
  return left;
}

function lead(study: Study<CongestOptions>): number {
  const { options, field, table, record } = study;
  const roles = rolesAmong(field.size, options.victimRanks, leastOf(options));
  const impacts: Impact[] = [];
  table.write(congestHead(field.hosts, roles, options));
  const aggressors = possible(study, roles);
  for (const victim of options.victims) {
    for (const aggressor of aggressors) {
      const impact = measureImpact(field, { victim, aggressor, roles }, options);
      table.write(impactText(impact, options));
      impacts.push(impact);
      for (const row of rowsOfImpact(impact, options)) record.row(row);
      record.study(studyOf(impacts, roles));
    }
  }
  return 0;
}

export const congestProgram: StudyProgram<CongestOptions> = {
  name: 'congest',
  summary: 'measure by how much latency and allreduce slow down beside other traffic, in one job',
  options: congestRows,
  read: readCongest,
  windows: true,
  ranks: (options, cores) => Math.max(cores, (options.victimRanks ?? 2) + leastOf(options)),
  lead,
};
