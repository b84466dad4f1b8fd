/**
 * What Mbytes/sec are. IMB_output.c of 2018 and later divides by 10^6; texts of 2.3 and 3.x have figures that are right
 * with 2^20 alone. A table's own figures tell: bandwidth x time / size is a whole number (1 of PingPong, 2 of Sendrecv,
 * 4 of Exchange), and bandwidth / rate is the size.
 */
import type { RowRecord } from '../types.js';

const MEBI = 2 ** 20 / 1e6;
/** Of three digits or more, rounding is below the 4.9 % between the two units by far. */
const LEAST_SHOWN = 100e6;

/** The rows with their bandwidths in true bytes per second. */
export function withTrueBandwidth(rows: readonly RowRecord[]): RowRecord[] {
  return countsInMebi(rows) ? rows.map(inMebi) : [...rows];
}

function inMebi(row: RowRecord): RowRecord {
  const { bandwidth } = row.figures;
  if (!bandwidth || bandwidth.value === null) return row;
  return { ...row, figures: { ...row.figures, bandwidth: { ...bandwidth, value: plain(bandwidth.value * MEBI) } } };
}

/** Without the last digits, which are of the multiplication alone. */
const plain = (value: number): number => Number(value.toPrecision(15));

function countsInMebi(rows: readonly RowRecord[]): boolean {
  const votes = rows.map(factorOf).filter((factor) => factor !== undefined);
  const distance = (factor: number): number => Math.abs(factor - Math.max(1, Math.round(factor))) / factor;
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  return votes.length > 0 && sum(votes.map((factor) => distance(factor * MEBI))) < sum(votes.map(distance));
}

/** Messages that a time or a rate stands for, were MB 10^6 bytes. */
function factorOf({ parameters: { size }, figures }: RowRecord): number | undefined {
  const [bandwidth, rate] = [figures.bandwidth?.value, figures.rate?.value];
  const time = figures.maxLatency?.value ?? figures.latency?.value;
  if (!size || !bandwidth || bandwidth < LEAST_SHOWN) return undefined;
  if (rate) return bandwidth / (rate * size);
  return time ? (bandwidth * time) / size : undefined;
}
