/** Prints the settings of UCX's memory hooks after the engine, and after a stack, has been loaded. */
import { hookSettings, noop } from '../../../src/engine/index.js';
import { testOperations } from '../test-addon.js';

function settings(): Record<string, string | null> {
  const inForce = Object.values(hookSettings());
  return {
    mmap: process.env['UCX_MEM_MMAP_HOOK_MODE'] ?? null,
    malloc: process.env['UCX_MEM_MALLOC_RELOC'] ?? null,
    setBy: inForce[0]?.setBy ?? null,
  };
}

noop()();
const engine = settings();
testOperations();
process.stdout.write(JSON.stringify({ engine, stack: settings() }));
