/**
 * An esbuild plugin that makes yargs start fast and read no files of its own when bundled.
 *
 * string-width and wrap-ansi build ICU segmenters and emoji tables when loaded: 35 ms in every rank. Packages with the
 * same interface that don't are bundled instead. y18n would look for yargs' translations in a folder above the bundle;
 * the keys of those translations are the English texts, which is all that these programs speak. The helpers would bring
 * all of yargs with them, where ranks use its parser alone. Node's assertions, which fail where a program calls yargs
 * wrongly, bring its streams with them: 9 ms.
 */
const english = `
import { format } from 'node:util';
const y18n = {
  __: (text, ...values) => format(text, ...values),
  __n: (one, other, count, ...values) => {
    const text = count === 1 ? one : other;
    return text.includes('%d') ? format(text, count, ...values) : format(text, ...values);
  },
  getLocale: () => 'en',
  setLocale: () => {},
  updateLocale: () => {},
};
export default () => y18n;
`;

const assertions = ['notStrictEqual', 'strictEqual'].map(
  (name) => `export const ${name} = (...values) => process.getBuiltinModule('node:assert').${name}(...values);`,
);

const replacements = {
  'yargs/helpers': `export { default as Parser } from 'yargs-parser';`,
  'string-width': `export { default } from 'fast-string-width';`,
  'wrap-ansi': `export { wrapAnsi as default } from 'fast-wrap-ansi';`,
  y18n: english,
  assert: assertions.join('\n'),
};

export const lightYargs = {
  name: 'light-yargs',
  setup({ initialOptions, onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.keys(replacements).join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'light-yargs', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'light-yargs' }, ({ path }) => ({
      contents: replacements[path],
      resolveDir: initialOptions.absWorkingDir,
    }));
  },
};
