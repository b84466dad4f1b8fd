import { fan, type Direction } from '../families/fan.js';
import { windowStream } from './window-stream.js';

const kernel = (direction: Direction) =>
  fan({ name: `fan ${direction}`, direction, figures: (measured) => windowStream.figures(measured) });

/** Windows from all other nodes to the first one, all at once. */
export const fanIn = kernel('in');

/** Windows from the first node to all others. */
export const fanOut = kernel('out');
