/** `fabricbench compare A B [C...]`: records, or text of other tools, held against each other or against a reference. */
import type { Argv } from 'yargs';
import { compareJson } from '../../analysis/compare-json.js';
import { compareMarkdown } from '../../analysis/compare-markdown.js';
import { compareText } from '../../analysis/compare-text.js';
import { readExpectations } from '../../analysis/expect-file.js';
import { reportOf, type Report } from '../../analysis/report.js';
import { loadSides, requestsOf } from '../../analysis/sides.js';
import { showsColours } from '../colour.js';
import { EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';
import { textOf, thresholdOf } from './given.js';

export const compare: Command = {
  usage: 'compare <sides..>',
  summary:
    'hold records, or text of OSU, perftest and ucx_perftest, against the first of them: ratios, intervals, tests, ' +
    'shapes of curves, and in words what differs',
  options,
  takesRest: true,
  run,
};

function options(parser: Argv): Argv {
  return parser
    .positional('sides', {
      type: 'string',
      describe: 'files or folders; LABEL=FILE,FILE is one side of several files, and so is all on either side of --',
    })
    .options({
      threshold: { type: 'string', default: '3%', describe: 'differences up to this are noise' },
      figure: { type: 'string', describe: "another figure than each test's own: p99, rate, ..." },
      expect: { type: 'string', describe: 'file of reference values (YAML or JSON); exit code 1 when one is missed' },
      'fail-on-regression': { type: 'boolean', describe: 'exit code 1 when a row has regressed' },
      brief: { type: 'boolean', describe: 'no tables' },
      json: { type: 'boolean', describe: 'write it as JSON' },
      markdown: { type: 'boolean', describe: 'write it as Markdown' },
    });
}

function run(given: Given): Answer {
  if (given['json'] && given['markdown']) throw new WrongUse('--json and --markdown exclude each other');
  const threshold = thresholdOf(given);
  const expected = textOf(given, 'expect');
  const expectations = expected === undefined ? [] : readExpectations(expected);
  const requests = requestsOf(given['sides'] as string[], (given['--'] ?? []) as string[]);
  const report = reportOf(loadSides(requests), { threshold, figure: textOf(given, 'figure'), expectations });
  const problems = problemsOf(report, given);
  return {
    exitCode: problems.length > 0 ? EXIT.failed : EXIT.done,
    stdout: shown(report, given),
    stderr: problems.map((problem) => `fabricbench: ${problem}\n`).join(''),
  };
}

function shown(report: Report, { json, markdown, brief }: Given): string {
  if (json) return compareJson(report);
  if (markdown) return compareMarkdown(report);
  return compareText(report, { brief: Boolean(brief), colour: showsColours() });
}

function problemsOf({ comparisons, findings }: Report, given: Given): string[] {
  const regressed = comparisons.reduce((sum, { verdicts }) => sum + verdicts.regressed, 0);
  const missed = findings.filter(({ within }) => !within);
  return [
    ...(given['fail-on-regression'] && regressed > 0
      ? [`${regressed} ${regressed === 1 ? 'row has' : 'rows have'} regressed`]
      : []),
    ...missed.map(({ side, text: sentence }) => `${side}: ${sentence}`),
  ];
}
