/** The commands of `fabricbench`, in the order of its help. */
import type { Command } from './command.js';
import { doctor } from './doctor.js';
import { info } from './info.js';
import { list } from './list.js';

export const commands: readonly Command[] = [list, info, doctor];
