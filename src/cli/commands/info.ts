import { ucxAbilities, type UcxAbilities } from '../../bench/ucx-perftest/abilities.js';
import { VERSION } from '../../bench/version.js';
import { LoadError } from '../../engine/errors.js';
import { builtAddons } from '../../engine/load.js';
import { TopologyError } from '../../topology/errors.js';
import { requestNamed } from '../../topology/named.js';
import { readTopology } from '../../topology/read.js';
import type { TopologyRequest } from '../../topology/types.js';
import { infoJson, infoText, topologyJson, topologyText, type Info } from '../info.js';
import { gatherMpi } from '../info-mpi.js';
import { topologyInfo, type TopologyInfo } from '../info-topology.js';
import { gatherVerbs } from '../info-verbs.js';
import { done, EXIT, WrongUse, type Answer, type Command, type Given } from './command.js';

function gatherUcx(): { ucx: UcxAbilities | null; problem: string | null } {
  try {
    return { ucx: ucxAbilities(), problem: null };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { ucx: null, problem: error.message };
  }
}

/** A file or description that is no good is the user's, also where a variable of hwloc's names it. */
function gatherTopology(request: TopologyRequest): TopologyInfo {
  try {
    return topologyInfo(readTopology(request));
  } catch (error) {
    if (error instanceof TopologyError) throw new WrongUse(error.message);
    if (!(error instanceof LoadError)) throw error;
    return { topology: null, matrix: null, problem: error.message };
  }
}

/** MPI last: what its library does to the process when it is loaded must not show in what UCX says. */
function gatherInfo(topology: TopologyInfo): Info {
  const here = { version: VERSION, node: process.version, addons: builtAddons(), topology };
  return { ...here, ...gatherUcx(), verbs: gatherVerbs(), mpi: gatherMpi() };
}

function requestOf({ topology, synthetic }: Given): TopologyRequest {
  if (topology !== undefined && synthetic !== undefined) {
    throw new WrongUse('--topology and --synthetic both name a topology: name one of them');
  }
  const given = (value: unknown, option: string): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new WrongUse(`${option} takes one value: name it once`);
  };
  if (topology !== undefined) return requestNamed(given(topology, '--topology'));
  return synthetic === undefined ? {} : { synthetic: given(synthetic, '--synthetic') };
}

function run(options: Given): Answer {
  const request = requestOf(options);
  const topology = gatherTopology(request);
  const asked = request.xml !== undefined || request.synthetic !== undefined;
  if (asked && topology.problem !== null) {
    return { exitCode: EXIT.impossible, stdout: '', stderr: `fabricbench: ${topology.problem}\n` };
  }
  // Of another machine nothing else is known.
  if (topology.topology?.thisSystem === false)
    return done(options['json'] ? topologyJson(topology) : topologyText(topology));
  const all = gatherInfo(topology);
  return done(options['json'] ? infoJson(all) : infoText(all));
}

export const info: Command = {
  usage: 'info',
  summary:
    'say what is here: packages, NUMA nodes, network adapters and GPUs and what lies between them; MPI; the transports of UCX, what each can do and which tests it can run; RDMA devices',
  options: (parser) =>
    parser
      .option('json', { type: 'boolean', describe: 'write it as JSON' })
      .option('topology', {
        type: 'string',
        requiresArg: true,
        describe: 'show the topology in this XML file of lstopo, or of a description, and nothing else',
      })
      .option('synthetic', {
        type: 'string',
        requiresArg: true,
        describe: "show the topology of hwloc's description, such as 'package:2 core:4 pu:2'",
      }),
  run,
};
