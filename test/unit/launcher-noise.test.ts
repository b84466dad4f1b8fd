/** What of a launcher's words on failures is passed on, and where. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Causes, NOT_REACHED } from '../../src/launch/cause.js';
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
const ABORT = banner(
  'MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD',
  'with errorcode 1.',
  '',
  'NOTE: x',
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

const TRACE = `[proxy:0:1@node2] HYD_pmcd_pmip_control_cmd_cb (pm/pmiserv/pmip_cb.c:899): assert (!closed) failed
[mpiexec@node1] main (ui/mpich/mpiexec.c:325): process manager error waiting for completion
`;
const LOST = banner(
  'ORTE has lost communication with a remote daemon.',
  '',
  '  HNP daemon   : [[27086,0],0] on node node1',
  '  Remote daemon: [[27086,0],1] on node node2',
  '',
  'This is usually due to either a failure of the TCP network',
);

const UNREACHED = [
  banner(
    'ORTE was unable to reliably start one or more daemons.',
    'This usually is caused by:',
    '',
    '* lack of authority',
  ),
  banner('ORTE does not know how to route a message to the specified daemon', 'located on the indicated node:'),
];

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

  it('on exit codes and MPI_Abort are left out where a rank has spoken', () => {
    expect(passed(`osu_bw: wrong\n${ABORT}${ABORTED}${DETECTED}`)).to.equal('osu_bw: wrong\n');
    expect(passed(`${ABORTED}${DETECTED}last words\n`)).to.equal('last words\n');
  });

  it('are passed on where nobody else said anything', () => {
    expect(passed(ABORT, ABORTED, DETECTED)).to.equal(ABORT + ABORTED + DETECTED);
  });

  it('on crashes and set-ups are passed on', () => {
    for (const text of [SLOTS, `a\n${SLOTS}b\n`, `${RULE}\nwithout an end\n`, 'no newline', RULE])
      expect(passed(text), text).to.equal(text);
  });

  it('come in pieces', () => {
    const text = `note: x\n${KILLED}${SLOTS}${TRACE}${ABORTED}--- no rule\n${DETECTED}osu_bw: wrong\n[-`;
    const stays = `note: x\n${SLOTS}--- no rule\nosu_bw: wrong\n[-`;
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

  it('go to stderr, where they are more than a sentence of ours', () => {
    assertWhatever(() => new StdoutFilter(() => false), text, { stays, leaves: '' });
    const other = HYDRA.replaceAll(/= {3}(PID|EXIT).*\n/g, '');
    const strange = text.replace(HYDRA, other);
    assertWhatever(() => new StdoutFilter(() => false), strange, { stays, leaves: other });
  });

  it('are left out where it was us who ended the job', () => {
    assertWhatever(() => new StdoutFilter(() => true), text, { stays, leaves: '' });
  });
});

describe('the cause of a failure', () => {
  const STUCK = 'rank 0 made no progress for 2 s in MPI_Recv, iteration 3 of osu_bw, size 8';

  /** What is known after these texts, each on stdout where it is Hydra's own, else on stderr. */
  function known(...texts: readonly string[]) {
    const causes = new Causes();
    for (const text of texts)
      through(text.includes('BAD TERM') ? new StdoutFilter(() => false, causes) : new StderrFilter(causes), [text]);
    const { first, untold } = causes;
    return { first, untold };
  }

  const told = (sentence: string) => ({ first: sentence, untold: sentence });

  it("is what a launcher's banner says", () => {
    expect(known(KILLED)).to.deep.equal(told('rank 1 on vm was ended by signal 9 (Killed)'));
    expect(known(LOST).first).to.match(/^node2 is lost: /);
    expect(known(...UNREACHED)).to.deep.equal(told(NOT_REACHED));
    expect(through(new StderrFilter(), UNREACHED).stays).to.equal('');
    expect(known(HYDRA)).to.deep.equal(told('a rank on vm (process 24201) was ended by signal 9 (Killed)'));
    const short = HYDRA.replace(/YOUR APPLICATION TERMINATED[^]*/, '');
    expect(known(TRACE, short)).to.deep.equal(told('a rank on vm (process 24201) died (exit code 9)'));
    expect(known(TRACE).first).to.match(/^a host is lost: .*hydra_pmi_proxy/);
  });

  it('is what a rank has said before, and that is not said again', () => {
    const line = `fabricbench: ${STUCK}, so the process ends; --watchdog S sets this limit\n`;
    expect(known(line, KILLED, TRACE)).to.deep.equal({ first: STUCK, untold: undefined });
    expect(known('osu_bw: rank 1: broken\n', HYDRA)).to.deep.equal({ first: 'rank 1: broken', untold: undefined });
    expect(known('osu_bw: rank 3 on node2: no UCX\n').first).to.equal('rank 3 on node2: no UCX');
  });

  it('is none that a warning tells, or a table', () => {
    const all = ['warning: rank 1: slow\n', '# rank 1: x\n', 'note: rank 1: x\n', '1  2\n', ABORTED, DETECTED, SLOTS];
    expect(known(...all)).to.deep.equal({ first: undefined, untold: undefined });
  });

  it('is heard at once where a rank is stuck, in whatever pieces', () => {
    let heard = 0;
    const filter = new StderrFilter(new Causes(() => heard++));
    for (const piece of ['fabricbench: ra', `${STUCK.slice(2)}, so the process ends; x`]) filter.take(piece);
    expect(heard).to.equal(0);
    filter.take('\n');
    expect(heard).to.equal(1);
  });
});
