/** Rank 0 prints without an end, and the others wait. */
import { writeSync } from 'node:fs';

if ((process.env['OMPI_COMM_WORLD_RANK'] ?? process.env['PMI_RANK']) === '0')
  for (;;) writeSync(1, `${'x'.repeat(79)}\n`);
setTimeout(() => undefined, 2 ** 30);
