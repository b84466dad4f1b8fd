/** What UCX can do on this host, and which tests of ucx_perftest each transport can run. */
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import { hookSettings } from '../../engine/load.js';
import { uct, ucxVersion } from '../../ucx/index.js';
import type { UctIface, UctIfaceAttributes, UctLayout, UctResource } from '../../ucx/uct-types.js';
import { ucxTests, type UctCommand, type UcxTest } from '../suites/ucx-perftest.js';
import { isAtomic, TestRefusal } from './side.js';
import { checkUct, SHORT_HEADER } from './uct-checks.js';

/** A test, and the layouts in which it can run; none of atomics, which have no layout. */
export interface AbleTest {
  readonly name: string;
  readonly layouts: readonly UctLayout[];
}

export interface TransportAbilities {
  readonly resource: UctResource;
  /** Null where the interface can't be opened, `problem` saying why. */
  readonly attributes: UctIfaceAttributes | null;
  readonly problem: string | null;
  readonly tests: readonly AbleTest[];
}

export interface UcxSetting {
  readonly name: string;
  readonly value: string;
  readonly by: 'user' | 'fabricbench';
}

export interface UcxAbilities {
  readonly version: string;
  /** Settings in force that are not UCX's defaults. */
  readonly settings: readonly UcxSetting[];
  readonly transports: readonly TransportAbilities[];
}

const LAYOUTS: readonly UctLayout[] = ['short', 'shortiov', 'bcopy', 'zcopy'];
type UctTestRow = UcxTest & { readonly api: 'uct'; readonly command: UctCommand };

/** The parts of the options that a check looks at, with the smallest message that a layout takes. */
function optionsFor({ attributes }: UctIface, test: UctTestRow, layout: UctLayout): UcxTestOptions {
  const limits = isAtomic(test) ? undefined : attributes[test.command as 'am' | 'put' | 'get'];
  const least = layout === 'zcopy' ? (limits?.zcopy?.min ?? 0) : 0;
  const options: Partial<UcxTestOptions> = { sizes: [Math.max(8, least)], layout, threads: 1, amHeader: SHORT_HEADER };
  return options as UcxTestOptions;
}

function canRun(iface: UctIface, test: UctTestRow, layout: UctLayout): boolean {
  try {
    checkUct(iface, test, optionsFor(iface, test, layout));
    return true;
  } catch (error) {
    if (error instanceof TestRefusal) return false;
    throw error;
  }
}

function testsOf(iface: UctIface): AbleTest[] {
  const rows = ucxTests.filter((test): test is UctTestRow => test.api === 'uct');
  return rows.flatMap((test) => {
    const layouts = LAYOUTS.filter((layout) => canRun(iface, test, layout));
    if (layouts.length === 0) return [];
    return [{ name: test.name, layouts: isAtomic(test) ? [] : layouts }];
  });
}

function abilitiesOf(resource: UctResource): TransportAbilities {
  let iface: UctIface;
  try {
    iface = uct().open(resource);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { resource, attributes: null, problem: error.message, tests: [] };
  }
  const { attributes } = iface;
  const tests = testsOf(iface);
  iface.close();
  return { resource, attributes, problem: null, tests };
}

function settings(): UcxSetting[] {
  const ours = hookSettings();
  return Object.entries(process.env)
    .filter((entry): entry is [string, string] => entry[0].startsWith('UCX_') && entry[1] !== undefined)
    .map(([name, value]) => ({ name, value, by: ours[name]?.setBy ?? ('user' as const) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Opens every transport of UCX in turn. Throws `LoadError` where UCX is missing. */
export function ucxAbilities(): UcxAbilities {
  const version = ucxVersion();
  return { version, settings: settings(), transports: uct().resources().map(abilitiesOf) };
}
