/** Message sizes. */
import type { SizeRequest } from '../../cli/options.js';

/** min, 2·min, 4·min, ... up to max, in bytes; with min 0 that is 0, 1, 2, 4, ... */
export function sizeLadder(min: number, max: number): number[] {
  const sizes = min === 0 ? [0] : [];
  for (let size = Math.max(min, 1); size <= max; size *= 2) sizes.push(size);
  return sizes;
}

/** The sizes to measure, in bytes and in order. */
export function messageSizes(request: SizeRequest): number[] {
  return request.kind === 'list' ? [...request.sizes] : sizeLadder(request.min, request.max);
}
