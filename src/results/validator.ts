/** The schema as a validator. With ajv in it this is a bundle of its own, loaded where records are read (validate.ts). */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import schema from '../../schema/result-1.json' with { type: 'json' };

export interface SchemaError {
  /** JSON pointer: `/rows/3/n`. */
  readonly pointer: string;
  readonly text: string;
}

const check = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, verbose: true }).compile(
  schema,
);

/** The first thing that isn't as the schema has it; undefined = all is. */
export function schemaError(value: unknown): SchemaError | undefined {
  if (check(value)) return undefined;
  const [first, ...more] = check.errors ?? [];
  if (!first) return { pointer: '', text: 'it does not match the schema' };
  return [first, ...more].map(described).reduce(deeper);
}

/** Of the ways that a part may look, the one that fits furthest is the one that was meant. */
function deeper(one: SchemaError, other: SchemaError): SchemaError {
  return other.pointer.split('/').length > one.pointer.split('/').length ? other : one;
}

function described({ keyword, instancePath, params, message, data }: ErrorObject): SchemaError {
  const given = params as Readonly<Record<string, unknown>>;
  return { pointer: instancePath, text: wordsOf(keyword, given, data) ?? message ?? keyword };
}

function wordsOf(keyword: string, params: Readonly<Record<string, unknown>>, data: unknown): string | undefined {
  switch (keyword) {
    case 'required':
      return `"${String(params.missingProperty)}" is missing`;
    case 'type':
      return `${shown(data)} stands where ${listed(params.type)} belongs`;
    case 'const':
      return `${shown(data)} stands where ${shown(params.allowedValue)} belongs`;
    case 'enum':
      return `${shown(data)} is none of ${(params.allowedValues as unknown[]).map(shown).join(', ')}`;
    default:
      return undefined;
  }
}

function listed(types: unknown): string {
  const names = Array.isArray(types) ? types.map(String) : String(types).split(',');
  return names.map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ');
}

const LONGEST_SHOWN = 40;

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}
