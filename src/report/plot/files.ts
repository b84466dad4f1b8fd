/** Names of the files that plots go to. Small, since every rank loads it; what draws is loaded where it is used. */
import { join } from 'node:path';
import { checkWritable } from '../record-target.js';
import type { PlotRequest } from './types.js';

/** The drawing of one section: with several sections, named after program and datatype. */
export function svgName({ name, datatypes, folder = '' }: PlotRequest, datatype: string | undefined): string {
  return join(folder, datatype === undefined || datatypes.length < 2 ? `${name}.svg` : `${name}-${datatype}.svg`);
}

export function htmlName({ name, folder = '' }: PlotRequest): string {
  return join(folder, `${name}.html`);
}

/** Says before the run which file can't be written and why, in a sentence; undefined = all can. */
export function checkPlots(request: PlotRequest): string | undefined {
  const { graphs, datatypes } = request;
  const sections = datatypes.length === 0 ? [undefined] : datatypes;
  const drawings = graphs.includes('svg') ? sections.map((datatype) => svgName(request, datatype)) : [];
  const pages = graphs.includes('html') ? [htmlName(request)] : [];
  return [...drawings, ...pages].map((file) => checkWritable(file, 'plot')).find((sentence) => sentence !== undefined);
}
