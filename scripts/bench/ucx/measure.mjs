/** Measures one cell: how many iterations a run needs, then short runs, the contestants taking turns. */
import { inTurn } from '../turns.mjs';

/** A first guess of iterations, and what such a run must take before its time is believed. */
const FIRST_GUESS = (size) => (size >= 65536 ? 100 : 1000);
const BELIEVED_SECONDS = 0.01;
const AIMED_SECONDS = 0.03;
const MOST_ITERATIONS = 50_000_000;
/** Below so many microseconds, on a machine that may be several times faster a second later, p50 is too coarse. */
const SHORT_MICROSECONDS = 0.6;
const SHORT_ITERATIONS = 1_000_000;
/** Enough for memory to be mapped and connections to be up; as many as the peer's default at most. */
const MOST_WARMUP = 10_000;
/** In these cells the peer only hangs, and we need not be fast. */
const ALONE_ITERATIONS = 1000;
/** Pairs in which the peer itself gave nothing, before the cell is given up. */
const MOST_PEER_FAILURES = 3;

const planOf = (iterations) => ({
  iterations,
  warmup: Math.max(1, Math.min(MOST_WARMUP, Math.ceil(iterations / 10))),
});

/** Seconds of one iteration, which holds two messages in a ping-pong. */
const perIteration = ({ pingPong }, { overall }) => (Math.max(overall, 0.001) * (pingPong ? 2 : 1)) / 1e6;

function finalPlan(cell, figures, seconds) {
  const fewest = figures.overall < SHORT_MICROSECONDS ? SHORT_ITERATIONS : 20;
  const wanted = Math.round(seconds / perIteration(cell, figures));
  return planOf(Math.min(MOST_ITERATIONS, Math.max(fewest, wanted)));
}

/** The peer's pilot: its outcome, and with figures the plan for runs of so many seconds. */
async function pilot(cell, run, seconds) {
  for (let plan = planOf(FIRST_GUESS(cell.size)); ;) {
    const outcome = await run('base', plan);
    if (outcome.kind !== 'figures') return { outcome, plan };
    const took = plan.iterations * perIteration(cell, outcome.figures);
    if (took >= BELIEVED_SECONDS) return { outcome, plan: finalPlan(cell, outcome.figures, seconds) };
    plan = planOf(Math.ceil((plan.iterations * AIMED_SECONDS) / took));
  }
}

/** One turn of all contestants; undefined where the peer gave no figures in it, which says nothing of ours. */
async function pairOf(names, run, plan, n) {
  const outcomes = {};
  for (const name of inTurn(names, n)) {
    outcomes[name] = await run(name, plan);
    const { kind } = outcomes[name];
    if (kind !== 'figures') return name === 'subject' ? { ours: outcomes[name] } : { theirs: outcomes[name] };
  }
  return { figures: Object.fromEntries(names.map((name) => [name, outcomes[name].figures])) };
}

/**
 * Adds pairs to what was measured until there are `count`. Ours is to blame for the first run of it that gives nothing:
 * that becomes the outcome. The peer may fail a few times.
 */
async function addPairs(measured, names, run, count) {
  while (measured.pairs.length < count && measured.subject.kind === 'figures') {
    const turn = measured.pairs.length + measured.peerFailures.length;
    const { figures, ours, theirs } = await pairOf(names, run, measured.plan, turn);
    if (figures) measured.pairs.push(figures);
    if (ours) measured.subject = ours;
    if (theirs) measured.peerFailures.push(theirs);
    if (measured.peerFailures.length >= MOST_PEER_FAILURES) return;
  }
}

/**
 * Measures a cell. `run(NAME, PLAN)` runs the contestant `subject` (ours), `base` (the peer) or `control` (the peer once
 * more) and returns its outcome. `pairs` are measured at first, and twice as many as long as `told(measured)` is false, up
 * to `most`. Returns `{ cell, plan, base, subject, pairs, peerFailures }`, where `base` is undefined in cells where the
 * peer is known to hang.
 */
export async function measureCell(cell, run, { pairs, most, seconds, quick }, told) {
  if (cell.peerHangs) {
    const plan = planOf(ALONE_ITERATIONS);
    return { cell, plan, base: undefined, subject: await run('subject', plan), pairs: [], peerFailures: [] };
  }
  const { outcome: base, plan } = await pilot(cell, run, quick ? AIMED_SECONDS : seconds);
  const both = base.kind === 'figures';
  // The first run of ours is not kept: files that are not in memory yet. Where the peer refuses it is the comparison.
  const first = planOf(FIRST_GUESS(cell.size));
  const measured = { cell, plan, base, subject: await run('subject', first), pairs: [], peerFailures: [] };
  if (!both) return measured;
  const names = quick ? ['subject', 'base'] : ['subject', 'base', 'control'];
  for (let count = pairs; ; count = Math.min(most, count * 2)) {
    await addPairs(measured, names, run, count);
    if (measured.pairs.length < count || count >= most || told(measured)) return measured;
  }
}
