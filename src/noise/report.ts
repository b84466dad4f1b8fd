/** What `--noise` says: a line for each rank, and a warning where figures would show the machine and not the fabric. */
import type { NoiseRecord, RankRecord } from '../results/types.js';

/** From here on it is worth a warning: part of the time, and seconds. */
const LOST = 0.02;
const LONGEST = 1e-3;

function time(seconds: number): string {
  if (seconds < 1e-3) return `${Number((seconds * 1e6).toPrecision(3))} us`;
  return seconds < 1 ? `${Number((seconds * 1e3).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`;
}

const lostText = ({ lost }: NoiseRecord): string => `${(lost * 100).toFixed(2)} %`;

function withNoise(ranks: readonly RankRecord[]): (RankRecord & { readonly noise: NoiseRecord })[] {
  return ranks.flatMap((rank) => (rank.noise ? [{ ...rank, noise: rank.noise }] : []));
}

export function noiseReport(ranks: readonly RankRecord[]): string[] {
  return withNoise(ranks).map(({ rank, host, noise }) => {
    const { seconds, longest, detours, threshold, quantum } = noise;
    const taken = `${detours} of ${noise.n} pieces of ${time(quantum)} took ${time(threshold)} longer or more`;
    return `rank ${rank} on ${host}: noise: lost ${lostText(noise)} of ${time(seconds)}, longest interruption ${time(longest)}, ${taken}`;
  });
}

const MEND =
  'stop what else runs there or use other cores (fabricbench doctor), and believe medians more than means (--stats)';

/** A sentence for each rank whose core is given to others too much. */
export function noiseWarnings(ranks: readonly RankRecord[]): string[] {
  const noisy = withNoise(ranks).filter(({ noise }) => noise.lost >= LOST || noise.longest >= LONGEST);
  return noisy.map(
    ({ rank, host, noise }) =>
      `rank ${rank} on ${host} lost ${lostText(noise)} of its time and stood still for up to ${time(noise.longest)} before the run, which figures will show: ${MEND}`,
  );
}
