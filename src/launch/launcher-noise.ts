/**
 * What launchers add to a failure that the ranks have told of already: Open MPI's banners on exit codes, MPICH's after a
 * job that we ended. What tells of a crash or of a wrong set-up is passed on.
 */

/** The line above and below a banner of Open MPI. */
const RULE = /^-{20,}$/;
const KNOWN_BANNERS = [
  /^Primary job {1,2}terminated normally, but/,
  /^\S+ detected that one or more processes exited with non-zero status/,
];
const KNOWN_LINES =
  /^(={20,}|= {3}.*|YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*|This typically refers to a problem with your application\.|Please see the FAQ page for debugging suggestions)$/;

export class NoiseFilter {
  readonly #wasEnded: () => boolean;
  /** Of a line that has no end yet. */
  #part = '';
  /** Lines of a banner that has no end yet; undefined outside. */
  #banner: string[] | undefined;
  #dropped = '';
  #hasPassed = false;

  /** @param wasEnded whether it was us who ended the job */
  constructor(wasEnded: () => boolean) {
    this.#wasEnded = wasEnded;
  }

  /** What of the text is to be passed on now. */
  take(text: string): string {
    const lines = (this.#part + text).split('\n');
    this.#part = lines.pop() ?? '';
    const passed = lines.map((line) => this.#line(line)).join('');
    // What may become one of those lines waits for its end.
    const open = this.#banner === undefined && !/^[-=YTP]/.test(this.#part) ? this.#part : '';
    if (open !== '') this.#part = '';
    return this.#note(passed + open);
  }

  /** What is left at the end: all that was dropped, where nobody said anything else. */
  rest(): string {
    const left = [...(this.#banner ?? []), ...(this.#part === '' ? [] : [this.#part])]
      .map((line) => `${line}\n`)
      .join('');
    this.#banner = undefined;
    this.#part = '';
    return this.#hasPassed || left.trim() !== '' ? left : this.#dropped;
  }

  #note(text: string): string {
    this.#hasPassed ||= text.trim() !== '';
    return text;
  }

  #line(line: string): string {
    if (this.#banner) return this.#inBanner(this.#banner, line);
    if (RULE.test(line)) {
      this.#banner = [line];
      return '';
    }
    return this.#wasEnded() && KNOWN_LINES.test(line) ? '' : `${line}\n`;
  }

  #inBanner(banner: string[], line: string): string {
    banner.push(line);
    if (!RULE.test(line)) return '';
    this.#banner = undefined;
    const text = banner.map((one) => `${one}\n`).join('');
    if (!KNOWN_BANNERS.some((known) => known.test(banner[1] ?? ''))) return text;
    this.#dropped += text;
    return '';
  }
}
