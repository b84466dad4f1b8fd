/** What a run of either program came to, from what it printed. Pure. */

const ROW = /^(?:\d+(?:\.\d+)?,){7}\d+(?:\.\d+)?$/;
/** What three decimals of a microsecond round by, and a little for the decimals of the rate. */
const ROUNDING = 0.00051;

/**
 * Microseconds per message. `overall_lat` has three decimals, which is 10 % of what a store to shared memory takes; the
 * message rate says the same with all its digits. Where the two don't agree the rate counts something else.
 */
function overallOf(microseconds, rate) {
  const fine = 1e6 / rate;
  return Math.abs(fine - microseconds) <= ROUNDING ? fine : microseconds;
}

/** The last row of CSV in `stdout`: times in microseconds, rate per second, bandwidth in MiB/s. Undefined without one. */
export function figuresOf(stdout) {
  const line = stdout.split('\n').findLast((text) => ROW.test(text.trim()));
  if (line === undefined) return undefined;
  const [iterations, p50, , overall, , bandwidth, , rate] = line.trim().split(',').map(Number);
  return { iterations, p50, overall: overallOf(overall, rate), bandwidth, rate };
}

/** Complaints in a program's words: those of UCX's log, and those that start with the program's name. */
export function sentencesOf(text) {
  const said = [...text.matchAll(/(?:\bUCX +ERROR|^ucx_perftest:) +(.*\S)/gm)].map(([, sentence]) => sentence);
  return [...new Set(said)];
}

/** A server that counts the message that ends a stream makes it one more. */
const isCount = (iterations, asked) => iterations === asked || iterations === asked + 1;

/**
 * How a run ended, as `kind`: `figures` (with `figures`), `refused` (with `sentences`), `hung` or `failed` (with `about`).
 * `ended` is what the runner saw: `code` and `signal` of the process that prints, its `stdout` and `stderr`, and
 * `hung`, a sentence where it had to be ended. Figures beside an error are no figures.
 */
export function outcomeOf({ code, signal, stdout, stderr, hung }, asked) {
  if (hung) return { kind: 'hung', about: hung };
  const sentences = sentencesOf(`${stdout}\n${stderr}`);
  if (signal) return { kind: 'failed', about: `ended by ${signal}${sentences.map((text) => `: ${text}`).join('')}` };
  const figures = figuresOf(stdout);
  if (code !== 0) {
    if (sentences.length > 0) return { kind: 'refused', sentences };
    return { kind: 'failed', about: `exit code ${code} without a reason: ${lastLine(stderr) || 'no words at all'}` };
  }
  if (sentences.length > 0) return { kind: 'failed', about: `exit code 0 after an error: ${sentences[0]}` };
  if (!figures) return { kind: 'failed', about: 'exit code 0 without figures' };
  if (isCount(figures.iterations, asked)) return { kind: 'figures', figures };
  return { kind: 'failed', about: `counted ${figures.iterations} iterations, not ${asked}` };
}

const lastLine = (text) => text.trimEnd().split('\n').at(-1);

const plain = (text) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/**
 * How a refusal's reason compares with the peer's: `same` where it holds the peer's first sentence, which names what is
 * missing; `general` where it holds only the status that the peer ends on; else `other`.
 */
export function compareReasons(ours, theirs) {
  const said = plain(ours.join(' | '));
  if (said.includes(plain(theirs[0]))) return 'same';
  const status = theirs.at(-1).split(': ').at(-1);
  return said.includes(plain(status)) ? 'general' : 'other';
}
