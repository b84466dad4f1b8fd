/** What is measured of a link, and what counts as bad in it. */

export type FigureName = 'latency' | 'jitter' | 'bandwidth';

export interface FigureKind {
  readonly name: FigureName;
  readonly unit: 's' | '' | 'B/s';
  /** One figure for both directions: half a round trip has no direction. */
  readonly symmetric: boolean;
  /** 1 where larger is worse, -1 where smaller is. */
  readonly worse: 1 | -1;
  /** What it is called in sentences. */
  readonly words: string;
}

export const KINDS: Readonly<Record<FigureName, FigureKind>> = {
  latency: { name: 'latency', unit: 's', symmetric: true, worse: 1, words: 'latency' },
  /** The mean over the median of a pair's latencies: 1 where all are alike, and large where few messages take very long. */
  jitter: { name: 'jitter', unit: '', symmetric: true, worse: 1, words: 'jitter (mean latency over median)' },
  bandwidth: { name: 'bandwidth', unit: 'B/s', symmetric: false, worse: -1, words: 'bandwidth' },
};
