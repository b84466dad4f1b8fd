/** Message sizes of ucx_perftest: pieces of one message, and sweeps over several. */
import { bad, good, orBad, parseBytes, parseInteger, parseList, type Checked } from './values.js';

const MOST_PIECES = 65536;

/** `-s`: bytes of each piece. `1K:16` is 16 pieces of 1 KiB. */
export function parsePieces(text: string): Checked<readonly number[]> {
  const pieces = parseList(text, parsePiece)?.flat();
  if (pieces === undefined) return bad(`"${text}" is no list of bytes, as in 16,48,8K or 1K:16`);
  const total = pieces.reduce((sum, piece) => sum + piece, 0);
  if (pieces.length > MOST_PIECES) return bad(`a message has at most ${MOST_PIECES} pieces`);
  return Number.isSafeInteger(total) ? good(pieces) : bad('the message is too large');
}

function parsePiece(text: string): readonly number[] | undefined {
  const [size = '', count = '1', ...more] = text.split(':');
  const bytes = parseBytes(size);
  const times = parseInteger(count, 1, MOST_PIECES);
  if (bytes === undefined || times === undefined || more.length > 0) return undefined;
  return new Array<number>(times).fill(bytes);
}

/** `--sizes`: a list of bytes, or MIN:MAX for MIN, 2 MIN, 4 MIN ... up to MAX; a MIN of 0 is followed by 1, 2, 4 ... */
export function parseSweep(text: string): Checked<readonly number[]> {
  if (!text.includes(':'))
    return orBad(parseList(text, parseBytes), `"${text}" is no list of bytes, as in 8,1K,64K, and no range MIN:MAX`);
  const [min, max, ...more] = text.split(':').map(parseBytes);
  if (min === undefined || max === undefined || more.length > 0) return bad(`"${text}" is no range MIN:MAX of bytes`);
  return min > max ? bad(`MIN (${min}) is above MAX (${max}), so nothing would be measured`) : good(ladder(min, max));
}

function ladder(min: number, max: number): number[] {
  const sizes = min === 0 ? [0] : [];
  for (let size = Math.max(min, 1); size <= max; size *= 2) sizes.push(size);
  return sizes;
}
