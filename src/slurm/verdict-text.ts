/** A verdict on nodes in words. */
import { FEWEST_TESTS, type NodesTest, type Slow, type Verdict } from './verdict.js';

/** Whether all nodes that were asked about have passed. */
export const isPassed = ({ slowNodes, slowTests, untested }: Verdict): boolean =>
  slowNodes.length + slowTests.length + untested.length === 0;

export function verdictText(verdict: Verdict): string {
  const { tests, compared, slowNodes, slowTests, untested } = verdict;
  const nodes = new Set(tests.flatMap((test) => test.nodes));
  const lines = [
    `# ${count(tests.length, 'test')} of ${count(nodes.size, 'node')}`,
    ...tests.map(testLine),
    '',
    ...(compared ? [] : [`Fewer than ${FEWEST_TESTS} tests can't tell which of them are slow`]),
    ...slowNodes.map((node) => `${node} is slow: ${reasonsOf(tests.filter((test) => test.nodes.includes(node)))}`),
    ...slowTests.map((test) => `between ${test.nodes.join(' and ')} it is slow: ${reasonsOf([test])}`),
    ...untested.map((node) => `${node} has no test whose records are all complete`),
    ...(isPassed(verdict) && compared ? ['No node is slow'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function testLine({ nodes, programs, slow, incomplete }: NodesTest): string {
  const told = programs.map((program) => {
    const found = slow.find((one) => one.program === program);
    return `${program} ${incomplete.includes(program) ? 'incomplete' : found ? `slow (${slowWords(found)})` : 'done'}`;
  });
  return `${nodes.join('+')}: ${told.join(', ')}`;
}

const slowWords = ({ sizes, of, by }: Slow): string => `${sizes} of ${of} sizes, by ${Math.round(by * 100)} %`;

function reasonsOf(tests: readonly NodesTest[]): string {
  const all = tests.flatMap(({ nodes, slow }) => slow.map((one) => `${one.program} on ${nodes.join('+')} (${slowWords(one)})`)); // prettier-ignore
  return all.join(', ');
}
