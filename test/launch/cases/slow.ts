/**
 * Runs a program of a suite with one rank that does something else for a while in each iteration, before or within what is
 * timed:
 *
 *     slow.js NAME RANK MILLISECONDS before|within [options of NAME]
 */
import { launch } from '../../../src/bench/main.js';
import type { Executor, Operation, Program } from '../../../src/engine/types.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { testOperations } from '../../native/test-addon.js';

const [name = '', rank = '', milliseconds = '', where = '', ...argv] = process.argv.slice(2);

/** Part of that time that every rank takes in its timed part: what the scheduler adds is little beside it. */
const USUAL = 0.1;
const sleep = (part: number): Operation => testOperations().sleepAt(undefined, Number(milliseconds) * part);

function usual(program: Program): Program {
  return { ...program, timed: [...program.timed, sleep(USUAL)] };
}

function slowed(program: Program): Program {
  if (where === 'within') return { ...program, timed: [sleep(1), ...program.timed] };
  const { before = [], after = [] } = program.untimed ?? {};
  return { ...usual(program), untimed: { before: [...before, sleep(1)], after } };
}

const change = String(readLauncher().rank) === rank ? slowed : usual;
const executor = (inner: Executor): Executor => ({ ...inner, start: (program) => inner.start(change(program)) });
launch(name, argv, { comparesCrowded: true, executor });
