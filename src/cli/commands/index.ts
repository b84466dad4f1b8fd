/** The commands of `fabricbench`, in the order of its help. */
import type { Command } from './command.js';
import { compare } from './compare.js';
import { importCommand } from './import.js';
import { info } from './info.js';
import { list } from './list.js';
import { report } from './report.js';

export const commands: readonly Command[] = [list, info, importCommand, compare, report];
