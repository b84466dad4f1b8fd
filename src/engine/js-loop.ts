import { compileFunction } from 'node:vm';
import type { Operation, Program } from './types.js';

/**
 * Runs `groups` times `perSample` iterations and writes one duration per group to `samples`; returns the sum of all timed
 * parts in seconds. `now` reads the clock in seconds; `iteration` counts every iteration, as two words of 32 bits. To
 * `split` the seconds of each timed operation are added, where the program asks for it.
 */
export type Loop = (
  groups: number,
  perSample: number,
  samples: Float64Array,
  now: () => number,
  iteration: Uint32Array,
  split: Float64Array,
) => number;

type Lists = readonly [before: readonly Operation[], timed: readonly Operation[], after: readonly Operation[]];

let compiled = 0;

/**
 * The loop of a program, compiled for it alone: one call site per operation. V8 calls a native function fast (some 10 ns)
 * only from a call site that has never seen another one; a loop over an array, or one shared by all programs, costs 20 to
 * 30 ns more per call.
 */
export function compileLoop(program: Program): Loop {
  const lists: Lists = [program.untimed?.before ?? [], program.timed, program.untimed?.after ?? []];
  const operations = lists.flat();
  const split = program.split === true;
  const body = lists[0].length + lists[2].length === 0 && !split ? chained(lists) : separate(lists, split);
  const names = operations.map((_, index) => `o${index}`);
  // The number keeps V8 from taking the code, and with it what its call sites have seen, from an earlier program.
  compiled += 1;
  const source = `"use strict"; return function loop${compiled}(groups, perSample, samples, now, iteration, split) {${body}};`;
  const make = compileFunction(source, names) as (...functions: readonly Operation[]) => Loop;
  return make(...operations);
}

const countIteration = 'if (++iteration[0] === 0x100000000) iteration[1]++;';

/**
 * Source of the calls of list `index`. Holds nothing but numbers, so nothing of the user's is compiled. An operation that
 * comes several times running has one call site: less code for V8 to compile, which it does beside the measurement.
 */
function calls(lists: Lists, index: 0 | 1 | 2): string {
  const list = lists[index];
  let source = '';
  let at = lists.slice(0, index).reduce((sum, earlier) => sum + earlier.length, 0);
  for (let i = 0, times: number; i < list.length; i += times, at += times) {
    times = 1;
    while (list[i + times] === list[i]) times += 1;
    source += times === 1 ? `o${at}();` : `for (let k = 0; k < ${times}; k++) o${at}();`;
  }
  return source;
}

/** Only timed operations: every read of the clock ends one sample and begins the next. */
function chained(lists: Lists): string {
  return `
    const first = now();
    let last = first;
    for (let group = 0; group < groups; group++) {
      for (let i = 0; i < perSample; i++) { ${calls(lists, 1)} ${countIteration} }
      const time = now();
      samples[group] = time - last;
      last = time;
    }
    return last - first;`;
}

/** With untimed operations each timed part has a read of its own before and after it. */
function separate(lists: Lists, split: boolean): string {
  return `
    let total = 0;
    for (let group = 0; group < groups; group++) {
      let sum = 0;
      for (let i = 0; i < perSample; i++) {
        ${calls(lists, 0)}
        const start = now();
        ${split ? splitCalls(lists) : `${calls(lists, 1)} sum += now() - start;`}
        ${calls(lists, 2)}
        ${countIteration}
      }
      samples[group] = sum;
      total += sum;
    }
    return total;`;
}

/** The timed operations, each with a read of the clock after it, which is the beginning of the next. */
function splitCalls([before, timed]: Lists): string {
  const steps = timed.map((_, index) => {
    const read = `time = now(); split[${index}] += time - last; last = time;`;
    return `o${before.length + index}(); ${read}`;
  });
  return `let time = start, last = start; ${steps.join(' ')} sum += last - start;`;
}
