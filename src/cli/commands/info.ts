import { ucxAbilities } from '../../bench/ucx-perftest/abilities.js';
import { VERSION } from '../../bench/version.js';
import { LoadError } from '../../engine/errors.js';
import { builtAddons } from '../../engine/load.js';
import { infoJson, infoText, type Info } from '../info.js';
import { gatherVerbs } from '../info-verbs.js';
import { done, type Command } from './command.js';

function gatherInfo(): Info {
  const here = { version: VERSION, node: process.version, addons: builtAddons(), verbs: gatherVerbs() };
  try {
    return { ...here, ucx: ucxAbilities(), problem: null };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { ...here, ucx: null, problem: error.message };
  }
}

export const info: Command = {
  usage: 'info',
  summary:
    'say what is here: native parts, the transports of UCX, what each can do and which tests it can run, RDMA devices',
  options: (parser) => parser.option('json', { type: 'boolean', describe: 'write it as JSON' }),
  run: ({ json }) => {
    const all = gatherInfo();
    return done(json ? infoJson(all) : infoText(all));
  },
};
