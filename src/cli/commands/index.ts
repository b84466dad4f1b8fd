/** The commands of `fabricbench`, in the order of its help. */
import type { Command } from './command.js';
import { info } from './info.js';
import { list } from './list.js';
import { run } from './run.js';
import { validate } from './validate.js';

export const commands: readonly Command[] = [list, info, run, validate];
