/** What ucx_perftest says around its rows: boxes, heads, labels, and lines of UCX's log. */
import type { UcxTest } from '../../bench/suites/ucx-perftest.js';
import { ucxTests } from '../../bench/suites/ucx-perftest.js';

/** What the box before a test says. */
export interface Box {
  readonly api?: UcxTest['api'];
  readonly description?: string;
  readonly layout?: string;
  readonly sendMemory?: string;
  readonly receiveMemory?: string;
  readonly size?: number;
  readonly header?: number;
}

/** The box with what this line adds; undefined where it is none of its lines. */
export function boxOf(text: string, before: Box): Box | undefined {
  const [, name = '', value = ''] = /^\|\s*([A-Za-z][A-Za-z ]*):\s*(.*?)\s*\|?$/.exec(text) ?? [];
  switch (name) {
    case 'API':
      return { api: value.startsWith('transport') ? 'uct' : 'ucp' };
    case 'Test':
      return { ...before, description: value };
    case 'Data layout':
      return value === '(automatic)' ? before : { ...before, layout: value.replace(' ', '') };
    case 'Send memory':
      return { ...before, sendMemory: value };
    case 'Recv memory':
      return { ...before, receiveMemory: value };
    case 'Message size':
      return { ...before, size: Number(value) };
    case 'AM header size':
      return { ...before, header: Number(value) };
    default:
      return name === '' ? undefined : before;
  }
}

/** The test of a box's words: the same ones may be said of one test of each API. */
export const testOfBox = ({ api, description }: Box): UcxTest | undefined =>
  ucxTests.find((test) => test.description === description && test.api === api);

/** The heads above all columns: `latency (usec)` or `overhead (usec)`. */
export const isGroupHead = (text: string): boolean =>
  /^\|.*\b(?:latency|overhead) \(usec\)\s*\|\s*bandwidth \(MB\/s\)/.test(text);

/** The percentile of the line of heads; undefined where it is none. */
export function percentileOf(text: string): number | undefined {
  const [, percent] = /^\|\s*(?:Stage|Test)\s*\|\s*#\s*iterations\s*\|\s*([\d.]+)%ile\s*\|/.exec(text) ?? [];
  return percent === undefined ? undefined : Number(percent);
}

/** The label in the rule before a test of a batch, '' in a rule without one; undefined where the line is no rule. */
export function ruleLabel(text: string): string | undefined {
  return /^\+(.*?)-*(?:\+-*)*\+$/.exec(text)?.[1];
}

export interface LogLine {
  readonly time: Date;
  readonly host: string;
  readonly level: string;
  readonly message: string;
}

/** `[1701272338.822857] [node5:139520:0] libperf.c:542 UCX ERROR message` */
export function logLineOf(text: string): LogLine | undefined {
  const [, seconds, host, level, message] =
    /^\[(\d+\.\d+)\]\s+\[([^:\]]+):\d+:\S+?\]\s+\S+\s+UCX\s+([A-Z]+)\s+(.*)$/.exec(text) ?? [];
  if (host === undefined || level === undefined || message === undefined) return undefined;
  return { time: new Date(Number(seconds) * 1000), host, level, message };
}
