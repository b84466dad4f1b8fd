/** Who else uses the processors: other processes, and other virtual machines. */
import { formatCpuList } from '../../engine/affinity.js';
import { allowedOf, coresOf, siblingsOf, type Host } from '../host.js';
import { finding, type Check, type Finding } from '../types.js';
import { percent } from '../words.js';

/** A processor's times since it was started, in ticks of the kernel. */
interface Times {
  readonly busy: number;
  readonly stolen: number;
  readonly all: number;
}

/** `cpu0 user nice system idle iowait irq softirq steal guest guest_nice`; guests are in user and nice already. */
function timesOf(stat: string): Map<string, Times> {
  const lines = [...stat.matchAll(/^(cpu\d*)\s+([\d ]+)$/gm)];
  return new Map(
    lines.map(([, name = '', numbers = '']) => {
      const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0] = numbers
        .split(' ')
        .map(Number);
      const busy = user + nice + system + irq + soft;
      return [name, { busy, stolen, all: busy + idle + wait + stolen }];
    }),
  );
}

function between({ stat }: Host): Map<string, Times> {
  const before = timesOf(stat.before);
  return new Map(
    [...timesOf(stat.after)].map(([name, now]) => {
      const then = before.get(name) ?? now;
      return [name, { busy: now.busy - then.busy, stolen: now.stolen - then.stolen, all: now.all - then.all }];
    }),
  );
}

const part = (ticks: number, all: number): number => (all > 0 ? ticks / all : 0);

/** From here on whoever shares the processor feels it; below it a tick or two of the kernel's count. */
const BUSY = 0.25;

function busyOf(host: Host, cpus: readonly number[]): { readonly cpu: number; readonly part: number }[] {
  const times = between(host);
  return cpus.flatMap((cpu) => {
    const { busy = 0, all = 0 } = times.get(`cpu${cpu}`) ?? {};
    return part(busy, all) >= BUSY ? [{ cpu, part: part(busy, all) }] : [];
  });
}

const NO_TIME = 'no time passed between two readings of /proc/stat';
const hasPassed = (host: Host): boolean => (between(host).get('cpu')?.all ?? 0) > 0;

function load(host: Host): Finding {
  const wanted = 'nothing else on the processors of the ranks';
  const minute = (host.files.line('/proc/loadavg') ?? '').split(' ')[0] ?? '';
  const over = minute === '' ? '' : `; load ${minute} over the last minute`;
  if (!hasPassed(host)) return finding('load', 'unknown', { found: `${NO_TIME}${over}`, wanted });
  const busy = busyOf(host, allowedOf(host));
  const all = between(host).get('cpu');
  const shown = busy.slice(0, 4).map(({ cpu, part: share }) => `${cpu} (${percent(share)})`);
  const more = busy.length > shown.length ? ` and ${busy.length - shown.length} more` : '';
  const what =
    busy.length === 0
      ? `all processors together ${percent(part(all?.busy ?? 0, all?.all ?? 0))} busy`
      : `busy: ${shown.join(', ')}${more}`;
  return finding('load', busy.length === 0 ? 'good' : 'bad', {
    found: `${what} in ${host.stat.seconds} s${over}`,
    wanted,
    mend: 'see who it is (top), stop it, or have the machine for yourself (srun --exclusive)',
  });
}

/** In the sample more than this spoils it; since the machine started it shows that it happens. */
const STOLEN = 0.01;

function stolen(host: Host): Finding {
  const since = timesOf(host.stat.after).get('cpu');
  const now = between(host).get('cpu');
  const wanted = 'none: it is time in which the hypervisor let others run';
  if (!since || !now) return finding('stolen time', 'unknown', { found: 'the kernel does not say', wanted });
  const [recent, ever] = [part(now.stolen, now.all), part(since.stolen, since.all)];
  const sample = hasPassed(host) ? `${percent(recent)} in ${host.stat.seconds} s, ` : '';
  return finding('stolen time', recent > STOLEN ? 'bad' : ever > 0 ? 'note' : 'good', {
    found: `${sample}${percent(ever)} since the machine started`,
    wanted,
    mend: "ask for processors of its own for this virtual machine; --noise shows a run's share",
  });
}

/** Processors that share a core with those that may be used, and are busy. */
function busyNeighbours(host: Host): Finding[] {
  const own = allowedOf(host);
  const others = own.flatMap((cpu) => siblingsOf(host, cpu)).filter((cpu) => !own.includes(cpu));
  const busy = busyOf(host, [...new Set(others)]);
  if (busy.length === 0) return [];
  const cpus = busy.map(({ cpu }) => cpu);
  return [
    finding('busy siblings', 'bad', {
      found: `${formatCpuList(cpus)}, on the cores ${formatCpuList(coresOf(host, cpus))} that are to be used`,
      wanted: 'the other hardware threads of a core idle: they share its units',
      mend: 'see who runs there (top), or use other cores',
    }),
  ];
}

export const loadChecks: readonly Check[] = [
  { look: (host) => [load(host), ...busyNeighbours(host), stolen(host)], varies: true },
];
