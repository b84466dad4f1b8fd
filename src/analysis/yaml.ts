/** YAML, in a bundle of its own: few commands read it, and it is a seventh of all code (src/analysis/expect-file.ts loads it). */
export { parse } from 'yaml';
