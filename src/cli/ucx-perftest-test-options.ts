/** From what was given to the options of one test. */
import type { ucxParsers } from './ucx-perftest-parsers.js';
import type { UcxTestOptions } from './ucx-perftest-options.js';
import type { Given } from './yargs.js';

/** Every value given, by option. */
export type GivenUcx = Given<ReturnType<typeof ucxParsers>>;

/** Whatever isn't given; there is no default test. */
export const DEFAULT_TEST_OPTIONS: UcxTestOptions = Object.freeze<UcxTestOptions>({
  test: '',
  sizes: [8],
  iterations: 1_000_000,
  warmup: 10_000,
  outstanding: undefined,
  flowControlWindow: 127,
  stride: 0,
  layout: 'short',
  datatypes: ['contig', 'contig'],
  amHeader: undefined,
  oneSided: false,
  nonBlockingRegistration: false,
  wildcardTag: false,
  unexpected: false,
  streamData: false,
  wakeup: false,
  sleep: false,
  errorHandling: false,
  preregistered: false,
  amCopy: false,
  validate: false,
  loopback: false,
  device: undefined,
  transport: undefined,
  asyncMode: 'thread_spinlock',
  threads: 1,
  threadMode: 'single',
  memoryTypes: ['host', 'host'],
  percentile: 50,
  quiet: false,
});

/** `base` with what is given on top of it. `-I` is not looked at, since its meaning depends on the place. */
export function withGiven(base: UcxTestOptions, given: GivenUcx): UcxTestOptions {
  return Object.freeze<UcxTestOptions>({
    ...base,
    ...messageOptions(base, given),
    ...layoutOptions(base, given),
    ...flags(base, given),
    device: given.device?.at(-1) ?? base.device,
    transport: given.transport?.at(-1) ?? base.transport,
    asyncMode: given['async-mode']?.at(-1) ?? base.asyncMode,
    threads: given.threads?.at(-1) ?? base.threads,
    threadMode: given['thread-mode']?.at(-1) ?? base.threadMode,
    memoryTypes: given.memory?.at(-1) ?? base.memoryTypes,
    percentile: given.percentile?.at(-1) ?? base.percentile,
  });
}

function messageOptions(base: UcxTestOptions, given: GivenUcx) {
  return {
    test: given.test?.at(-1) ?? base.test,
    sizes: given.pieces?.at(-1) ?? base.sizes,
    iterations: given.iterations?.at(-1) ?? base.iterations,
    warmup: given.warmup?.at(-1) ?? base.warmup,
    // 0 is the peer's word for the test's own number.
    outstanding: given.outstanding ? given.outstanding.at(-1) || undefined : base.outstanding,
    flowControlWindow: given['flow-control']?.at(-1) ?? base.flowControlWindow,
    stride: given.stride?.at(-1) ?? base.stride,
    amHeader: given.header?.at(-1) ?? base.amHeader,
  } satisfies Partial<UcxTestOptions>;
}

function layoutOptions(base: UcxTestOptions, given: GivenUcx): Pick<UcxTestOptions, 'layout' | 'datatypes'> {
  let { layout, datatypes } = base;
  for (const choice of given.layout ?? []) {
    if (choice.api === 'uct') layout = choice.layout;
    else datatypes = [choice.send, choice.receive ?? datatypes[1]];
  }
  return { layout, datatypes };
}

function flags(base: UcxTestOptions, given: GivenUcx) {
  const streamReceive = given['stream-receive']?.at(-1);
  const waitMode = given['wait-mode']?.at(-1);
  return {
    oneSided: base.oneSided || given['one-sided'] !== undefined,
    nonBlockingRegistration: base.nonBlockingRegistration || given['non-blocking'] !== undefined,
    wildcardTag: base.wildcardTag || given.wildcard !== undefined,
    unexpected: base.unexpected || given.unexpected !== undefined,
    streamData: streamReceive === undefined ? base.streamData : streamReceive === 'recv_data',
    sleep: waitMode === undefined ? base.sleep : waitMode === 'sleep',
    errorHandling: base.errorHandling || given['error-handling'] !== undefined,
    preregistered: base.preregistered || given.preregistered !== undefined,
    amCopy: base.amCopy || given['am-copy'] !== undefined,
    validate: base.validate || given.validate !== undefined,
    loopback: base.loopback || given.loopback !== undefined,
    quiet: base.quiet || given.quiet !== undefined,
  } satisfies Partial<UcxTestOptions>;
}
