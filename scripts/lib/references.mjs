/** Builds the C programs that the benches compare with: test/reference/NAME.c -> build/reference/NAME. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesBelow, hashOf, inProject, run } from './project.mjs';

const newest = (files) => Math.max(...files.map((file) => statSync(file).mtimeMs));

/** Builds each source whose result is older than it, than any header, or was made by another command. */
export function buildReferences(sources, compiler) {
  const folder = inProject('build/reference');
  mkdirSync(folder, { recursive: true });
  const headers = ['csrc/engine', 'test/reference'].flatMap((from) => filesBelow(inProject(from), ['.h', '.hpp']));
  return sources.map((source) => {
    const target = join(folder, basename(source, '.c'));
    const options = ['-O3', '-std=gnu11', '-Wall', '-Wextra', '-I', inProject('csrc'), source, '-o', target, '-lm'];
    const stamp = hashOf([compiler, options]);
    const stampFile = `${target}.stamp`;
    const current = existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
    if (current && statSync(target).mtimeMs > newest([source, ...headers])) return { source, ok: true, log: '' };
    const [command, ...first] = compiler;
    const done = run(command, [...first, ...options]);
    if (done.ok) writeFileSync(stampFile, stamp);
    return { source, ok: done.ok, log: done.stderr };
  });
}
