/** What the options need of the device that not every device has. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Verbs, VerbsContext } from '../../verbs/types.js';
import { NOT_POSSIBLE_HERE, openDevice } from './device.js';
import { PerftestRefusal } from './types.js';

type Needs = Pick<PerftestOptions, 'connection' | 'odp' | 'verb' | 'useSrq'>;

/** Throws the PerftestRefusal (exit code 77) of the first thing that the device lacks. */
export function requireAbilities(
  { device, attributes }: Pick<VerbsContext, 'device' | 'attributes'>,
  options: Needs,
): void {
  const { connection, odp, verb, useSrq } = options;
  const lacking: readonly (readonly [boolean, string])[] = [
    [connection === 'XRC' && !attributes.xrc, 'XRC queue pairs: give another -c'],
    [odp && !attributes.odp, 'on-demand paging: leave out --odp'],
    [verb === 'atomic' && attributes.atomicCap === 'NONE', 'atomics: take another test'],
    [useSrq && attributes.maxSrqWr === 0, 'shared receive queues: leave out --use-srq'],
  ];
  const found = lacking.find(([lacks]) => lacks);
  if (found) throw new PerftestRefusal(`${device.name} has no ${found[1]}`, NOT_POSSIBLE_HERE);
}

/**
 * Looks for the device before anybody is met: where it can't be used nobody needs to.
 *
 * @throws PerftestRefusal, as `openDevice` and `requireAbilities`
 */
export function requireDevice(verbs: Verbs, options: Needs & Pick<PerftestOptions, 'path'>): void {
  const { context } = openDevice(verbs, options.path);
  try {
    requireAbilities(context, options);
  } finally {
    context.close();
  }
}
