/** `fabricbench map`: latency and bandwidth between all pairs of nodes, and who stands out. */
import { nodesOf } from '../../bench/nodes.js';
import { EXIT, WrongUse } from '../../cli/commands/command.js';
import { recordTarget } from '../../report/record-target.js';
import type { Study, StudyProgram } from '../program.js';
import type { Field } from '../types.js';
import { csvPieces } from './csv.js';
import { heatElement } from './heat-svg.js';
import { heatText } from './heat-text.js';
import { mapPage } from './html.js';
import { mapRows, readMap, type MapOptions } from './options.js';
import { bordersOf, levelsOf, namesOf, orderOf, type Place } from './places.js';
import { progressRecord, rowsOf, studyRecord, type Roster } from './record.js';
import { studyMeter } from './study-meter.js';
import { SHOWN } from './summary.js';
import { survey, type Survey } from './survey.js';
import { droppedText, effortText, figuresText, verdictLines } from './text.js';
import type { Finding } from './verdict.js';

/** The nodes of a map in their order. */
export interface Nodes extends Roster {
  readonly places: readonly Place[];
  /** What should be known of how nodes came about. */
  readonly note?: string;
}

/** @throws WrongUse where there are too few */
export function nodesIn({ hosts, switches }: Field, { nodesBy, sample }: MapOptions): Nodes {
  const alone = nodesBy === undefined && new Set(hosts).size === 1 && hosts.length > 1;
  const groups = nodesOf(hosts, alone ? 1 : nodesBy);
  const firsts = groups.flatMap(([first]) => (first === undefined ? [] : [first]));
  if (firsts.length < 2)
    throw new WrongUse(
      `a map needs at least 2 nodes, and there is ${firsts.length}: give more ranks with -n, or fewer to a node with --nodes-by`,
    );
  if (sample !== undefined && sample >= firsts.length)
    throw new WrongUse(
      `--sample ${sample}: each of ${firsts.length} nodes has ${firsts.length - 1} others, so give fewer or leave it out`,
    );
  const placeOf = (rank: number): Place => ({ host: hosts[rank] ?? '', switches: switches?.[rank] ?? [] });
  const order = orderOf(firsts.map(placeOf));
  const ranks = order.map((index) => firsts[index] ?? 0);
  const places = ranks.map(placeOf);
  const note = noteOf(alone, hosts.length, firsts.length);
  return { ranks, places, names: namesOf(places), ...(note === undefined ? {} : { note }) };
}

function noteOf(alone: boolean, ranks: number, nodes: number): string | undefined {
  if (alone) return 'all ranks are on one host, so each of them counts as a node';
  if (nodes === ranks) return undefined;
  return `the first rank of each node takes part, and ${ranks - nodes} others keep still: --nodes-by 1 makes each rank a node`;
}

function factsOf(options: MapOptions, nodes: Nodes, result: Survey): string[] {
  const { congested, timeLimit, wanted } = options;
  const { rounds, pairs, plan, seconds } = result;
  const manner = congested ? 'all nodes at once, in shifts' : 'each node in one pair at a time';
  return [
    `${nodes.names.length} nodes, ${pairs} pairs in ${rounds} rounds, ${manner}; ${effortText(plan.effort)}; ${seconds.toFixed(1)} s`,
    ...droppedText(result, wanted, timeLimit),
  ];
}

interface Outcome {
  readonly options: MapOptions;
  readonly nodes: Nodes;
  readonly result: Survey;
  readonly facts: readonly string[];
}

function heatMaps({ options, nodes, result }: Outcome): string {
  const shown = SHOWN.filter((name) => name !== 'jitter' || result.findings.some(isJitter));
  return shown
    .flatMap((name) => {
      const grid = result.grids[name];
      return grid
        ? [heatText(name, grid, { names: nodes.names, findings: result.findings, colour: options.colour })]
        : [];
    })
    .join('\n');
}

const isJitter = ({ evidence }: Finding): boolean => evidence.some(({ figure }) => figure === 'jitter');

function textOf(outcome: Outcome): string {
  const { nodes, result, facts } = outcome;
  const head = [...(nodes.note === undefined ? [] : [nodes.note]), ...facts].map((line) => `# ${line}\n`).join('');
  const verdict = verdictLines(result, nodes.names).join('\n');
  return `${head}\n${figuresText(result, nodes.names)}\n${heatMaps(outcome)}\n${verdict}\n`;
}

/** Throws a `RecordError` where a file can't be written. */
function writeFiles({ options, nodes, result, facts }: Outcome, { table }: Pick<Study<MapOptions>, 'table'>): void {
  const { csv, output } = options;
  const { names } = nodes;
  if (csv !== undefined) recordTarget(csv, table, 'CSV').save(csvPieces(result.grids, names), true);
  if (output === undefined) return;
  const title = 'Map of latency and bandwidth';
  const grids = SHOWN.flatMap((name) => {
    const grid = result.grids[name];
    return grid ? [[name, grid] as const] : [];
  });
  const isPage = /\.html$/i.test(output);
  const verdict = verdictLines(result, names);
  const picture = heatElement(grids, {
    ...{ names, findings: result.findings, borders: bordersOf(nodes.places) },
    ...(isPage ? { title: '', facts: [] } : { title, facts: [...facts, ...verdict] }),
  });
  const content = isPage
    ? mapPage(result.grids, { title, facts, verdict, picture, names })
    : `<?xml version="1.0" encoding="UTF-8"?>\n${picture}\n`;
  recordTarget(output, table, 'picture').save([content], true);
}

function lead(study: Study<MapOptions>): number {
  const { options, field, table, record } = study;
  const nodes = nodesIn(field, options);
  const result = survey(studyMeter(field, nodes.ranks), {
    ...options,
    ...{ effect: options.threshold, levels: levelsOf(nodes.places) },
    measured: (progress) => {
      record.study(progressRecord(progress, nodes));
    },
  });
  for (const row of rowsOf(result)) record.row(row);
  record.study(studyRecord(result, nodes));
  const outcome = { options, nodes, result, facts: factsOf(options, nodes, result) };
  table.write(textOf(outcome));
  writeFiles(outcome, study);
  return options.failOnOutlier && result.findings.length > 0 ? EXIT.failed : EXIT.done;
}

export const mapProgram: StudyProgram<MapOptions> = {
  name: 'map',
  summary:
    'measure latency and bandwidth between all pairs of nodes, and name hosts, links and directions that stand out',
  options: mapRows,
  read: readMap,
  ranks: (_options, cores) => Math.max(2, cores),
  ranksPerNode: 1,
  lead,
};
