import { programs } from '../../bench/suites/index.js';
import { listJson, listPrograms, listText } from '../program-list.js';
import { done, type Command } from './command.js';

export const list: Command = {
  usage: 'list',
  summary: 'name all programs: how many ranks they take, what they measure, what they need',
  options: (parser) => parser.option('json', { type: 'boolean', describe: 'write them as JSON' }),
  run: ({ json }) => {
    const all = listPrograms(programs.values());
    return done(json ? listJson(all) : listText(all));
  },
};
