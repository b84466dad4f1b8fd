/** A topology as options name it. */
import { existsSync } from 'node:fs';
import type { TopologyRequest } from './types.js';

/** `package:2 [numa] core:4 pu:2` has levels with numbers, which no file of hwloc's is likely to be called by. */
const DESCRIPTION = /(?:^|\s)[A-Za-z]\w*:\d+/;

/** By the name of an XML file, or by one of hwloc's synthetic descriptions. A file that there is wins. */
export function requestNamed(text: string): TopologyRequest {
  return DESCRIPTION.test(text) && !existsSync(text) ? { synthetic: text } : { xml: text };
}
