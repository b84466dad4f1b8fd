/** The barrier of MPICH's launcher before MPI ends, with a launcher that this test plays: at the other end of PMI_FD. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';

const MODULE = JSON.stringify(import.meta.resolve('../../src/mpi/meet-before-end.js'));
const MPICH = 'MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022';
/** By this descriptor rank and launcher talk. */
const FD = '3';
const LIMIT = 30_000;

/** A rank that waits for a word on stdin, meets the others, and shows what the launcher has said beyond the barrier. */
const rank = (library: string): string => `
  import { readFileSync, readSync } from 'node:fs';
  import { meetBeforeEnd } from ${MODULE};
  readSync(0, Buffer.alloc(1));
  meetBeforeEnd({ Get_library_version: () => ${JSON.stringify(library)} });
  process.stdout.write('over;' + (process.env.READ_REST ? readFileSync(${FD}, 'utf8') : ''));`;

interface Meeting {
  readonly library?: string;
  /** Null: there is none. */
  readonly fd?: string | null;
  /** Plays the launcher; the rank begins when it says `go`. */
  readonly launcher: (end: Duplex, go: () => void) => unknown;
  readonly readRest?: true;
}

/** What a rank prints, and whether it ended well. */
async function meet({ library = MPICH, fd = FD, launcher, readRest }: Meeting) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', rank(library)], {
    // Node makes a pair of sockets of the fourth, of which the rank's end blocks, as that of Hydra does.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, PMI_FD: fd ?? undefined, READ_REST: readRest && '1' },
    timeout: LIMIT,
    killSignal: 'SIGKILL',
  });
  const { stdin, stdout, stderr } = child;
  const end = child.stdio[3] as Duplex;
  // A rank that ends with words of the launcher unread resets the line.
  end.on('error', () => undefined);
  const output = Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  await launcher(end, () => stdin.end('g'));
  const [printed, complaint] = await output;
  end.destroy();
  return { printed, complaint, code: child.exitCode };
}

const well = (printed: string) => ({ printed, complaint: '', code: 0 });

/** The first that a rank says. */
const heard = async (end: Duplex): Promise<string> => String((await once(end, 'data'))[0]);

describe('meeting before MPICH ends', () => {
  it('asks the launcher for its barrier, and takes the whole answer and no more', async () => {
    const ended = await meet({
      readRest: true,
      launcher: async (end, go) => {
        go();
        expect(await heard(end)).to.equal('cmd=barrier_in\n');
        end.write('cmd=barr');
        await new Promise(setImmediate);
        end.end('ier_out\n');
      },
    });
    expect(ended).to.deep.equal(well('over;'));
  });

  for (const [name, library, fd] of [
    ['of an MPICH that meets by itself', MPICH.replace('4.0.2', '4.2.0'), FD],
    ['of a later one', MPICH.replace('4.0.2', '5.0.0'), FD],
    ['of Open MPI', 'Open MPI v4.1.4, package: Debian OpenMPI', FD],
    ['without a launcher', MPICH, null],
    ['with a PMI_FD that is no descriptor', MPICH, 'abc'],
  ] as const) {
    it(`says nothing to the launcher: a rank ${name}`, async () => {
      let said: Promise<string> | undefined;
      const launcher = (end: Duplex, go: () => void): void => {
        said = text(end);
        go();
      };
      expect(await meet({ library, fd, launcher })).to.deep.equal(well('over;'));
      expect(await said).to.equal('');
    });
  }

  describe('ends without the launcher', () => {
    it('that goes in place of an answer', async () => {
      const launcher = async (end: Duplex, go: () => void): Promise<void> => {
        go();
        await heard(end);
        end.destroy();
      };
      expect(await meet({ launcher })).to.deep.equal(well('over;'));
    });

    it('that went before', async () => {
      const launcher = async (end: Duplex, go: () => void): Promise<void> => {
        end.destroy();
        await once(end, 'close');
        go();
      };
      expect(await meet({ launcher })).to.deep.equal(well('over;'));
    });

    it('whose descriptor is closed', async () => {
      expect(await meet({ fd: '99', launcher: (_, go) => go() })).to.deep.equal(well('over;'));
    });

    it('whose answer has no end', async () => {
      const launcher = async (end: Duplex, go: () => void): Promise<void> => {
        go();
        await heard(end);
        end.write('x'.repeat(4096));
      };
      expect(await meet({ launcher })).to.deep.equal(well('over;'));
    });
  });
});
