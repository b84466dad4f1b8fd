/** The element types that `-T` names. */
import { bad, good, parseList, type Checked } from './values.js';

/** What reductions take, the default first. MPI allows neither MPI_CHAR nor MPI_BYTE for MPI_SUM. */
export const REDUCTION_TYPES: readonly string[] = [
  ...['MPI_INT', 'MPI_INT8_T', 'MPI_INT16_T', 'MPI_INT32_T', 'MPI_INT64_T'],
  ...['MPI_UINT8_T', 'MPI_UINT16_T', 'MPI_UINT32_T', 'MPI_UINT64_T', 'MPI_SIGNED_CHAR', 'MPI_UNSIGNED_CHAR'],
  ...['MPI_SHORT', 'MPI_LONG', 'MPI_LONG_LONG'],
  ...['MPI_UNSIGNED', 'MPI_UNSIGNED_SHORT', 'MPI_UNSIGNED_LONG', 'MPI_UNSIGNED_LONG_LONG'],
  ...['MPI_AINT', 'MPI_OFFSET', 'MPI_COUNT', 'MPI_FLOAT', 'MPI_DOUBLE'],
  ...['MPI_C_FLOAT_COMPLEX', 'MPI_C_DOUBLE_COMPLEX'],
];

/** What may be sent, the default first. */
export const DATA_TYPES: readonly string[] = ['MPI_CHAR', ...REDUCTION_TYPES, 'MPI_BYTE'];

/** What MPI_Compare_and_swap takes of these: integers and bytes. */
export const ATOMIC_TYPES: readonly string[] = [
  ...REDUCTION_TYPES.filter((name) => !/FLOAT|DOUBLE/.test(name)),
  'MPI_BYTE',
];

/** `-T all` in the peer. */
const ALL = ['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT'];

/** What `-T all` measures, of the types that a benchmark offers: char, int and float, or all where none of these is. */
export function allOf(known: readonly string[]): readonly string[] {
  const usual = ALL.filter((name) => known.includes(name));
  return usual.length > 0 ? usual : known;
}

/** As users read and type it: MPI_INT is `int`. */
export function shortName(datatype: string): string {
  return datatype.replace(/^MPI_/, '').toLowerCase();
}

/** `all` or names with commas between, in any case, with or without `mpi_`, each whole or as much as only one begins with. */
export function parseDatatypes(text: string, known: readonly string[]): Checked<readonly string[]> {
  const names = parseList(text, (part) => findTypes(part.toLowerCase().replace(/^mpi_/, ''), known));
  if (names) return good(names.flat());
  return bad(`Invalid Type: give all, ${known.map(shortName).join(', ')}, with or without mpi_ before`);
}

function findTypes(wanted: string, known: readonly string[]): readonly string[] | undefined {
  if (wanted === 'all') return allOf(known);
  const exact = known.filter((name) => shortName(name) === wanted);
  if (wanted === '' || exact.length > 0) return exact.length > 0 ? exact : undefined;
  const begun = known.filter((name) => shortName(name).startsWith(wanted));
  return begun.length === 1 ? begun : undefined;
}
