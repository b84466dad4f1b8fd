/** What import makes of texts, for its tests. */
import { expect } from 'chai';
import { importText } from '../../src/results/import/index.js';
import type { ResultRecord } from '../../src/results/types.js';
import { strictSchemaErrors } from './schema.js';

export const imported = (text: string) => importText(text, { file: 'some.txt', label: 'some' });

/** The only record of a text in which nothing is amiss. */
export function onlyRecord(text: string): ResultRecord {
  const { records, problems } = imported(text);
  expect(problems).to.deep.equal([]);
  expect(records).to.have.length(1);
  const [record] = records;
  if (!record) throw new Error('no record');
  expect(strictSchemaErrors(JSON.parse(JSON.stringify(record)))).to.deep.equal([]);
  return record;
}
