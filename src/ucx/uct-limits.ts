/** What an interface takes, in sentences: for what is refused when an operation is bound, and for what a benchmark asks before. */
import type { AtomicName, Pieces } from './types.js';
import type { UctIface, UctLayout, UctLimits } from './uct-types.js';

export type UctCallName = 'am' | 'put' | 'get';

/** Bytes of a message as one call would carry them. */
export interface UctMessageShape {
  readonly length: number;
  readonly pieces?: Pieces;
  /** Of `am` alone. */
  readonly headerLength?: number;
}

const SHORT_HEADER = 8;

type Described = Pick<UctIface, 'resource' | 'attributes'>;

export function nameOf({ resource }: Pick<UctIface, 'resource'>): string {
  return `${resource.transport}/${resource.device}`;
}

/** Bytes that a call of this layout takes at most; null where the interface has no such call. */
export function uctMost(iface: Described, call: UctCallName, layout: UctLayout): number | null {
  if (layout === 'shortiov') return call === 'am' ? (iface.attributes.am.short?.max ?? null) : null;
  return iface.attributes[call][layout]?.max ?? null;
}

/** Why an interface can't carry a message by a call, in one sentence; undefined where it can. */
export function uctRefusal(
  iface: Described,
  call: UctCallName,
  layout: UctLayout,
  shape: UctMessageShape,
): string | undefined {
  const name = nameOf(iface);
  const most = uctMost(iface, call, layout);
  if (most === null) return `${name} has no ${call} ${layout}`;
  if (shape.length > most) {
    return `${bytes(shape.length)} more than ${name}'s ${call} ${layout} takes (at most ${most})`;
  }
  return tooFew(name, iface.attributes[call], call, layout, shape) ?? badHeader(iface, call, layout, shape);
}

const bytes = (count: number): string => (count === 1 ? '1 byte is' : `${count} bytes are`);

function tooFew(
  name: string,
  limits: UctLimits,
  call: UctCallName,
  layout: UctLayout,
  { length, pieces }: UctMessageShape,
): string | undefined {
  const least = Math.max(1, layout === 'zcopy' ? (limits.zcopy?.min ?? 0) : 0);
  if (length < least) return `${bytes(length)} fewer than ${name}'s ${call} ${layout} takes (at least ${least})`;
  const count = pieces?.lengths.length ?? 1;
  const most = layout === 'zcopy' ? limits.zcopy?.maxIov : limits.short?.maxIov;
  if ((layout !== 'zcopy' && layout !== 'shortiov') || most === undefined || count <= most) return undefined;
  return `${count} pieces are more than ${name}'s ${call} ${layout} takes (at most ${most})`;
}

function badHeader(
  { attributes, resource }: Described,
  call: UctCallName,
  layout: UctLayout,
  { length, pieces, headerLength = 0 }: UctMessageShape,
): string | undefined {
  if (call !== 'am') return undefined;
  const name = nameOf({ resource });
  if (layout === 'short' && length < SHORT_HEADER) {
    return `${bytes(length)} fewer than the header of ${name}'s am short (${SHORT_HEADER})`;
  }
  if (layout !== 'zcopy') return undefined;
  if (headerLength > attributes.am.maxHeader) {
    return `a header of ${headerLength} bytes is more than ${name}'s am zcopy takes (at most ${attributes.am.maxHeader})`;
  }
  const first = pieces?.lengths[0] ?? length;
  if (headerLength <= first) return undefined;
  return `a header of ${headerLength} bytes is longer than the ${first} bytes that it is to be taken from`;
}

/** Why an interface can't do an atomic operation, in one sentence; undefined where it can. `fetch`: with a result. */
export function uctAtomicRefusal(iface: Described, name: AtomicName, size: 4 | 8, fetch: boolean): string | undefined {
  const offered = size === 8 ? iface.attributes.atomic64 : iface.attributes.atomic32;
  if ((fetch ? offered.fop : offered.op).includes(name)) return undefined;
  const form = fetch && name !== 'swap' && name !== 'cswap' ? `fetching ${name}` : name;
  return `${nameOf(iface)} has no ${size * 8}-bit atomic ${form}`;
}
