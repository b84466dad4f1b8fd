/** `fabricbench doctor`: what an experienced person would check before believing a number. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { showsColours } from '../colour.js';
import { differencesOf } from '../../doctor/differences.js';
import { spoils } from '../../doctor/examine.js';
import { filesBelow } from '../../doctor/files.js';
import { examineAlone, examineRanks, type DoctorOptions } from '../../doctor/here.js';
import { doctorJson, doctorText } from '../../doctor/text.js';
import { readLauncher } from '../../rendezvous/launcher.js';
import { EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';

/** The text of an option that may be given once. */
function textOf(given: Given, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new WrongUse(`--${name} is given several times: give it once`);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Without both, what isn't there would be taken for what the machine doesn't have, and all be found well. */
function folderOf(text: string | undefined): string {
  if (text === undefined) return '/';
  const folder = resolve(text);
  const wanted = 'name one that holds /proc and /sys of a machine';
  if (text === '' || !isFolder(folder)) throw new WrongUse(`--sysroot: there is no folder "${text}": ${wanted}`);
  const { list } = filesBelow(folder);
  const missing = ['/proc', '/sys'].filter((name) => list(name).length === 0);
  if (missing.length === 0) return folder;
  throw new WrongUse(`--sysroot: "${text}" has nothing in ${missing.join(' and ')}: ${wanted}`);
}

function ranksOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) > 0) return Number(text);
  throw new WrongUse(`--ranks: "${text}" is no number of ranks: give how many there will be on this host, from 1`);
}

function run(given: Given): Answer {
  const options: DoctorOptions = { root: folderOf(textOf(given, 'sysroot')), planned: ranksOf(textOf(given, 'ranks')) };
  const launcher = readLauncher(process.env);
  const underLauncher = launcher.launcher !== null;
  const nodes = underLauncher ? examineRanks(options, launcher) : examineAlone(options);
  // Rank 0 alone speaks, and gives the exit code: launchers end a job at the first rank that fails.
  if (nodes.length === 0) return { exitCode: EXIT.done, stdout: '', stderr: '' };
  const differences = differencesOf(nodes);
  return {
    exitCode: spoils(nodes, differences) ? EXIT.failed : EXIT.done,
    stdout: given['json'] ? doctorJson(nodes, differences) : doctorText(nodes, differences, { colour: showsColours() }),
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
      .option('sysroot', {
        type: 'string',
        describe: 'look at /proc, /sys and /etc below this folder',
        requiresArg: true,
      })
      .option('ranks', { type: 'string', describe: 'ranks that there will be on this host', requiresArg: true }),
  run,
};
