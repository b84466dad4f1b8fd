/** Reads a file that is spoilt in many ways, argument 1 naming it, in a folder that argument 2 names. Prints what came of it. */
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readTopology, TopologyError } from '../../../src/topology/index.js';

const [, , file = '', folder = ''] = process.argv;
const whole = readFileSync(file, 'utf8');
const cut = (share: number): string => whole.slice(0, Math.floor(whole.length * share));

const spoilt: Readonly<Record<string, string>> = {
  ...Object.fromEntries([0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map((share) => [`cut at ${share}`, cut(share)])),
  'a set of no processors': whole.replace(/(type="Core"[^>]* cpuset=")[^"]*/, '$10x0'),
  'all sets alike': whole.replace(/cpuset="[^"]*"/g, 'cpuset="0x1"'),
  'a set without end': whole.replace(/(type="Package"[^>]* cpuset=")[^"]*/, '$10xf...f'),
  'no sets': whole.replace(/ (complete_|allowed_)?cpuset="[^"]*"/g, ''),
  'a processor of a large number': whole.replace(/(type="PU" os_index=")\d+/, '$14294967294'),
  'a node of a large number': whole.replace(/(type="NUMANode" os_index=")\d+/, '$14294967294'),
  'processors that are cores': whole.replace(/type="PU"/g, 'type="Core"'),
  'packages that are machines': whole.replace(/type="Package"/g, 'type="Machine"'),
  'packages that are processors': whole.replace(/type="Package"/g, 'type="PU"'),
  'an unknown type': whole.replace(/type="Core"/, 'type="Heart"'),
  'a wrong order of tags': whole.replace('</object>', '</topology>'),
  'no processors': whole.replace(/<object type="PU"[^>]*\/>/g, ''),
  'no content': '<topology version="2.0"></topology>',
  'a version that is to come': whole.replace('version="2.0"', 'version="9.0"'),
  'distances of too few': whole.replace(/nbobjs="\d+"/, 'nbobjs="1"'),
  'distances of too many': whole.replace(/nbobjs="\d+"/, 'nbobjs="1000"'),
  'distances of nodes that are not there': whole.replace(/(<indexes[^>]*>)0 1 /, '$17 9 '),
  'quotes left open': whole.replace(/os_index="0"/, 'os_index="0'),
  nonsense: `<topology>${'<object '.repeat(1000)}`,
};

const path = join(folder, 'spoilt.xml');
const outcomes = Object.entries(spoilt).map(([what, text]) => {
  writeFileSync(path, text);
  try {
    return [what, `${readTopology({ xml: path }).threads.length} processors`];
  } catch (error) {
    return [what, error instanceof TopologyError ? error.message.replace(path, 'FILE') : String(error)];
  }
});
writeSync(1, JSON.stringify(Object.fromEntries(outcomes)));
