import { mapProgram } from '../../study/map/map.js';
import { studyCommand } from '../../study/command.js';

export const map = studyCommand(mapProgram);
