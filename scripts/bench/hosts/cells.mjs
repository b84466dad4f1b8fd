/** What is measured over shaped cables, and what theory says of it. */

/** What a host sends is shaped so in the cells of a kind. */
const DELAY = { text: '5ms', seconds: 5e-3 };
/** Bytes of data per second: a full frame of 1514 bytes carries 1448 of TCP's, with its time stamps. */
const RATE = { text: '1gbit', bytes: (125e6 * 1448) / 1514 };
const UNSHAPED = { rate: 'none', delay: '0', loss: '0' };

const SIZES = [8192, 65536, 1 << 20];
const WINDOW = 64;
/** Enough for a second at the rate: what the shaper has saved up for the beginning is 0.1 % of that. */
const iterationsOf = (size) => Math.max(2, Math.ceil(RATE.bytes / (WINDOW * size)));
const LATENCY_ITERATIONS = 100;

const args = (size, iterations, warmUp) => ['--sizes', String(size), '-i', String(iterations), '-x', String(warmUp)];

const delayCell = (pml) => ({
  id: `${pml} osu_latency 8 at ${DELAY.text}`,
  ...{ pml, program: 'osu_latency', args: args(8, LATENCY_ITERATIONS, 10), figure: 'latency' },
  shape: { ...UNSHAPED, delay: DELAY.text },
  /** Measured in each round too, without a shape. */
  base: true,
  shown: (seconds) => `${(seconds * 1e6).toFixed(1)} us`,
  of: (seconds, base) => (seconds - base) / DELAY.seconds,
});

const rateCell = (pml, program, directions) => (size) => ({
  id: `${pml} ${program} ${size} at ${RATE.text}`,
  ...{ pml, program, args: args(size, iterationsOf(size), 2), figure: 'bandwidth' },
  shape: { ...UNSHAPED, rate: RATE.text },
  base: false,
  shown: (bytes) => `${(bytes / 1e6).toFixed(2)} MB/s`,
  of: (bytes) => bytes / (directions * RATE.bytes),
});

/** ob1 does not let both directions overlap over tcp, so that osu_bibw says nothing of the cables there. */
export const cells = [
  ...['ob1', 'ucx'].map(delayCell),
  ...['ob1', 'ucx'].flatMap((pml) => SIZES.map(rateCell(pml, 'osu_bw', 1))),
  ...SIZES.map(rateCell('ucx', 'osu_bibw', 2)),
];
export { UNSHAPED };
