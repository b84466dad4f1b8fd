import { studyCommand } from '../../study/command.js';
import { scanProgram } from '../../study/scan/scan.js';

export const scan = studyCommand(scanProgram);
