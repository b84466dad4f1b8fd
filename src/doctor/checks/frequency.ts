/** How fast processors run: who chooses their frequency, and up to where. */
import { onlineOf, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';
import { count, perProcessor, percent } from '../words.js';
import { isVirtual } from './kernel.js';

const folder = (cpu: number): string => `/sys/devices/system/cpu/cpu${cpu}/cpufreq`;

function ofEach(host: Host, file: string): Map<number, string> {
  const values = onlineOf(host).map((cpu) => [cpu, host.files.line(`${folder(cpu)}/${file}`)] as const);
  return new Map(values.flatMap(([cpu, value]) => (value === null ? [] : [[cpu, value] as const])));
}

function governor(host: Host): Finding {
  const governors = ofEach(host, 'scaling_governor');
  const wanted = 'performance';
  if (governors.size === 0) {
    return finding('governor', 'unknown', {
      found: 'none: the kernel has no say in the frequency here (no cpufreq)',
      wanted,
      mend: isVirtual(host)
        ? 'look at the host of this virtual machine'
        : 'load the driver of the frequency (intel_pstate, amd_pstate, acpi-cpufreq), or see what the firmware does',
    });
  }
  const good = [...governors.values()].every((name) => name === wanted);
  return finding('governor', goodOr(good, 'bad'), {
    found: perProcessor(governors),
    wanted,
    mend: 'cpupower frequency-set -g performance',
  });
}

/** Where the kernel keeps the switch, and what it says there when boost is on. */
const switches = [
  ['/sys/devices/system/cpu/intel_pstate/no_turbo', '0'],
  ['/sys/devices/system/cpu/cpufreq/boost', '1'],
  ['/sys/devices/system/cpu/cpufreq/policy0/boost', '1'],
] as const;

function boost({ files }: Host): Finding {
  const wanted = 'off, or on in all runs that are compared: it goes with heat and with how many cores work';
  for (const [path, on] of switches) {
    const value = files.line(path);
    if (value === null) continue;
    const isOn = value === on;
    const mend = `echo ${on === '0' ? '1' : '0'} > ${path}`;
    return finding('boost', goodOr(!isOn, 'note'), { found: isOn ? 'on' : 'off', wanted, mend });
  }
  return finding('boost', 'unknown', { found: 'the kernel has no switch for it here', wanted });
}

/** Processors that may not go up to what they can. */
function limit(host: Host): Finding[] {
  const able = ofEach(host, 'cpuinfo_max_freq');
  if (able.size === 0) return [];
  const allowed = ofEach(host, 'scaling_max_freq');
  const parts = [...able].map(([cpu, most]) => Number(allowed.get(cpu) ?? most) / Number(most));
  const held = parts.filter((part) => part < 1);
  return [
    finding('frequency limit', goodOr(held.length === 0, 'note'), {
      found:
        held.length === 0
          ? 'none'
          : `${count(held.length, 'processor')} of ${parts.length} may go up to ${percent(Math.min(...held))} of the maximum`,
      wanted: 'none, or the same in all runs that are compared',
      mend: 'cpupower frequency-set -u MAXIMUM, and see who set it',
    }),
  ];
}

export const frequencyChecks: readonly Check[] = [{ look: (host) => [governor(host), boost(host), ...limit(host)] }];
