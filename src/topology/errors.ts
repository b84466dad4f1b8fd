/** A topology that can't be read, or has not what was asked of it: a sentence with cause and mend, without full stop. */
export class TopologyError extends Error {
  override name = 'TopologyError';
}
