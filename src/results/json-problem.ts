/** Where a text stops being JSON, and why. JSON.parse says it in many ways, and seldom where. */

export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** What is wrong there, without the place. */
  readonly text: string;
}

/** What may come next, and how it is called. */
const EXPECTED = {
  value: 'a value',
  'value or ]': 'a value or ]',
  key: 'a name in quotes',
  'key or }': 'a name in quotes or }',
  ':': '":"',
  more: '"," or the end of what is open',
  end: 'the end of the file',
} as const;
type Expected = keyof typeof EXPECTED;

const BLANK = /[ \t\n\r]*/y;
const TEXT = /"(?:[ !#-[\]-\u{10ffff}]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy;
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** Reads on from `at`. */
interface Scan {
  readonly text: string;
  at: number;
  expected: Expected;
  readonly open: ('[' | '{')[];
}

/** The first place at which the text is no JSON; undefined where it is. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const scan: Scan = { text, at: 0, expected: 'value', open: [] };
  for (;;) {
    scan.at += lengthOf(BLANK, scan);
    if (scan.at >= text.length) return scan.expected === 'end' ? undefined : problemAt(scan);
    if (!step(scan)) return problemAt(scan);
  }
}

function lengthOf(pattern: RegExp, { text, at }: Scan): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Takes one token where it fits. */
function step(scan: Scan): boolean {
  const char = scan.text[scan.at] ?? '';
  switch (scan.expected) {
    case 'key or }':
      return char === '}' ? close(scan, '{') : take(scan, lengthOf(TEXT, scan), ':');
    case 'key':
      return take(scan, lengthOf(TEXT, scan), ':');
    case ':':
      return char === ':' && take(scan, 1, 'value');
    case 'value or ]':
      return char === ']' ? close(scan, '[') : value(scan, char);
    case 'value':
      return value(scan, char);
    case 'more':
      if (char === ',') return take(scan, 1, scan.open.at(-1) === '{' ? 'key' : 'value');
      return (char === '}' && close(scan, '{')) || (char === ']' && close(scan, '['));
    case 'end':
      return false;
  }
}

function value(scan: Scan, char: string): boolean {
  if (char === '{' || char === '[') {
    scan.open.push(char);
    return take(scan, 1, char === '{' ? 'key or }' : 'value or ]');
  }
  return take(scan, lengthOf(char === '"' ? TEXT : OTHER, scan), scan.open.length > 0 ? 'more' : 'end');
}

function close(scan: Scan, bracket: '[' | '{'): boolean {
  if (scan.open.at(-1) !== bracket) return false;
  scan.open.pop();
  return take(scan, 1, scan.open.length > 0 ? 'more' : 'end');
}

function take(scan: Scan, length: number, next: Expected): boolean {
  if (length === 0) return false;
  scan.at += length;
  scan.expected = next;
  return true;
}

function problemAt({ text, at, expected }: Scan): JsonProblem {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return { line, column, text: wordsOf(text, at, expected) };
}

const LONGEST_SHOWN = 20;

function wordsOf(text: string, at: number, expected: Expected): string {
  if (at >= text.length)
    return text.trim() === '' ? 'it is blank' : `it ends in the middle, where ${EXPECTED[expected]} belongs`;
  const [word = ''] = /^"?[^\s,:[\]{}"]*/.exec(text.slice(at, at + 1000)) ?? [];
  if (/^-?(NaN|Infinity|inf|nan)$/.test(word)) return `${word} is no JSON: a value that is missing is null`;
  if (word.startsWith('"') && !text.slice(at + 1).includes('"')) return 'it ends in the middle of a text in quotes';
  const shown = word === '' ? (text[at] ?? '') : word;
  const whole = shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}...` : shown;
  return `${JSON.stringify(whole)} stands where ${EXPECTED[expected]} belongs`;
}
