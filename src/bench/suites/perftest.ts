/** The eight ib_* tests: one row each. Names, defaults and connections are those of perftest 4.5. */
import type { Connection, PerftestKind, PerftestName, Verb } from '../../cli/perftest-options.js';

/** What one program is, as far as its options, its box and its programs of operations need it. */
export interface PerftestTest {
  /** Name of the program. */
  readonly name: PerftestName;
  readonly verb: Verb;
  readonly kind: PerftestKind;
  /** One line for the help. */
  readonly description: string;
  readonly connections: readonly Connection[];
  /** Bytes of a message. */
  readonly size: number;
  /** Whether `-s` and `-a` change the size: an atomic's word has 8 bytes. */
  readonly sized: boolean;
  readonly iterations: number;
  readonly txDepth: number;
  /** Receives posted ahead; 1 where the test receives nothing. */
  readonly rxDepth: number;
  /** Messages of a completion. */
  readonly cqMod: number;
  /** Trips of one iteration whose time is shown as one message's: 2 of a ping-pong. */
  readonly trips: 1 | 2;
}

const CONNECTIONS: Readonly<Record<Verb, readonly Connection[]>> = {
  send: ['RC', 'UC', 'UD', 'XRC', 'DC'],
  write: ['RC', 'UC', 'XRC', 'DC'],
  read: ['RC', 'XRC', 'DC'],
  atomic: ['RC', 'XRC', 'DC'],
};

const WORDS: Readonly<Record<Verb, string>> = {
  send: 'sends',
  write: 'RDMA writes',
  read: 'RDMA reads',
  atomic: 'atomics of 8 bytes',
};

/** Default of `-r` where messages are received. */
export const DEFAULT_RX_DEPTH = 512;

function latencyTest(verb: Verb): PerftestTest {
  const pingPong = verb === 'send' || verb === 'write';
  return {
    ...{ name: `ib_${verb}_lat`, verb, kind: 'lat', connections: CONNECTIONS[verb] },
    description: `latency of ${WORDS[verb]}, ${pingPong ? 'one way: half of the time there and back' : 'there and back'}`,
    size: verb === 'atomic' ? 8 : 2,
    sized: verb !== 'atomic',
    ...{ iterations: 1000, txDepth: 1, rxDepth: verb === 'send' ? DEFAULT_RX_DEPTH : 1, cqMod: 1 },
    trips: pingPong ? 2 : 1,
  };
}

function bandwidthTest(verb: Verb): PerftestTest {
  return {
    ...{ name: `ib_${verb}_bw`, verb, kind: 'bw', connections: CONNECTIONS[verb] },
    description: `bandwidth and message rate of ${WORDS[verb]}`,
    size: verb === 'atomic' ? 8 : 65536,
    sized: verb !== 'atomic',
    iterations: verb === 'write' ? 5000 : 1000,
    ...{ txDepth: 128, rxDepth: verb === 'send' ? DEFAULT_RX_DEPTH : 1, cqMod: 100 },
    trips: 1,
  };
}

const VERBS: readonly Verb[] = ['send', 'write', 'read', 'atomic'];

export const perftests: readonly PerftestTest[] = VERBS.flatMap((verb) => [bandwidthTest(verb), latencyTest(verb)]);

/** Names of the programs; the build writes one launcher for each. */
export const perftestNames: readonly PerftestName[] = perftests.map(({ name }) => name);

/** The test of a program's name; throws RangeError where there is none. */
export function perftest(name: PerftestName): PerftestTest {
  const test = perftests.find((row) => row.name === name);
  if (!test) throw new RangeError(`${name} is none of the ib_* tests`);
  return test;
}
