/** Checks of what the objects of verbs are given. */

/** A device, or this build, can't do what was asked for. The message is one sentence that names the device. */
export class VerbsUnsupported extends RangeError {
  override name = 'VerbsUnsupported';
}

/** `value` if it is a whole number within the bounds; throws a RangeError naming `what` if not. */
export function within(value: number, what: string, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${what} must be a whole number from ${least} to ${most}, not ${String(value)}`);
}

/** The place of `value` in a list; throws a RangeError naming `what` if it isn't there. */
export function placeOf<T extends string | number>(value: T, list: readonly T[], what: string): number {
  const index = list.indexOf(value);
  if (index >= 0) return index;
  throw new RangeError(`${what} must be one of ${list.join(', ')}, not ${String(value)}`);
}

/** `value` if it is an object of that class; throws a TypeError naming `what` if not. */
export function instanceOf<T>(value: unknown, type: abstract new (...args: never[]) => T, what: string): T {
  if (value instanceof type) return value;
  throw new TypeError(`${what} must be what fabricbench/verbs made, not ${value === null ? 'null' : typeof value}`);
}

/** Throws a RangeError unless `value`, named `what`, is of that device's context. */
export function sameContext(value: { readonly context: object }, context: object, what: string): void {
  if (value.context !== context) throw new RangeError(`${what} belongs to another opening of a device`);
}
