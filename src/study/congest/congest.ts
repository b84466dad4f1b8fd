/** `fabricbench congest`: what a victim's communication suffers from other traffic. */
import type { Study, StudyProgram } from '../program.js';
import { measureImpact, type Impact } from './measure.js';
import { congestRows, readCongest, type CongestOptions } from './options.js';
import { rowsOfImpact, studyOf } from './record.js';
import { AGGRESSORS, rolesAmong } from './roles.js';
import { congestHead, impactText } from './text.js';

const leastOf = ({ aggressors }: CongestOptions): number =>
  Math.max(...aggressors.map((name) => AGGRESSORS[name].least));

function lead({ options, field, table, record }: Study<CongestOptions>): number {
  const roles = rolesAmong(field.size, options.victimRanks, leastOf(options));
  const impacts: Impact[] = [];
  table.write(congestHead(field.hosts, roles, options));
  for (const victim of options.victims) {
    for (const aggressor of options.aggressors) {
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
  ranks: (options, cores) => Math.max(cores, (options.victimRanks ?? 2) + leastOf(options)),
  lead,
};
