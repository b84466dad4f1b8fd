/** What V8 makes of bundles, kept in dist, so that not every process of a job has to make it anew. */
import { createHash } from 'node:crypto';
import Module from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const idOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** A bundle that ends with its id. V8 itself compares no more than the length of a source. */
export function withId(text) {
  return `${text}//${idOf(text)}`;
}

/** The code of all functions of a script, also of those that its start doesn't call. */
function compiled(filename, source) {
  setFlagsFromString('--no-lazy');
  try {
    return new Script(Module.wrap(source), { filename });
  } finally {
    setFlagsFromString('--lazy');
  }
}

/**
 * The code of bundles that end with their ids, as scripts/lib/launcher.cjs reads it. `sources` are pairs of a file's name, which
 * is what stack traces show, and its text.
 */
export function codeOf(sources) {
  const parts = sources.map(([filename, source]) => {
    const code = compiled(filename, source).createCachedData();
    return [Buffer.from(source.slice(-16) + code.length.toString(16).padStart(8, '0')), code];
  });
  return Buffer.concat(parts.flat());
}
