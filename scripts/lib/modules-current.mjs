/**
 * Exits 0 where node_modules holds what package-lock.json asks for, else 1. npm records what it has installed, last of
 * all, in node_modules/.package-lock.json; packages for other platforms are optional and may be absent from it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { inProject } from './project.mjs';

const packagesOf = (file) => JSON.parse(readFileSync(inProject(file), 'utf8')).packages;
const record = 'node_modules/.package-lock.json';

function current() {
  if (!existsSync(inProject(record))) return false;
  const installed = packagesOf(record);
  const wanted = Object.entries(packagesOf('package-lock.json')).filter(([path]) => path !== '');
  return wanted.every(([path, { version, integrity, optional }]) => {
    const found = installed[path];
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

process.exitCode = current() ? 0 : 1;
