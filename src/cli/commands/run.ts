import { declareOptions } from '../../launch/options.js';
import { runBenchmark } from '../../launch/run.js';
import type { Command } from './command.js';

export const run: Command = {
  usage: 'run <benchmark>',
  summary: 'start the ranks of a benchmark by the MPI that is here, once or in repeated launches',
  options: declareOptions,
  advice: "fabricbench run --help names its options, and the benchmark's own follow --",
  takesRest: true,
  run: runBenchmark,
};
