/** What a UCT transport can't do of a test, in the words of the peer. */
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import type { UctIface, UctLayout, UctResource } from '../../ucx/uct-types.js';
import type { UctCommand, UcxTest } from '../suites/ucx-perftest.js';
import { ATOMIC_WORDS, checkIdleResponder, isAtomic, TestRefusal, type AtomicCommand } from './side.js';

/** Bytes of header that a short active message has. */
export const SHORT_HEADER = 8;

/** The resource that `-x` and `-d` name. Throws TestRefusal. */
export function findResource(resources: readonly UctResource[], { transport, device }: UcxTestOptions): UctResource {
  const found = resources.find((one) => one.transport === transport && one.device === device);
  if (found) return found;
  const names = resources.map((one) => `${one.transport}/${one.device}`).join(', ');
  throw new TestRefusal(`Cannot use ${transport}/${device}: this host has ${names}`);
}

function checkAtomic(iface: UctIface, command: AtomicCommand, size: number): void {
  const { transport, device } = iface.resource;
  const name = command === 'fadd' ? 'add' : command;
  const { op, fop } = size === 4 ? iface.attributes.atomic32 : iface.attributes.atomic64;
  if ((command === 'add' ? op : fop).includes(name)) return;
  throw new TestRefusal(
    `${transport}/${device} does not support required ${8 * size}-bit atomic: ${ATOMIC_WORDS[command]}`,
  );
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly pieces: number;
}

/** Bytes and pieces that a layout takes; null where the interface doesn't have it. */
function rangeOf(iface: UctIface, command: 'am' | 'put' | 'get', layout: UctLayout): Range | null {
  const { short, bcopy, zcopy } = iface.attributes[command];
  switch (layout) {
    case 'short':
      return short && { least: 0, most: short.max, pieces: 1 };
    case 'shortiov':
      return command === 'am' && short ? { least: 0, most: short.max, pieces: Infinity } : null;
    case 'bcopy':
      return bcopy && { least: 0, most: bcopy.max, pieces: Infinity };
    case 'zcopy':
      return zcopy && { least: zcopy.min, most: zcopy.max, pieces: zcopy.maxIov };
  }
}

function checkSize(size: number, { least, most, pieces }: Range, count: number): void {
  if (size < least) throw new TestRefusal(`Message size (${size}) is smaller than min supported (${least})`);
  if (size > most) throw new TestRefusal(`Message size (${size}) is larger than max supported (${most})`);
  if (count > pieces) throw new TestRefusal(`${count} pieces are more than max supported (${pieces})`);
}

/** Refuses what the interface can't do of a test whose options are right by themselves; TestRefusal says why. */
export function checkUct(
  iface: UctIface,
  test: UcxTest & { readonly command: UctCommand },
  options: UcxTestOptions,
): void {
  const size = messageSize(options);
  checkIdleResponder(options, test, [iface.resource.transport]);
  if (isAtomic(test)) {
    checkAtomic(iface, test.command, size);
    return;
  }
  const command = test.command as 'am' | 'put' | 'get';
  const { layout, amHeader = SHORT_HEADER } = options;
  const range = rangeOf(iface, command, layout);
  if (!range) {
    const { transport, device } = iface.resource;
    // The peer takes it where there are short puts, and never ends.
    if (layout === 'shortiov' && command === 'put' && iface.attributes.put.short)
      throw new TestRefusal(`UCX puts no pieces of short messages: give -D short, bcopy or zcopy with -t ${test.name}`);
    const shown = layout === 'shortiov' ? 'short' : layout;
    throw new TestRefusal(`${transport}/${device} does not support operation ${command} ${shown}`);
  }
  const { maxHeader } = iface.attributes.am;
  if (command === 'am' && layout === 'zcopy' && amHeader > maxHeader)
    throw new TestRefusal(`AM header size (${amHeader}) is larger than max supported (${maxHeader})`);
  const [first = 0] = options.sizes;
  if (command === 'am' && layout === 'zcopy' && amHeader > first)
    throw new TestRefusal(`AM header size (${amHeader}) larger than the first IOV message size (${first})`);
  checkSize(size, range, options.sizes.length);
}
