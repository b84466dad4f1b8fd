/**
 * What launchers add to a failure: Open MPI's banners on stderr, MPICH's on stdout, among the results. What the ranks have
 * told of already, or what tells of nothing but that we ended the job, is left out; what tells of a crash or of a wrong
 * set-up is passed on, on stderr.
 */

import { Causes, isTrace } from './cause.js';

/** What comes of a text: `stays` in its stream, `leaves` for stderr. */
export interface Sorted {
  readonly stays: string;
  readonly leaves: string;
}

export interface NoiseFilter {
  /** What of the text is to be passed on now. */
  take(text: string): Sorted;
  /** What is left at the end. */
  rest(): Sorted;
}

/** Text to whole lines. Of a line without an end, what can't become one that matters is handed on at once. */
class Lines {
  readonly #matters: RegExp;
  #part = '';

  /** @param matters what a line that may matter begins with */
  constructor(matters: RegExp) {
    this.#matters = matters;
  }

  /** @param keeps whether a line without an end must wait for it */
  take(text: string, line: (line: string) => string, keeps: () => boolean): string {
    const lines = (this.#part + text).split('\n');
    this.#part = lines.pop() ?? '';
    const done = lines.map(line).join('');
    if (keeps() || this.#matters.test(this.#part)) return done;
    return done + this.rest();
  }

  /** What has no end, once. */
  rest(): string {
    const part = this.#part;
    this.#part = '';
    return part;
  }
}

/** The line above and below a banner of Open MPI. */
const RULE = /^-{20,}$/;
const KNOWN_BANNERS = [
  /^Primary job {1,2}terminated normally, but/,
  /^MPI_ABORT was invoked on rank /,
  /^\S+ detected that one or more processes exited with non-zero status/,
];

/** Open MPI's banners on exit codes and on MPI_Abort: they come where nobody else has said anything. */
export class StderrFilter implements NoiseFilter {
  readonly #lines = new Lines(/^[-[]/);
  /** Lines of a banner that has no end yet; undefined outside. */
  #banner: string[] | undefined;
  #dropped = '';
  #hasPassed = false;
  readonly #causes: Causes;

  constructor(causes = new Causes()) {
    this.#causes = causes;
  }

  take(text: string): Sorted {
    this.#causes.text(text);
    const passed = this.#lines.take(
      text,
      (line) => this.#line(line),
      () => this.#banner !== undefined,
    );
    this.#hasPassed ||= passed.trim() !== '';
    return { stays: passed, leaves: '' };
  }

  rest(): Sorted {
    const left = (this.#banner ?? []).map((line) => `${line}\n`).join('') + this.#lines.rest();
    this.#banner = undefined;
    return { stays: this.#hasPassed || left.trim() !== '' ? left : this.#dropped, leaves: '' };
  }

  #line(line: string): string {
    if (this.#banner) return this.#inBanner(this.#banner, line);
    if (isTrace(line)) return '';
    if (!RULE.test(line)) return `${line}\n`;
    this.#banner = [line];
    return '';
  }

  #inBanner(banner: string[], line: string): string {
    banner.push(line);
    if (!RULE.test(line)) return '';
    this.#banner = undefined;
    const text = banner.map((one) => `${one}\n`).join('');
    if (this.#causes.banner(text)) return '';
    if (!KNOWN_BANNERS.some((known) => known.test(banner[1] ?? ''))) return text;
    this.#dropped += text;
    return '';
  }
}

const HYDRA_LINES =
  /^(={20,}|= {3}.*|YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*|This typically refers to a problem with your application\.|Please see the FAQ page for debugging suggestions)$/;

/** MPICH's words on crashes, which are no results; after a job that we ended they are nothing at all. */
export class StdoutFilter implements NoiseFilter {
  readonly #lines = new Lines(/^[=YTP]/);
  readonly #wasEnded: () => boolean;
  readonly #causes: Causes;
  #leaves = '';

  constructor(wasEnded: () => boolean, causes = new Causes()) {
    this.#wasEnded = wasEnded;
    this.#causes = causes;
  }

  take(text: string): Sorted {
    const stays = this.#lines.take(
      text,
      (line) => this.#line(line),
      () => false,
    );
    return { stays, leaves: '' };
  }

  rest(): Sorted {
    const known = this.#wasEnded() || this.#causes.banner(this.#leaves);
    return { stays: this.#lines.rest(), leaves: known ? '' : this.#leaves };
  }

  #line(line: string): string {
    if (!HYDRA_LINES.test(line)) return `${line}\n`;
    this.#leaves += `${line}\n`;
    return '';
  }
}
