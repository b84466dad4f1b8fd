/** The script that pages carry: a bundle for browsers, which the build makes of `browser/main.ts`. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAME = 'report-browser.js';

/** Beside this file in dist, else in dist of a folder above (in tests). */
export function browserScript(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    for (const file of [join(folder, NAME), join(folder, 'dist', NAME)])
      if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new Error(`${NAME} is missing, which reports carry: build fabricbench again, with npm run build:dist`);
}
