/** What of a launcher's words on failures is passed on, and where. */
import { expect } from 'chai';
import fc from 'fast-check';
import { StderrFilter, StdoutFilter, type NoiseFilter, type Sorted } from '../../src/launch/launcher-noise.js';

const RULE = '-'.repeat(74);
const banner = (...lines: string[]): string => [RULE, ...lines, RULE, ''].join('\n');

const ABORTED = banner(
  'Primary job  terminated normally, but 1 process returned',
  'a non-zero exit code. Per user-direction, the job has been aborted.',
);
const DETECTED = banner(
  'mpirun.openmpi detected that one or more processes exited with non-zero status, thus causing',
  'the job to be terminated. The first process to do so was:',
  '',
  '  Process name: [[13298,1],0]',
  '  Exit code:    77',
);
const KILLED = banner('mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).');
const SLOTS = banner('There are not enough slots available in the system to satisfy the 4');
const HYDRA = `===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 24201 RUNNING AT vm
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
`;

function through(filter: NoiseFilter, pieces: readonly string[]): Sorted {
  const all = [...pieces.map((piece) => filter.take(piece)), filter.rest()];
  const joined = (what: keyof Sorted): string => all.map((sorted) => sorted[what]).join('');
  return { stays: joined('stays'), leaves: joined('leaves') };
}

/** What comes of a text is the same, however it comes in pieces. */
function assertWhatever(make: () => NoiseFilter, text: string, wanted: Sorted): void {
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
      expect(through(make(), pieces)).to.deep.equal(wanted);
    }),
  );
}

describe('the words of launchers on stderr', () => {
  const passed = (...pieces: string[]): string => through(new StderrFilter(), pieces).stays;

  it('on exit codes are left out where a rank has spoken', () => {
    expect(passed(`osu_bw: wrong\n${ABORTED}${DETECTED}`)).to.equal('osu_bw: wrong\n');
    expect(passed(`${ABORTED}${DETECTED}last words\n`)).to.equal('last words\n');
  });

  it('are passed on where nobody else said anything', () => {
    expect(passed(ABORTED, DETECTED)).to.equal(ABORTED + DETECTED);
  });

  it('on crashes and set-ups are passed on', () => {
    for (const text of [KILLED, SLOTS, `a\n${KILLED}b\n`, `${RULE}\nwithout an end\n`, 'no newline', RULE])
      expect(passed(text), text).to.equal(text);
  });

  it('come in pieces', () => {
    const text = `note: x\n${KILLED}${ABORTED}--- no rule\n${DETECTED}osu_bw: wrong\n-`;
    const stays = `note: x\n${KILLED}--- no rule\nosu_bw: wrong\n-`;
    assertWhatever(() => new StderrFilter(), text, { stays, leaves: '' });
  });

  it('come at once where a line has no end yet', () => {
    const filter = new StderrFilter();
    expect(filter.take('50 % done').stays).to.equal('50 % done');
    expect(filter.take(', 60 %\nnext').stays).to.equal(', 60 %\nnext');
  });
});

describe('the words of launchers on stdout', () => {
  const text = `1   0.17\n${HYDRA}=== x\nYes\n--------------------\n8   0.1`;
  const stays = '1   0.17\n=== x\nYes\n--------------------\n8   0.1';

  it('go to stderr', () => {
    assertWhatever(() => new StdoutFilter(() => false), text, { stays, leaves: HYDRA });
  });

  it('are left out where it was us who ended the job', () => {
    assertWhatever(() => new StdoutFilter(() => true), text, { stays, leaves: '' });
  });
});
