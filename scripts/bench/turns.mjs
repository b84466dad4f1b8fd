/** Whose turn it is. */
function permutations(names) {
  if (names.length < 2) return [names];
  return names.flatMap((first) => permutations(names.filter((name) => name !== first)).map((rest) => [first, ...rest]));
}

/** The contestants in the order of the n-th pair: all orders in turn, so that nobody gains by place or neighbour. */
export function inTurn(names, n) {
  const orders = permutations(names);
  return orders[(n * 7) % orders.length]; // 7 has no factor in common with 6 and 24: neighbouring pairs differ more
}
