/** What a UCT transport can't do of a test, in the words of the peer. */
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import type { UctIface, UctLayout, UctLimits, UctResource } from '../../ucx/uct-types.js';
import type { UctCommand, UcxTest } from '../suites/ucx-perftest.js';
import { ATOMIC_WORDS, isAtomic, messageSize, TestRefusal, type AtomicCommand } from './side.js';

/** Bytes of header that a short active message has. */
export const SHORT_HEADER = 8;

/** The resource that `-x` and `-d` name. Throws TestRefusal. */
export function findResource(
  resources: readonly UctResource[],
  transport: string | undefined,
  device: string | undefined,
): UctResource {
  if (device === undefined) throw new TestRefusal('A device must be specified with -d flag for UCT test');
  if (transport === undefined) throw new TestRefusal('A transport must be specified with -x flag for UCT test');
  const found = resources.find((one) => one.transport === transport && one.device === device);
  if (found) return found;
  const names = resources.map((one) => `${one.transport}/${one.device}`).join(', ');
  throw new TestRefusal(`Cannot use ${transport}/${device}: this host has ${names}`);
}

function checkAtomic(iface: UctIface, command: AtomicCommand, size: number): void {
  const { transport, device } = iface.resource;
  const name = command === 'fadd' ? 'add' : command;
  if (size !== 4 && size !== 8) {
    throw new TestRefusal(
      `${transport}/${device} does not support atomic ${ATOMIC_WORDS[command]} for message size ${size} bytes: give -s 4 or 8`,
    );
  }
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
function rangeOf({ short, bcopy, zcopy }: UctLimits, layout: UctLayout, flags: readonly string[]): Range | null {
  switch (layout) {
    case 'short':
      return short && { least: 0, most: short.max, pieces: 1 };
    case 'shortiov':
      return short && flags.includes('AM_SHORT') ? { least: 0, most: short.max, pieces: Infinity } : null;
    case 'bcopy':
      return bcopy && { least: 0, most: bcopy.max, pieces: Infinity };
    case 'zcopy':
      return zcopy && { least: zcopy.min, most: zcopy.max, pieces: zcopy.maxIov };
  }
}

function checkHeader({ layout, amHeader = SHORT_HEADER }: UcxTestOptions, size: number, most: number): void {
  if (layout === 'short' && amHeader !== SHORT_HEADER)
    throw new TestRefusal(`Short AM header size must be ${SHORT_HEADER} bytes`);
  if (amHeader > size) throw new TestRefusal(`AM header size (${amHeader}) is larger than message size (${size})`);
  if (layout === 'zcopy' && amHeader > most)
    throw new TestRefusal(`AM header size (${amHeader}) is larger than max supported (${most})`);
}

function checkSize(size: number, { least, most, pieces }: Range, count: number): void {
  if (size < least) throw new TestRefusal(`Message size (${size}) is smaller than min supported (${least})`);
  if (size > most) throw new TestRefusal(`Message size (${size}) is larger than max supported (${most})`);
  if (count > pieces) throw new TestRefusal(`${count} pieces are more than max supported (${pieces})`);
}

/** Refuses what the interface can't do; TestRefusal says why. */
export function checkUct(
  iface: UctIface,
  test: UcxTest & { readonly command: UctCommand },
  options: UcxTestOptions,
): void {
  const size = messageSize(options);
  const { attributes, resource } = iface;
  if (options.threads > 1) throw new TestRefusal('UCT tests do not support multi-thread mode');
  if (isAtomic(test)) {
    checkAtomic(iface, test.command, size);
    return;
  }
  const command = test.command as 'am' | 'put' | 'get';
  const { layout } = options;
  const shown = layout === 'shortiov' ? 'short' : layout;
  const range = rangeOf(attributes[command], layout, attributes.flags);
  if (!range || (layout === 'shortiov' && command !== 'am')) {
    const alone = range ? ': pieces (shortiov) are for active messages only' : '';
    throw new TestRefusal(
      `${resource.transport}/${resource.device} does not support operation ${command} ${shown}${alone}`,
    );
  }
  if (size < 1) throw new TestRefusal('Message size too small, need to be at least 1');
  if (command === 'am') checkHeader(options, size, attributes.am.maxHeader);
  checkSize(size, range, options.sizes.length);
}
