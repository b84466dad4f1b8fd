/** What ucx.node exports for UCT, as csrc/ucx/uct*.cc has it. */
export interface NativeUct {
  readonly uct?: never;
}
