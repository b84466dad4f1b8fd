/** What time is measured by, and what a read of it costs. */
import type { ClockInfo } from '../../engine/types.js';
import type { Host } from '../host.js';
import { finding, goodOr, type Check, type Finding, type Verdict } from '../types.js';

const SOURCE = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
const WANTED = ['tsc', 'arch_sys_counter', 'timebase'];
/** Read without a system call as well, by way of the hypervisor's page. */
const VIRTUAL = /^(kvm-clock|hyperv_clocksource_tsc_page)$/;

function sourceFinding({ files }: Host): Finding {
  const source = files.line(SOURCE);
  const wanted = "tsc, or the processor's own counter of other makes: others need a system call for each read";
  if (source === null) return finding('clock source', 'unknown', { found: 'the kernel does not say', wanted });
  const otherwise: Verdict = VIRTUAL.test(source) ? 'note' : 'bad';
  return finding('clock source', goodOr(WANTED.includes(source), otherwise), {
    found: source,
    wanted,
    mend: `see dmesg | grep -i tsc for why; echo tsc > ${SOURCE} where it is among the available ones`,
  });
}

const nanoseconds = (seconds: number): string => `${Number((seconds * 1e9).toPrecision(2))} ns`;

/** A small message takes a few hundred: a read that takes more than this shows. */
const MOST_SECONDS = 100e-9;

function own(clock: ClockInfo, { env }: Host): Finding[] {
  const { source, frequency, resolution, readCost } = clock;
  const direct = source !== 'clock_gettime';
  const ghz = direct ? ` at ${(frequency / 1e9).toFixed(3)} GHz` : '';
  return [
    finding('own clock', goodOr(direct, 'note'), {
      found: `${source}${ghz}`,
      wanted: "the processor's counter (tsc, cntvct)",
      mend:
        env['FABRICBENCH_CLOCK'] === undefined
          ? 'another processor or virtual machine: this one has no counter of constant rate that the kernel trusts'
          : 'unset FABRICBENCH_CLOCK',
    }),
    finding('timer cost', goodOr(readCost <= MOST_SECONDS, 'bad'), {
      found: `a read takes ${nanoseconds(readCost)}, the smallest step is ${nanoseconds(resolution)}`,
      wanted: `at most ${nanoseconds(MOST_SECONDS)}`,
      mend: 'mend the clock source; else believe sizes alone whose time is far above it',
    }),
  ];
}

export const clockChecks: readonly Check[] = [
  { look: (host) => [sourceFinding(host)] },
  { look: (host) => (host.clock ? own(host.clock, host) : []), varies: true },
];
