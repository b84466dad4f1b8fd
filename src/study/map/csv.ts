/** Every pair of a map as a line of CSV (RFC 4180), in pieces: of thousands of nodes it is hundreds of megabytes. */
import type { Grids } from './verdict.js';

const HEAD = ['first', 'second', 'latency (s)', 'jitter', 'first to second (B/s)', 'second to first (B/s)'];
/** Figures are kept in four bytes: more digits would be noise. */
const DIGITS = 7;
/** Characters of a piece. */
const PIECE = 1 << 16;

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const number = (value = NaN): string => (Number.isNaN(value) ? '' : String(Number(value.toPrecision(DIGITS))));

/** Pairs that weren't measured are left out; where a figure wasn't, its field is empty. */
export function* csvPieces({ latency, jitter, bandwidth }: Grids, names: readonly string[]): Generator<string> {
  const nodes = names.map(quoted);
  let piece = `${HEAD.map(quoted).join(',')}\r\n`;
  for (let first = 0; first < nodes.length; first++) {
    for (let second = first + 1; second < nodes.length; second++) {
      const fields = [
        latency?.at(first, second),
        jitter?.at(first, second),
        bandwidth?.at(first, second),
        bandwidth?.at(second, first),
      ].map(number);
      if (fields.every((field) => field === '')) continue;
      piece += `${nodes[first]},${nodes[second]},${fields.join(',')}\r\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece;
}
