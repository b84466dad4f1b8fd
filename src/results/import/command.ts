/** Command lines in a text: after a shell's prompt or bare, with launchers and settings before the program. */
import { basename } from 'node:path';
import { parseCpuList } from '../../engine/affinity.js';
import type { Line } from './lines.js';
import { splitWords } from './shell.js';

export type Tool = 'osu' | 'imb' | 'perftest' | 'ucx_perftest';

export interface Command {
  readonly line: number;
  readonly words: readonly string[];
  /** Undefined where a script is started, of which the line says no more. */
  readonly tool: Tool | undefined;
  /** Without folder and ending: `ib_write_lat`. */
  readonly program: string | undefined;
  /** Before the program: launcher, binding; '' where there is nothing. */
  readonly launcher: string;
  /** After the program, up to a pipe or what follows. */
  readonly args: readonly string[];
  /** Environment variables and settings of MPI that the line makes. */
  readonly settings: Readonly<Record<string, string>>;
  /** Processors that the line binds this one process to. */
  readonly cpus: readonly number[] | undefined;
}

const TOOLS: readonly (readonly [RegExp, Tool])[] = [
  [/^osu_[a-z]\w*$/, 'osu'],
  [/^ib_(?:send|write|read|atomic)_(?:lat|bw)$/, 'perftest'],
  [/^raw_ethernet_\w+$/, 'perftest'],
  [/^ucx_perftest$/, 'ucx_perftest'],
  [/^IMB-[A-Z]\w*(?:-GPU)?$/, 'imb'],
];
const LAUNCHERS = /^(?:mpirun|mpiexec|orterun|prterun|prun|srun|aprun|ibrun|jsrun|lrun|yhrun|poe)(?:[.-]\w+)*$/;
const WRAPPERS =
  /^(?:numactl|taskset|chrt|nice|timeout|time|sudo|env|stdbuf|ssh|nohup|node|singularity|apptainer|docker|podman|sarus)$/;
const SETTING = /^[A-Za-z_]\w*=/;
const ENDS = /^(?:\||\|\||&&?|;|>|>>|<|\d?>&?\d?|\d>.*|&>.*)$/;

/** What stands before a command: a shell's prompt, `+` of set -x, or a word that says so. */
const PROMPT =
  /^(?:(?:\([\w.-]+\)\s*)?(?:\[[^\]]*\]|[\w.-]+@[\w.-]+(?::\S*)?|bash-[\d.]+|~|\w:\\\S*)?\s*[$#%>\u276f]\s*|\++\s+|(?:cmd|command|command line|running|executing)\s*:\s*)/i;

/** What every command has somewhere: a tool's name or a launcher's. Of most lines no more needs to be looked at. */
const COMMAND = /osu_|ib_|raw_ethernet_|ucx_perftest|IMB-|run|mpiexec|poe/;

/** The command that a line is, or undefined. */
export function commandOf({ number, text }: Line): Command | undefined {
  if (!COMMAND.test(text)) return undefined;
  const prompt = PROMPT.exec(text)?.[0] ?? '';
  const words = splitWords(text.slice(prompt.length));
  const at = words.findIndex((word) => toolOf(word) !== undefined);
  const start = words.findIndex((word) => !SETTING.test(word));
  if (start < 0 || !(at >= 0 ? startsProgram(words, start, at, prompt) : startsScript(words, start))) return undefined;
  const [program, tool] = toolOf(words[at] ?? '') ?? [];
  const end = words.findIndex((word, index) => index > at && ENDS.test(word));
  const args = at < 0 ? [] : words.slice(at + 1, end < 0 ? undefined : end);
  if (tool !== undefined && prompt === '' && isProse(args)) return undefined;
  const before = at < 0 ? words : words.slice(start, at);
  return {
    ...{ line: number, words, tool, program, args, launcher: before.join(' ') },
    settings: settingsOf(at < 0 ? words : words.slice(0, at)),
    cpus: before.some((word) => LAUNCHERS.test(basename(word))) ? undefined : cpusOf(before),
  };
}

function toolOf(word: string): readonly [program: string, tool: Tool] | undefined {
  const program = basename(word).replace(/\.(?:js|exe)$/, '');
  const tool = TOOLS.find(([pattern]) => pattern.test(program))?.[1];
  return tool === undefined ? undefined : [program, tool];
}

const starts = (word: string): boolean => LAUNCHERS.test(basename(word)) || WRAPPERS.test(basename(word));

/** After a prompt anything may begin a command; else it is the program, or what starts programs. */
function startsProgram(words: readonly string[], start: number, at: number, prompt: string): boolean {
  return start === at || starts(words[start] ?? '') || (prompt !== '' && !/^#+\s*$/.test(prompt));
}

/** A launcher with options and a program that isn't known. */
function startsScript(words: readonly string[], start: number): boolean {
  return LAUNCHERS.test(basename(words[start] ?? '')) && words.slice(start + 1).some((word) => /^-\w/.test(word));
}

/** Options have values, programs have a server, buffers or names; sentences have word after word. */
function isProse(args: readonly string[]): boolean {
  const bare = args.filter((word, index) => !word.startsWith('-') && !(args[index - 1] ?? '').startsWith('-'));
  const lower = bare.filter((word) => /^[a-z]{2,}[,:.]?$/.test(word));
  return lower.length > 2 || /[:.,]$/.test(args.at(-1) ?? '');
}

/** `A=B`, `-x A=B`, `-genv A B`, `--mca pml ucx`: what changes how MPI and UCX do their work. */
function settingsOf(words: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {};
  const put = (text: string): void => {
    const equals = text.indexOf('=');
    if (equals > 0) settings[text.slice(0, equals)] = text.slice(equals + 1);
  };
  words.forEach((word, index) => {
    const [next = '', last = ''] = words.slice(index + 1);
    if (SETTING.test(word) && !/^-(?:x|g?env)$/.test(words[index - 1] ?? '')) put(word);
    else if (word === '-x') put(next);
    else if (/^-g?env$/.test(word)) put(next.includes('=') ? next : `${next}=${last}`);
    else if (/^--?mca$/.test(word)) put(`OMPI_MCA_${next}=${last}`);
  });
  return settings;
}

/** `numactl --physcpubind=14`, `numactl -C 14`, `taskset -c 14`. */
function cpusOf(words: readonly string[]): readonly number[] | undefined {
  const text = words.join(' ');
  const [, list] =
    /(?:--physcpubind[= ]|numactl (?:.* )?-C ?|taskset (?:-\w+ )*-\w*c ?|--cpu-list[= ])([\d,-]+)/.exec(text) ?? [];
  return list === undefined ? undefined : cpuList(list);
}

/** Undefined where it is no list of processors. */
export function cpuList(text: string): readonly number[] | undefined {
  if (!/^\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*$/.test(text)) return undefined;
  return [...new Set(parseCpuList(text))].sort((a, b) => a - b);
}
