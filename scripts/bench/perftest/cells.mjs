/** What is compared with stock perftest: tests, sizes, and the figures of a row of either. Pure. */

const SIZES = [8, 4096, 65536];

/** What is demanded of ratios: of times ours to theirs, of bandwidths theirs to ours, of message rates ours to theirs. */
const FIGURES = {
  typical: { field: 'typical', name: 'typical (us)', bound: 1.1, of: (ours, theirs) => ours.typical / theirs.typical },
  average: {
    field: 'average',
    name: 'average (MiB/s)',
    bound: 1.1,
    of: (ours, theirs) => theirs.average / ours.average,
  },
  rate: {
    field: 'rate',
    name: 'rate (Mpps)',
    bound: 0.95,
    atLeast: true,
    of: (ours, theirs) => ours.rate / theirs.rate,
  },
};

/** Time in a virtual machine is much longer than on hardware: these are iterations for half a second there. */
function iterationsOf(kind, size) {
  const least = kind === 'lat' ? 200 : 400;
  return Math.max(least, Math.round((kind === 'lat' ? 5000 : 10000) / Math.max(1, size / 512)));
}

/** `{ id, program, kind, size, iterations, args, figures }` of every test and size. */
export function cells(sizes = SIZES) {
  return ['send', 'write', 'read', 'atomic'].flatMap((verb) =>
    ['lat', 'bw'].flatMap((kind) =>
      (verb === 'atomic' ? [8] : sizes).map((size) => {
        const program = `ib_${verb}_${kind}`;
        const iterations = iterationsOf(kind, size);
        const args = ['-n', String(iterations), ...(verb === 'atomic' ? [] : ['-s', String(size)])];
        const figures = kind === 'lat' ? [FIGURES.typical] : [FIGURES.average, FIGURES.rate];
        return { id: `${program} ${size}`, program, kind, size, iterations, args, figures };
      }),
    ),
  );
}

const FIELDS = {
  lat: ['size', 'iterations', 'min', 'max', 'typical', 'mean', 'stdev', 'p99', 'p999'],
  bw: ['size', 'iterations', 'peak', 'average', 'rate'],
};

/** The row of a size in what either program prints; undefined where there is none, or a number in it is none. */
export function rowOf(stdout, kind, size) {
  const fields = FIELDS[kind];
  const numbers = stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .find((row) => row.length === fields.length && row[0] === size && row.every(Number.isFinite));
  return numbers && Object.fromEntries(fields.map((field, index) => [field, numbers[index]]));
}
