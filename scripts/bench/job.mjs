/**
 * A job: a program on two ranks that stays alive and measures when asked to. While it isn't asked both ranks block on a
 * socket of theirs, so that any number of jobs can live at once and only one of them ever runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { allowedProcessors, command, environment } from './launch.mjs';

const START_SECONDS = 60;
const ANSWER_SECONDS = 60;
const END_SECONDS = 10;

function within(seconds, promise, sentence) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(sentence)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** One rank's end of the talk. Its first line says who it is: `RANK PID`. */
class Rank {
  constructor(socket) {
    this.socket = socket;
    socket.on('error', () => undefined); // the end of its lines says it too
    this.lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }
  async line() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('a rank ended');
    return value;
  }
  async introduce() {
    const [rank, pid] = (await this.line()).split(' ').map(Number);
    return Object.assign(this, { rank, pid });
  }
}

export class Job {
  #child;
  #server;
  #ranks = [];

  /** @param name what the bench calls it; @param program its command line, to which `--serve SOCKET` is added */
  constructor(name, program) {
    this.name = name;
    this.program = program;
  }

  /** Starts it and waits until both ranks are ready to be asked. */
  async start(pml, folder) {
    const path = `${folder}/${this.name}.socket`;
    const connected = this.#connections(path);
    // A session folder of its own: several mpirun that start and end together race for the one that they would share.
    const session = `${folder}/${this.name}`;
    mkdirSync(session);
    const [file, ...args] = command(pml, [...this.program, '--serve', path], ['--mca', 'orte_tmpdir_base', session]);
    this.#child = spawn(file, args, { env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
    const ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`${this.name}: its mpirun ended with code ${code} before it was ready.`);
    });
    const late = `${this.name}: not ready after ${START_SECONDS} s.`;
    this.#ranks = await within(START_SECONDS, Promise.race([connected, ended]), late);
    ended.catch(() => undefined); // from here on a job that ends is noticed by its sockets
    this.#checkBinding();
  }

  #connections(path) {
    return new Promise((resolve, reject) => {
      const ranks = [];
      this.#server = createServer((socket) => {
        const introduced = new Rank(socket).introduce();
        introduced.catch(reject);
        ranks.push(introduced);
        if (ranks.length === 2) Promise.all(ranks).then((all) => resolve(all.sort((a, b) => a.rank - b.rank)), reject);
      });
      this.#server.on('error', reject);
      this.#server.listen(path);
    });
  }

  #checkBinding() {
    const cores = this.#ranks.map(({ pid }) => allowedProcessors(pid));
    if (cores[0] !== cores[1]) return; // unbound ranks may both use all of them
    throw new Error(`${this.name}: its ranks must have a core each, but may use ${cores.join(' and ')}.`);
  }

  /** Process numbers by rank. */
  get pids() {
    return this.#ranks.map(({ pid }) => pid);
  }

  /** Sends one line to both ranks and returns rank 0's answer, once both have answered. */
  async ask(line) {
    for (const { socket } of this.#ranks) socket.write(`${line}\n`);
    const answers = Promise.all(this.#ranks.map((rank) => rank.line()));
    const [seconds] = await within(ANSWER_SECONDS, answers, `no answer in ${ANSWER_SECONDS} s`).catch((error) => {
      throw new Error(`${this.name} was asked "${line}": ${error.message}.`);
    });
    return Number(seconds);
  }

  /** Ends it in good order, or at once where it doesn't end. */
  async stop() {
    for (const { socket } of this.#ranks) socket.end();
    this.#server?.close();
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#ranks.length < 2) this.#child.kill();
    await within(END_SECONDS, ended, 'late').catch(() => this.#child.kill('SIGKILL'));
  }
}
