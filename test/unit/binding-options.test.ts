/** `--bind` and its kin on the command lines of all programs. */
import { expect } from 'chai';
import fc from 'fast-check';
import { bindText, parseBind, parseMembind } from '../../src/binding/spec.js';
import type { BindingOptions, BindSpec } from '../../src/binding/types.js';
import { programs } from '../../src/bench/suites/index.js';
import { BINDING_OPTIONS } from '../../src/cli/binding-options.js';
import { parseOsu } from '../../src/cli/osu.js';
import { parsePerftest } from '../../src/cli/perftest.js';
import { parseUcxPerftest } from '../../src/cli/ucx-perftest.js';
import { CONTEXT } from './ucx-perftest-cases.js';

interface Told {
  readonly options?: BindingOptions;
  readonly notes: readonly string[];
  readonly help?: string;
  readonly refused?: string;
}

interface Result {
  readonly kind: string;
  readonly options?: BindingOptions;
  readonly notes?: readonly string[];
  readonly text?: string;
  readonly stderr?: string;
}

function told({ options, notes = [], text, stderr }: Result): Told {
  return {
    notes,
    ...(options ? { options } : {}),
    ...(text === undefined ? {} : { help: text }),
    ...(stderr === undefined ? {} : { refused: stderr }),
  };
}

const latency = programs.get('osu_latency');

/** Parses with each of the three parsers that programs have. */
const PARSERS: Readonly<Record<string, (argv: readonly string[]) => Told>> = {
  osu_latency: (argv) => told(latency ? parseOsu(argv, latency) : { kind: 'none' }),
  osu_init: (argv) => {
    const row = programs.get('osu_init');
    return told(row ? parseOsu(argv, row) : { kind: 'none' });
  },
  ib_send_lat: (argv) => told(parsePerftest('ib_send_lat', argv, { underLauncher: true })),
  ucx_perftest: (argv) => told(parseUcxPerftest(['-t', 'tag_lat', ...argv], { ...CONTEXT, underLauncher: true })),
};

const specs: readonly [string, BindSpec][] = [
  ['keep', { kind: 'keep' }],
  ['spread', { kind: 'spread' }],
  ['compact', { kind: 'compact' }],
  ['0,1', { kind: 'list', threads: [0, 1] }],
  ['3,0-1', { kind: 'list', threads: [3, 0, 1] }],
  ['core:80', { kind: 'list', threads: [80] }],
  ['core:80,0', { kind: 'list', threads: [80, 0] }],
  ['near:mlx5_0', { kind: 'near', device: 'mlx5_0' }],
  ['far:0000:03:00.0', { kind: 'far', device: '0000:03:00.0' }],
  ['numa:1', { kind: 'numa', node: 1 }],
];

for (const [name, parse] of Object.entries(PARSERS)) {
  describe(`places on the command line of ${name}`, () => {
    for (const [text, spec] of specs) {
      it(`--bind ${text}`, () => {
        expect(parse(['--bind', text]).options?.bind).to.deep.equal(spec);
      });
    }

    it('nothing given: ranks stay where they are', () => {
      const { options } = parse([]);
      expect(options).to.deep.include({ bind: { kind: 'keep' }, overlap: false, reportBinding: false });
      expect(options?.membind).to.be.undefined;
      expect(options?.dryRun).to.be.undefined;
    });

    it('takes the others', () => {
      const { options, notes } = parse(['--bind=numa:0', '--overlap', '--membind=1', '--report-binding']);
      expect(options).to.deep.include({ overlap: true, membind: { kind: 'node', node: 1 }, reportBinding: true });
      expect(notes).to.be.empty;
      for (const argv of [['--membind'], ['--membind=local']])
        expect(parse(argv).options?.membind, argv[0]).to.deep.equal({ kind: 'local' });
      expect(parse(['--dry-run']).options?.dryRun).to.deep.equal({ topology: undefined, ranks: undefined });
      expect(parse(['--dry-run', '--topology', 'a.xml', '--ranks', '3']).options?.dryRun).to.deep.equal({
        topology: 'a.xml',
        ranks: 3,
      });
    });

    const refusals: readonly [string, RegExp][] = [
      ['--bind=', /"" is no place to run: give near:DEV, far:DEV, numa:N/],
      ['--bind=0,x', /"0,x" is no place to run/],
      ['--bind=3-1', /"3-1" is no place to run/],
      ['--bind=near', /"near" is no place to run/],
      ['--bind=near:', /"near:" is no place to run/],
      ['--bind=numa:x', /"numa:x" is no place to run/],
      ['--bind=core:', /"core:" is no place to run/],
      ['--bind=toString', /"toString" is no place to run/],
      ['--bind=constructor:1', /"constructor:1" is no place to run/],
      ['--membind=x', /"x" is no NUMA node: give its number, or local/],
      ['--membind 1', /An argument of --membind must be glued to it: give --membind=1/],
      ['--membind local', /give --membind=local/],
      ['--topology=a.xml', /Ranks run on this machine and no other: add --dry-run, or leave out --topology/],
      ['--ranks=2', /The launcher says how many ranks there are: add --dry-run, or leave out --ranks/],
      ['--dry-run --ranks=0', /"0" is no number of ranks from 1 to 65536/],
      ['--dry-run --topology=', /it names no file/],
    ];
    for (const [line, says] of refusals) {
      it(`${line} is refused`, () => {
        expect(parse(line.split(' ')).refused).to.match(says);
      });
    }

    it('says that --overlap does nothing alone', () => {
      expect(parse(['--overlap']).notes).to.deep.equal([
        'Ignored: --overlap, because there is no --bind to share cores by',
      ]);
      expect(parse(['--overlap', '--bind', 'keep']).notes).to.have.length(1);
    });

    it('has all of them in its help', () => {
      const { help } = parse(['--help']);
      for (const option of BINDING_OPTIONS) expect(help).to.match(new RegExp(`^ +--${option}\\b`, 'm'));
      expect(help).to.include('--membind[=NODE|local]');
      expect(help).to.include('--bind WHERE');
    });
  });
}

describe('places in words', () => {
  it('are read as they are written', () => {
    const device = fc.stringMatching(/^[\w:.]+$/);
    const spec = fc.oneof<fc.Arbitrary<BindSpec>[]>(
      fc.constantFrom({ kind: 'keep' } as const, { kind: 'spread' } as const, { kind: 'compact' } as const),
      fc.record({ kind: fc.constant('list' as const), threads: fc.array(fc.nat(4095), { minLength: 1 }) }),
      fc.record({ kind: fc.constantFrom('near' as const, 'far' as const), device }),
      fc.record({ kind: fc.constant('numa' as const), node: fc.nat(1000) }),
    );
    fc.assert(
      fc.property(spec, (given) => {
        expect(parseBind(bindText(given))).to.deep.equal({ ok: true, value: given });
      }),
    );
  });

  it('never throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => [parseBind(text), parseMembind(text)].length === 2));
  });
});
