/** The commands of `fabricbench`, in the order of its help. */
import type { Command } from './command.js';
import { compare } from './compare.js';
import { congest } from './congest.js';
import { doctor } from './doctor.js';
import { history } from './history.js';
import { importCommand } from './import.js';
import { info } from './info.js';
import { list } from './list.js';
import { map } from './map.js';
import { plot } from './plot.js';
import { report } from './report.js';
import { run } from './run.js';
import { scan } from './scan.js';
import { validate } from './validate.js';

export const commands: readonly Command[] = [
  ...[list, info, doctor, run, scan, map, congest],
  ...[importCommand, compare, plot, report, history, validate],
];
