/** The published schema as validators: as it is, and closed against fields that it does not name. */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project.js';

const schema = JSON.parse(readFileSync(join(projectRoot, 'schema/result-1.json'), 'utf8')) as AnySchemaObject;

const options = { strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true };
const open = new Ajv2020(options).compile(schema);
const closed = new Ajv2020(options).compile({ ...(close(schema) as AnySchemaObject), $id: 'closed' });

/** Objects whose fields are listed take no others, unless the schema says that they do. */
function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, close(value)]));
  return inner.type === 'object' && 'properties' in inner ? { additionalProperties: false, ...inner } : inner;
}

function errorsOf(validate: ValidateFunction, record: unknown): string[] {
  return validate(record)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What readers check. */
export const schemaErrors = (record: unknown): string[] => errorsOf(open, record);

/** What we write must hold to this: nothing that the schema does not describe. */
export const strictSchemaErrors = (record: unknown): string[] => errorsOf(closed, record);
