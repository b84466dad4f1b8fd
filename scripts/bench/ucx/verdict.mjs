/** What is said of a cell. Pure. */
import { judgeEither, medianOf, verdicts } from '../statistics.mjs';
import { compareReasons } from './outcome.mjs';

/** What is demanded: times and rates as ratios of ours to the peer's, and nanoseconds more where a ratio means little. */
export const BOUNDS = { time: 1.05, rate: 0.97, difference: 2 };
/** Microseconds: below this the peer's p50 moves in steps that are too coarse. */
const COARSE_P50 = 0.2;
/** Microseconds: below this the difference counts. */
const TINY = 0.02;

/** Verdicts beside those over a bound. */
export const words = {
  hang: 'HANG',
  failed: 'FAILED',
  refused: 'REFUSED, the peer runs',
  otherwise: 'REFUSED for another reason',
  runs: 'RUNS, the peer refuses',
  alike: 'refused as by the peer',
  general: "refused with the peer's status alone",
  alone: 'ended well, where the peer does not',
  peer: 'no comparison: the peer failed',
};
const FAILING = new Set([words.hang, words.failed, words.refused, words.otherwise, words.runs]);

/** A cell's verdict as one over a bound, for the exit code. */
export function asBound(verdict) {
  if (FAILING.has(verdict)) return verdicts.missed;
  return verdict === words.peer ? verdicts.noisy : verdict;
}

const ratio = (name, field) => ({
  name,
  field,
  unit: '',
  neutral: 1,
  bound: BOUNDS.time,
  of: (ours, theirs) => ours[field] / theirs[field],
});
const FIGURES = {
  p50: ratio('p50 (us)', 'p50'),
  overall: ratio('overall (us)', 'overall'),
  rate: { ...ratio('rate (1/s)', 'rate'), bound: BOUNDS.rate, atLeast: true },
  difference: {
    ...{ name: 'overall (us)', field: 'overall', unit: 'ns', neutral: 0, bound: BOUNDS.difference },
    of: (ours, theirs) => (ours.overall - theirs.overall) * 1000,
  },
};

const medianField = (pairs, name, field) => medianOf(pairs.map((pair) => pair[name][field])).median;

/** The figures that a cell is judged by, from how long the peer takes. */
function figuresFor({ latency, rated }, pairs) {
  if (medianField(pairs, 'base', 'overall') < TINY) return [FIGURES.difference];
  const time = latency && medianField(pairs, 'base', 'p50') >= COARSE_P50 ? FIGURES.p50 : FIGURES.overall;
  return rated ? [time, FIGURES.rate] : [time];
}

function judgeFigure({ cell, pairs }, asked) {
  const values = pairs.map(({ subject, base }) => asked.of(subject, base));
  const controls = pairs.flatMap(({ control, base }) => (control ? [asked.of(control, base)] : []));
  const figure = medianOf(values);
  const control = controls.length > 0 ? medianOf(controls) : undefined;
  const { name, unit, bound, atLeast = false } = asked;
  return {
    ...{ id: cell.id, name, unit, bound, atLeast, figure, control, values, controls },
    ours: medianField(pairs, 'subject', asked.field),
    theirs: medianField(pairs, 'base', asked.field),
    verdict: control ? judgeEither(figure, control, asked) : verdicts.reported,
  };
}

const reasonOf = ({ kind, sentences, about }) => (kind === 'refused' ? sentences.join('; ') : (about ?? 'ran'));

const PLAIN = { hung: words.hang, failed: words.failed };

function verdictOfRefusal(subject, base) {
  if (subject.kind === 'figures') return words.runs;
  return {
    same: words.alike,
    general: words.general,
    other: words.otherwise,
  }[compareReasons(subject.sentences, base.sentences)];
}

/** The verdict over a cell that can't be timed, undefined for one that can. */
function verdictOfEnd({ base, subject, pairs }) {
  const plain = PLAIN[subject.kind];
  if (plain) return plain;
  if (base === undefined || base.kind === 'hung' || base.kind === 'failed') return words.alone;
  if (base.kind === 'refused') return verdictOfRefusal(subject, base);
  if (subject.kind === 'refused') return words.refused;
  return pairs.length === 0 ? words.peer : undefined;
}

/** The peer's figures as they would be if it didn't halve them. */
function withWholeTimes(measured) {
  const whole = (figures) =>
    figures && { ...figures, p50: 2 * figures.p50, overall: 2 * figures.overall, rate: figures.rate / 2 };
  const pairs = measured.pairs.map(({ subject, base, control }) => ({
    subject,
    base: whole(base),
    ...(control ? { control: whole(control) } : {}),
  }));
  return { ...measured, pairs };
}

/**
 * The verdicts over what `measureCell` returned: for a cell that was timed, a row for each figure it is judged by; for
 * another one, a row with `ours` and `theirs` in words.
 */
export function judgeMeasured(halvedOrNot) {
  const measured = halvedOrNot.cell.halved ? withWholeTimes(halvedOrNot) : halvedOrNot;
  const { cell, base, subject, pairs } = measured;
  const verdict = verdictOfEnd(measured);
  if (verdict === undefined) return figuresFor(cell, pairs).map((asked) => judgeFigure(measured, asked));
  return [{ id: cell.id, ended: true, ours: reasonOf(subject), theirs: base ? reasonOf(base) : 'hangs', verdict }];
}

/** Whether more pairs can't change what is said: no verdict is unsure. */
export const isTold = (rows) =>
  rows.every(({ verdict }) => verdict !== verdicts.noisy && verdict !== verdicts.undecided);
