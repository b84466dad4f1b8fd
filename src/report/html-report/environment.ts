/** Of what is known of the runs: in what they differ, and what is the same in all. */
import { factsOf } from '../../analysis/facts.js';
import { statedOptions } from '../../analysis/differences.js';
import { testOf } from '../../analysis/tests.js';
import type { ResultRecord } from '../../results/types.js';
import { groupsBy } from '../plot/panels.js';
import type { Run } from './runs.js';

/** A value, and the indices of the runs that have it. */
export interface FactValue {
  readonly text: string;
  readonly runs: readonly number[];
}

export interface Fact {
  readonly name: string;
  readonly values: readonly FactValue[];
}

export interface Environment {
  readonly differing: readonly Fact[];
  readonly same: readonly Fact[];
}

export const NOT_KNOWN = 'not recorded';
/** Of facts that each rank has. */
const MOST_RANKS = 64;

export function environmentOf(runs: readonly Run[]): Environment {
  const known = runs.map(({ records }) => factsOfRun(records));
  const names = [...new Set(known.flatMap((facts) => [...facts.keys()]))];
  const facts = names.map((name): Fact => ({ name, values: valuesOf(known.map((one) => one.get(name)), name) })); // prettier-ignore
  return {
    differing: facts.filter(({ values }) => values.length > 1),
    same: facts.filter(({ values }) => values.length === 1),
  };
}

/** Options count only where a run has the program at all, and there only where they differ. */
function valuesOf(texts: readonly (string | undefined)[], name: string): FactValue[] {
  const ofProgram = name.includes(OPTION);
  const all = texts.flatMap((text, run) => (text === undefined && ofProgram ? [] : [{ text: text ?? NOT_KNOWN, run }]));
  return [...groupsBy(all, ({ text }) => text)].map(([text, members]) => ({
    text,
    runs: members.map(({ run }) => run),
  }));
}

/** Between a program and its option, where it can be in no name. */
const OPTION = ', option ';
const SEVERAL = ' | ';

function factsOfRun(records: readonly ResultRecord[]): Map<string, string> {
  const all = new Map<string, Set<string>>();
  const add = (name: string, value: string): void => {
    all.set(name, (all.get(name) ?? new Set<string>()).add(value));
  };
  for (const record of records) {
    for (const [name, value] of ranksTogether(factsOf(record))) add(name, value);
    for (const [name, value] of optionFacts(record)) add(name, value);
  }
  return new Map([...all].map(([name, values]) => [name, [...values].join(SEVERAL)]));
}

/** `rank 0 on core 0` and `rank 1 on core 1` are one fact: there may be thousands. */
function ranksTogether(facts: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const kinds = groupsBy(facts, ([name]) => name.replace(/^rank \d+ on /, 'ranks on '));
  return [...kinds].flatMap(([name, members]) => {
    if (!name.startsWith('ranks on ')) return members;
    const values = members.slice(0, MOST_RANKS).map(([, value]) => value);
    return [[name, `${values.join(', ')}${members.length > MOST_RANKS ? ', …' : ''}`] as const];
  });
}

function optionFacts(record: ResultRecord): (readonly [string, string])[] {
  const [row] = record.rows;
  const program = row ? testOf(record, row).name : record.run.name;
  return [...statedOptions(record.run)].map(([name, value]) => [`${program}${OPTION}${name}`, value]);
}

/** Options that are the same in all are left out: the command lines tell what was asked for. */
export function isOption({ name }: Fact): boolean {
  return name.includes(OPTION);
}
