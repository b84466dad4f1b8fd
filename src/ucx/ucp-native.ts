/** What ucx.node exports for UCP, as csrc/ucx/ucp*.cc has it. */
export interface NativeUcp {
  readonly ucp?: never;
}
