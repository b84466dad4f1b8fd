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

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const BLANKS = ' \t\n\r';
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** Reads on from `at`. */
interface Scan {
  readonly text: string;
  at: number;
  expected: Expected;
  readonly open: ('[' | '{')[];
}

/** What V8 says of a text that was cut short. */
const CUT_SHORT = /end of JSON input|Unterminated string/;

/** Why JSON.parse failed with `error`. A text that was cut short isn't read again to find that: it may be long. */
export function parseProblem(text: string, error: unknown): JsonProblem | undefined {
  const message = error instanceof Error ? error.message : '';
  return CUT_SHORT.test(message)
    ? problemAt({ text, at: text.length, expected: 'value', open: [] })
    : jsonProblem(text);
}

/** The first place at which the text is no JSON; undefined where it is. */
export function jsonProblem(text: string): JsonProblem | undefined {
  const scan: Scan = { text, at: 0, expected: 'value', open: [] };
  for (;;) {
    while (BLANKS.includes(text[scan.at] ?? '-')) scan.at++;
    if (scan.at >= text.length) return scan.expected === 'end' ? undefined : problemAt(scan);
    if (!step(scan)) return problemAt(scan);
  }
}

function lengthOf(pattern: RegExp, { text, at }: Scan): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const FIRST_PRINTED = 0x20;

/** Of a text in quotes; 0 where there is none. By hand: a pattern would try a long text that doesn't end in many ways. */
function textLength(scan: Scan): number {
  const { text, at: begin } = scan;
  if (text[begin] !== '"') return 0;
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1 - begin;
    if (code < FIRST_PRINTED) return 0;
    if (code !== BACKSLASH) continue;
    const escape = lengthOf(ESCAPE, { ...scan, at });
    if (escape === 0) return 0;
    at += escape - 1;
  }
  return 0;
}

/** Takes one token where it fits. */
function step(scan: Scan): boolean {
  const char = scan.text[scan.at] ?? '';
  switch (scan.expected) {
    case 'key or }':
      return char === '}' ? close(scan, '{') : take(scan, textLength(scan), ':');
    case 'key':
      return take(scan, textLength(scan), ':');
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
  return take(scan, char === '"' ? textLength(scan) : lengthOf(OTHER, scan), scan.open.length > 0 ? 'more' : 'end');
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
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++;
  const column = at - text.lastIndexOf('\n', at - 1);
  return { line, column, text: wordsOf(text, at, expected) };
}

const LONGEST_SHOWN = 20;

function wordsOf(text: string, at: number, expected: Expected): string {
  if (at >= text.length) return text.trim() === '' ? 'it is blank' : 'it ends in the middle';
  const [word = ''] = /^"?[^\s,:[\]{}"]*/.exec(text.slice(at, at + 1000)) ?? [];
  if (/^-?(NaN|Infinity|inf|nan)$/.test(word)) return `${word} is no JSON: a value that is missing is null`;
  if (word.startsWith('"') && !text.includes('"', at + 1)) return 'it ends in the middle of a text in quotes';
  const shown = word === '' ? (text[at] ?? '') : word;
  const whole = shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}...` : shown;
  return `${JSON.stringify(whole)} stands where ${EXPECTED[expected]} belongs`;
}
