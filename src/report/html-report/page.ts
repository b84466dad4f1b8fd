/** The file of a report: one page that needs nothing else, and may load nothing. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { escaped } from '../plot/xml.js';
import { STYLE } from './style.js';
import type { Report } from './types.js';

const SCRIPT = 'report-browser.js';

/** Beside the program in dist; for what was compiled alone, in the project's dist. */
function readScript(folder = import.meta.dirname): string {
  for (const place of [join(folder, SCRIPT), join(folder, 'dist', SCRIPT)])
    if (existsSync(place)) return readFileSync(place, 'utf8');
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`${SCRIPT} is missing, which draws reports: run npm run build:dist`);
  return readScript(parent);
}

/** Text within a script element ends at the first `</`, whatever it stands in. */
const embeddable = (text: string): string => text.replace(/</g, '\\u003c');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The whole file. */
export function reportPage(report: Report): string {
  const script = readScript().replace(/<\/script/gi, '<\\/script');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashOf(script)}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(report.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<p>This page is drawn by a script.</p>
<script type="application/json" id="report">${embeddable(JSON.stringify(report))}</script>
<script>${script}</script>
</body>
</html>
`;
}
