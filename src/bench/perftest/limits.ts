/** `-w` and `-y`: rates below which a run has failed. perftest's own `-y` never fails. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { BandwidthFigures } from '../../report/perftest-types.js';

const MIB = 2 ** 20;
const BITS_OF_GIGABIT = 1e9;
const MILLION = 1e6;

type Limits = Pick<PerftestOptions, 'limitBw' | 'limitMsgRate' | 'gbits'>;

/** What is below its limit, in perftest's words and with the figures; null where nothing is. */
export function belowLimit(
  { limitBw, limitMsgRate, gbits }: Limits,
  { average, messageRate }: Pick<BandwidthFigures, 'average' | 'messageRate'>,
): string | null {
  const bandwidth = (average ?? 0) * (gbits ? 8 / BITS_OF_GIGABIT : 1 / MIB);
  if (limitBw !== undefined && bandwidth < limitBw)
    return `BW result is below bw limit: ${bandwidth.toFixed(2)} of ${limitBw} ${gbits ? 'Gb/s' : 'MiB/s'}`;
  const rate = (messageRate ?? 0) / MILLION;
  if (limitMsgRate !== undefined && rate < limitMsgRate)
    return `Msg rate is below msg_rate limit: ${rate.toFixed(6)} of ${limitMsgRate} million messages/s`;
  return null;
}
