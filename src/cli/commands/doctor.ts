/** `fabricbench doctor`: what an experienced person would check before believing a number. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import picocolors from 'picocolors';
import { differencesOf } from '../../doctor/differences.js';
import { spoils } from '../../doctor/examine.js';
import { examineAlone, examineRanks, type DoctorOptions } from '../../doctor/here.js';
import { doctorJson, doctorText } from '../../doctor/text.js';
import { readLauncher } from '../../rendezvous/launcher.js';
import { EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';

function folderOf(value: unknown): string {
  if (value === undefined) return '/';
  const folder = resolve(String(value));
  if (value === '' || Array.isArray(value) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new WrongUse(`--sysroot: there is no folder ${String(value)}: name one that holds /proc and /sys of a machine`);
  return folder;
}

function ranksOf(value: unknown): number | null {
  if (value === undefined) return null;
  const ranks = Number(value);
  if (Number.isSafeInteger(ranks) && ranks > 0 && /^\d+$/.test(String(value))) return ranks;
  throw new WrongUse(`--ranks: ${String(value)} is no number of ranks: give how many there will be on this host, from 1`);
}

function run(given: Given): Answer {
  const options: DoctorOptions = { root: folderOf(given['sysroot']), planned: ranksOf(given['ranks']) };
  const launcher = readLauncher(process.env);
  const underLauncher = launcher.launcher !== null;
  const nodes = underLauncher ? examineRanks(options, launcher) : examineAlone(options);
  // Rank 0 alone speaks, and gives the exit code: launchers end a job at the first rank that fails.
  if (nodes.length === 0) return { exitCode: EXIT.done, stdout: '', stderr: '' };
  const differences = differencesOf(nodes);
  // Under mpirun every rank has a terminal, even where the output goes to a file.
  const colour = !underLauncher && process.stdout.isTTY && picocolors.isColorSupported;
  return {
    exitCode: spoils(nodes, differences) ? EXIT.failed : EXIT.done,
    stdout: given['json'] ? doctorJson(nodes, differences) : doctorText(nodes, differences, { colour }),
    stderr: '',
  };
}

export const doctor: Command = {
  usage: 'doctor',
  summary:
    'say what on this machine would spoil results, and how to mend it; under mpirun on every node, with what differs between them',
  options: (parser) =>
    parser
      .option('json', { type: 'boolean', describe: 'write it as JSON' })
      .option('sysroot', { type: 'string', describe: 'look at /proc, /sys and /etc below this folder', requiresArg: true })
      .option('ranks', { type: 'string', describe: 'ranks that there will be on this host', requiresArg: true }),
  run,
};
