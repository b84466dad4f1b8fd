/** Why a launch failed, in one sentence, from what ranks and launchers print. */

/** Before any rank has begun. */
export const NOT_REACHED =
  "a host has started no ranks: it can't be reached, or its PATH has no MPI of this kind; what is said above tells which";

/** What Open MPI's mpirun and MPICH's Hydra say of a process that a signal ended, or of a host that they have lost. */
const BANNERS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    /noticed that process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+) \(([^)]*)\)/,
    ([, rank, host, signal, name]) => `rank ${rank} on ${host} was ended by signal ${signal} (${name})`,
  ],
  [
    /lost communication with a remote daemon[^]*Remote daemon\s*: \S+ on node (\S+)/,
    ([, host]) => `${host} is lost: the network to it is down, or Open MPI's daemon there was killed`,
  ],
  [
    /PID (\d+) RUNNING AT (\S+)[^]*EXIT STRING: (.*) \(signal (\d+)\)/,
    ([, pid, host, name, signal]) => `a rank on ${host} (process ${pid}) was ended by signal ${signal} (${name})`,
  ],
  // Two of one failure: the second asks to report it to the developers.
  [/unable to reliably start one or more daemons/, () => NOT_REACHED],
  [/does not know how to route a message to the specified daemon/, () => NOT_REACHED],
  // Where ranks are on several hosts Hydra falls over its own feet before it says more.
  [
    /PID (\d+) RUNNING AT (\S+)[^]*EXIT CODE: (\d+)/,
    ([, pid, host, code]) => `a rank on ${host} (process ${pid}) died (exit code ${code})`,
  ],
];
const STUCK = /^fabricbench: (rank \d+ made no progress .*), so the process ends;/;
const FAILED = /^(?!warning|note)\S+: (rank \d+(?: on \S+)?: .*)$/;

/** What Hydra tells of its own ways when it has lost one of its daemons; all that it says to a user is in `HYDRA_LOST`. */
const HYDRA_TRACE =
  /^\[(?:mpiexec|proxy:\S+)@\S+\] \w+ \(\S+:\d+\): (?:assert \(!closed\) failed|callback returned error|demux engine error|one of the processes terminated badly|launcher returned error|process manager error|error waiting for event|write error|unable to (?:write data to proxy|send signal downstream))/;
const HYDRA_LOST = "a host is lost: the network to it is down, or MPICH's daemon (hydra_pmi_proxy) there was killed";

/** Whether a line is Hydra's trace of a failure that has a sentence here. */
export const isTrace = (line: string): boolean => HYDRA_TRACE.test(line);

/** Keeps the first cause that was told; later ones are what became of it. */
export class Causes {
  /** What began it. */
  #first: string | undefined;
  #untold: string | undefined;
  /** What it was where nobody says more. */
  #guess: string | undefined;
  #part = '';
  readonly #stuck: () => void;

  /** @param stuck called when a rank's watchdog has bitten */
  constructor(stuck: () => void = () => undefined) {
    this.#stuck = stuck;
  }

  get first(): string | undefined {
    return this.#first ?? this.#guess;
  }

  /** The cause, where nobody but a launcher's banner has told it. */
  get untold(): string | undefined {
    return this.#first === undefined ? this.#guess : this.#untold;
  }

  /** Takes what is shown on stderr, in pieces as it comes. */
  text(piece: string): void {
    const lines = (this.#part + piece).split('\n');
    this.#part = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    const stuck = STUCK.exec(line)?.[1];
    this.#first ??= stuck ?? FAILED.exec(line)?.[1];
    if (stuck !== undefined) this.#stuck();
    if (isTrace(line)) this.#guess = HYDRA_LOST;
  }

  /** Takes a banner; whether it is one whose sentence is to be shown in its place. */
  banner(text: string): boolean {
    for (const [known, sentence] of BANNERS) {
      const match = known.exec(text);
      if (!match) continue;
      if (this.#first === undefined) this.#untold = sentence(match);
      this.#first ??= sentence(match);
      return true;
    }
    return false;
  }
}
