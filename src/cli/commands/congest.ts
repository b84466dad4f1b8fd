import { studyCommand } from '../../study/command.js';
import { congestProgram } from '../../study/congest/congest.js';

export const congest = studyCommand(congestProgram);
