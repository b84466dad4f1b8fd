/** What of a launcher's words on failures is passed on. */
import { expect } from 'chai';
import fc from 'fast-check';
import { NoiseFilter } from '../../src/launch/launcher-noise.js';

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
const MPICH = `
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 24201 RUNNING AT vm
=   EXIT CODE: 15
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Terminated (signal 15)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
`;

function through(pieces: readonly string[], wasEnded = false): string {
  const filter = new NoiseFilter(() => wasEnded);
  return pieces.map((piece) => filter.take(piece)).join('') + filter.rest();
}

describe('the words of launchers', () => {
  it('on exit codes are left out where a rank has spoken', () => {
    expect(through([`osu_bw: wrong\n${ABORTED}${DETECTED}`])).to.equal('osu_bw: wrong\n');
    expect(through([ABORTED + DETECTED + 'last words\n'])).to.equal('last words\n');
  });

  it('are passed on where nobody else said anything', () => {
    expect(through([ABORTED, DETECTED])).to.equal(ABORTED + DETECTED);
  });

  it('on crashes and set-ups are passed on', () => {
    for (const text of [KILLED, SLOTS, MPICH, `a\n${KILLED}b\n`, `${RULE}\nwithout an end\n`, 'no newline', RULE])
      expect(through([text]).trimEnd(), text).to.equal(text.trimEnd());
  });

  it('of MPICH are left out where it was us who ended the job', () => {
    expect(through([`before\n${MPICH}`], true).trim()).to.equal('before');
  });

  it('do not depend on how the text comes in pieces', () => {
    const text = `note: x\n${KILLED}${ABORTED}--- no rule\n${DETECTED}osu_bw: wrong\n${MPICH}=== x\nYes\nend`;
    const whole = through([text]);
    expect(whole).to.equal(
      `note: x\n${KILLED}--- no rule\nosu_bw: wrong\n${MPICH}=== x\nYes\nend\n`.replace(/end\n$/, 'end'),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
        expect(through(pieces)).to.equal(whole);
      }),
    );
  });

  it('of a line without an end come at once', () => {
    const filter = new NoiseFilter(() => false);
    expect(filter.take('50 % done')).to.equal('50 % done');
    expect(filter.take(', 60 %\nnext')).to.equal(', 60 %\nnext');
  });
});
