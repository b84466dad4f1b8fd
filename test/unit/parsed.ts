import type { OsuSpec, ParsedOsu } from '../../src/cli/options.js';
import { parseOsu } from '../../src/cli/osu.js';

type Kind<K extends ParsedOsu['kind']> = Extract<ParsedOsu, { kind: K }>;

/** Parses what must come out as this kind of result. */
export function parsed<K extends ParsedOsu['kind']>(kind: K, spec: OsuSpec, argv: readonly string[]): Kind<K> {
  const result = parseOsu(argv, spec);
  if (result.kind !== kind) throw new Error(`${argv.join(' ')}: expected ${kind}, got ${JSON.stringify(result)}`);
  return result as Kind<K>;
}
