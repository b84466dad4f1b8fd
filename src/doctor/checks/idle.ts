/** How deep processors sleep where nothing runs: it takes them as long to wake up. */
import { onlineOf, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';
import { perProcessor } from '../words.js';
import { isVirtual } from './kernel.js';

const CHECK = 'idle states';
const ALL = '/sys/devices/system/cpu/cpuidle';
/** Where programs ask the kernel for short sleeps, in microseconds; 2000 s where nobody does. */
const REQUEST = '/dev/cpu_dma_latency';
const NO_REQUEST = 2_000_000_000;
/** C1 and C1E of common processors wake up in as long, or faster; C6 takes some 100 us. */
const MOST_MICROSECONDS = 10;

interface State {
  readonly name: string;
  /** Microseconds until it runs again. */
  readonly latency: number;
}

/** The longest sleep in microseconds that is asked for by anybody; null where nobody does, or it can't be seen. */
function requested({ files }: Host): number | null {
  const bytes = files.bytes(REQUEST);
  if (bytes?.length !== 4) return null;
  const value = new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
  return value >= 0 && value < NO_REQUEST ? value : null;
}

/** A processor's own limit: 0 is none, and `n/a` no sleep at all. */
function ownLimit({ files }: Host, cpu: number): number {
  const text = files.line(`/sys/devices/system/cpu/cpu${cpu}/power/pm_qos_resume_latency_us`);
  if (text === 'n/a') return 0;
  return Number(text) || Infinity;
}

/** The deepest sleep that a processor may fall into; null where the kernel doesn't say. */
function deepest(host: Host, cpu: number): State | null {
  const { files } = host;
  const folder = `/sys/devices/system/cpu/cpu${cpu}/cpuidle`;
  const most = Math.min(requested(host) ?? Infinity, ownLimit(host, cpu));
  const states = files.list(folder).flatMap((name) => {
    const latency = files.number(`${folder}/${name}/latency`);
    const isOn = files.line(`${folder}/${name}/disable`) !== '1';
    return latency !== null && isOn && latency <= most
      ? [{ name: files.line(`${folder}/${name}/name`) ?? name, latency }]
      : [];
  });
  return states.reduce<State | null>((a, b) => (a === null || b.latency >= a.latency ? b : a), null);
}

const WANTED = `at most ${MOST_MICROSECONDS} us to wake up: it is in each message where ranks wait for interrupts, as over TCP`;

function nothingKnown(host: Host): Finding {
  const polls = (host.files.line('/proc/cmdline') ?? '').split(/\s+/).includes('idle=poll');
  if (polls) return finding(CHECK, 'good', { found: 'none, booted with idle=poll', wanted: WANTED });
  return finding(CHECK, 'unknown', {
    found: 'the kernel has no say in them here (no cpuidle)',
    wanted: WANTED,
    mend: isVirtual(host) ? 'look at the host of this virtual machine' : 'see what the firmware does (C-states)',
  });
}

function look(host: Host): Finding {
  const states = onlineOf(host).flatMap((cpu) => {
    const state = deepest(host, cpu);
    return state === null ? [] : [[cpu, state] as const];
  });
  if (states.length === 0) return nothingKnown(host);
  const slowest = Math.max(...states.map(([, { latency }]) => latency));
  const texts = new Map(states.map(([cpu, { name, latency }]) => [cpu, `${name} (${latency} us to wake up)`]));
  const request = requested(host);
  const held = request === null ? '' : `; ${REQUEST} holds them to ${request} us`;
  const found = `${perProcessor(texts)}${held}`;
  // Its only sleep is to halt, and what the machine below makes of that is not seen from here.
  if (host.files.line(`${ALL}/current_driver`) === 'haltpoll')
    return finding(CHECK, 'unknown', {
      found: `${found}; what the hypervisor does then is not to be seen`,
      wanted: WANTED,
      mend: 'look at the host of this virtual machine',
    });
  return finding(CHECK, goodOr(slowest <= MOST_MICROSECONDS, 'note'), {
    found,
    wanted: WANTED,
    mend: `cpupower idle-set -D ${MOST_MICROSECONDS}, or tuned-adm profile latency-performance, in all runs that are compared`,
  });
}

export const idleChecks: readonly Check[] = [{ look: (host) => [look(host)] }];
