/**
 * The tables of docs/record.md, made of the descriptions in schema/result-1.json. Without --write it says whether they are
 * up to date, and exits 1 if not.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fail, inProject } from './lib/project.mjs';

const BEGIN = '<!-- Made by scripts/record-doc.mjs of the schema: from here -->';
const END = '<!-- to here -->';
const file = inProject('docs/record.md');
const schema = JSON.parse(readFileSync(inProject('schema/result-1.json'), 'utf8'));

/** A part of the schema without references; what stands beside a reference goes before what it refers to. */
function resolved({ $ref, ...own }) {
  if ($ref === undefined) return own;
  const name = $ref.replace('#/$defs/', '');
  if (!schema.$defs[name]) fail(`The schema refers to ${$ref}, which it does not define.`);
  return { ...resolved(schema.$defs[name]), ...own };
}

/** The part that is not null, and whether null may stand there. */
function withoutNull(part) {
  const whole = resolved(part);
  if (!whole.anyOf) return { part: whole, nullable: [whole.type].flat().includes('null') };
  const { anyOf, ...own } = whole;
  const choices = anyOf.map(resolved);
  const [first, ...others] = choices.filter(({ type, const: only }) => type !== 'null' && only === undefined);
  if (!first || others.length > 0)
    fail(`The schema has a choice that docs/record.md can't show: ${JSON.stringify(part)}.`);
  return { part: { ...first, ...own }, nullable: choices.some(({ type }) => type === 'null') };
}

const shown = (value) => (value === null ? 'null' : `\`${value}\``);

function typeText(part) {
  const { part: inner, nullable } = withoutNull(part);
  if (inner.enum) return inner.enum.map(shown).join(', ');
  if (inner.const !== undefined) return shown(inner.const);
  const types = [inner.type].flat().filter((type) => type !== 'null');
  const texts = types.map((type) => (type === 'array' ? `array of ${itemText(inner.items)}` : type));
  return [...texts, ...(nullable ? ['null'] : [])].join(' or ');
}

function itemText(items = {}) {
  const { type } = withoutNull(items).part;
  return { object: 'objects', string: 'strings', integer: 'integers', number: 'numbers' }[[type].flat()[0]] ?? 'values';
}

/** Objects below a part, with the paths by which jq knows them. */
function* objectsOf(part, path) {
  const { part: inner } = withoutNull(part);
  if (inner.type === 'array') yield* objectsOf(inner.items ?? {}, `${path}[]`);
  if (inner.type !== 'object') return;
  if (inner.properties) yield { path, description: inner.description, part: inner };
  for (const [name, child] of Object.entries(inner.properties ?? {})) yield* objectsOf(child, `${path}.${name}`);
  if (typeof inner.additionalProperties === 'object') yield* objectsOf(inner.additionalProperties, `${path}.NAME`);
}

/** Two objects of one definition are told once. */
function* once(objects) {
  const seen = new Map();
  for (const object of objects) {
    const text = JSON.stringify(object.part.properties);
    const before = seen.get(text);
    if (before) before.also.push(object.path);
    else seen.set(text, { ...object, also: [] });
  }
  yield* seen.values();
}

function tableOf({ path, also, description, part }) {
  const rows = Object.entries(part.properties).map(([name, field]) => {
    const { description: own = '' } = withoutNull(field).part;
    if (own === '') fail(`The schema has no description of ${path}.${name}: add one.`);
    const optional = part.required?.includes(name) ? '' : ' (optional)';
    return `| \`${name}\`${optional} | ${typeText(field)} | ${own.replaceAll('|', '\\|')} |`;
  });
  const title = [path === '' ? '.' : path, ...also].map((one) => `\`${one}\``).join(', ');
  const told = path === '' ? [description, ''] : [];
  return [`### ${title}`, '', ...told, '| field | type | what it is |', '| --- | --- | --- |', ...rows, ''];
}

const tables = [...once(objectsOf(schema, ''))].flatMap(tableOf);
const text = readFileSync(file, 'utf8');
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) fail(`docs/record.md has no place for the tables: it lacks ${BEGIN} and ${END}.`);
const wanted = `${before}${BEGIN}\n\n${tables.join('\n')}\n${END}${after}`;
if (process.argv.includes('--write')) writeFileSync(file, wanted);
else if (text !== wanted)
  fail('The tables of docs/record.md are not those of the schema: run node scripts/record-doc.mjs --write.');
