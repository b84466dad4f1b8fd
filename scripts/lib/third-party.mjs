/** The licences of the packages that a bundle contains. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';

const packageOf = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(inProject(folder), 'package.json'), 'utf8'));
  const file = readdirSync(inProject(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no licence file, so that it can't be bundled.`);
  const text = readFileSync(join(inProject(folder), file), 'utf8').trim();
  return `${name} ${version} (${license})\n${'-'.repeat(72)}\n${text}\n`;
}

/** The text of THIRD-PARTY.txt for a bundle made of these input files (paths from the project's root). */
export function thirdPartyText(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter((folder) => folder !== undefined))].sort();
  return ['fabricbench bundles parts of these packages.\n', ...folders.map(section)].join('\n\n');
}
