/** What the machine and its kernel are: virtual or not, IOMMU, mitigations. */
import { rdmaDevices, type Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';

/** Whether the processor says that a hypervisor runs below the kernel. */
export function isVirtual({ files }: Host): boolean {
  return /^flags\s*:.*\bhypervisor\b/m.test(files.text('/proc/cpuinfo') ?? '') || files.exists('/sys/hypervisor/type');
}

function virtual(host: Host): Finding {
  const { files } = host;
  const wanted = 'no: its processors may be shared and moved';
  const tells = /^flags\s*:/m.test(files.text('/proc/cpuinfo') ?? '');
  if (!tells && !isVirtual(host))
    return finding('virtual machine', 'unknown', { found: 'the processor does not say', wanted });
  const maker = files.line('/sys/class/dmi/id/sys_vendor') ?? files.line('/sys/hypervisor/type');
  return finding('virtual machine', goodOr(!isVirtual(host), 'note'), {
    found: isVirtual(host) ? `yes${maker === null ? '' : ` (${maker})`}` : 'no',
    wanted,
    mend: 'measure on the metal, or trust comparisons of interleaved runs alone and look at --noise',
  });
}

/** Kinds of translation of the groups that NICs are in, or of all groups where there is no NIC. */
function iommuTypes({ files }: Host, nics: readonly string[]): string[] {
  const all = files.list('/sys/kernel/iommu_groups').map((group) => `/sys/kernel/iommu_groups/${group}/type`);
  const ofNics = nics.map((name) => `/sys/class/infiniband/${name}/device/iommu_group/type`);
  const types = (ofNics.some((path) => files.exists(path)) ? ofNics : all).map((path) => files.line(path));
  return [...new Set(types.flatMap((type) => type ?? []))];
}

function iommu(host: Host): Finding {
  const { files } = host;
  const wanted = 'off, or passed through (identity): translation makes registration and DMA slower';
  const inUse = files.list('/sys/class/iommu').length > 0 || files.list('/sys/kernel/iommu_groups').length > 0;
  if (!inUse && !files.exists('/sys/class'))
    return finding('IOMMU', 'unknown', { found: 'the kernel does not say', wanted });
  if (!inUse) return finding('IOMMU', 'good', { found: 'not in use', wanted });
  const types = iommuTypes(host, rdmaDevices(host));
  const options = (files.line('/proc/cmdline') ?? '').split(/\s+/).filter((word) => /iommu/.test(word));
  const given = options.length > 0 ? `; booted with ${options.join(' ')}` : '';
  const passes = types.length > 0 && types.every((type) => type === 'identity');
  return finding('IOMMU', goodOr(passes, types.length === 0 ? 'unknown' : 'note'), {
    found: `in use, ${types.length > 0 ? types.join(' and ') : 'its kind is not told'}${given}`,
    wanted,
    mend: 'boot with iommu=pt (and intel_iommu=on or amd_iommu=on as it is), where devices may be trusted',
  });
}

const VULNERABILITIES = '/sys/devices/system/cpu/vulnerabilities';

function mitigations({ files }: Host): Finding {
  const names = files.list(VULNERABILITIES);
  const wanted = 'the same on all machines that are compared: they make system calls and interrupts slower';
  if (names.length === 0) return finding('mitigations', 'unknown', { found: 'the kernel does not say', wanted });
  const active = names.filter((name) => files.line(`${VULNERABILITIES}/${name}`)?.startsWith('Mitigation'));
  return finding('mitigations', goodOr(active.length === 0, 'note'), {
    found: active.length === 0 ? 'none' : active.join(', '),
    wanted,
    mend: 'leave them on where others use the machine; mitigations=off shows what they cost',
  });
}

export const kernelChecks: readonly Check[] = [{ look: (host) => [virtual(host), iommu(host), mitigations(host)] }];
