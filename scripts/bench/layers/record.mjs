/** What a record of osu_latency says of the layer below it. Pure. */

/** Seconds of one message: the latency of the record's only row. */
export function latencyOf({ rows }) {
  const value = rows[0]?.figures.latency?.value;
  if (rows.length !== 1 || !(value > 0)) throw new Error(`its record has ${rows.length} rows with a latency, not 1`);
  return value;
}

/** The layer that was measured. */
const layerOf = ({ run }) => run.layer;

/**
 * The transports that carried the messages, as the record names them: `posix/memory`; undefined where it doesn't say. What
 * MPI had is no answer for a layer that MPI only started.
 */
export function transportsOf(record) {
  const { transports, ucx, mpi } = record.environment;
  return transports ?? (layerOf(record) === 'mpi' ? mpi?.transports : ucx?.transports) ?? undefined;
}

/** Whether the messages went where they should, in words; undefined where they did. */
export function flawOf(record, { layer, transport, pml }) {
  const kind = layer.split(':')[0];
  if (layerOf(record).split(':')[0] !== kind) return `measured layer ${layerOf(record)}`;
  const seenPml = record.environment.mpi?.pml;
  if (pml !== undefined && seenPml !== pml) return `PML ${seenPml} carried the messages, not ${pml}`;
  if (transport === undefined) return undefined;
  const seen = transportsOf(record);
  if (!seen || seen.length === 0)
    return `its record does not say what carried the messages, which should be ${transport}`;
  const others = seen.filter((name) => name !== transport);
  return others.length > 0 ? `${others.join(', ')} carried the messages, not ${transport} alone` : undefined;
}
