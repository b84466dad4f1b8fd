/** A page that needs nothing else. */
import { element, escaped } from './xml.js';

/** It may load nothing, whatever it holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE = `
body { margin: 0 auto; padding: 24px; max-width: 1008px; font: 15px/1.45 system-ui, 'Segoe UI', Arial, sans-serif; color: #1a1a1a; background: #fff; }
h1 { font-size: 26px; margin: 0 0 12px; }
h2 { font-size: 20px; margin: 32px 0 8px; }
svg { max-width: 100%; height: auto; margin: 0 -24px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px; border-bottom: 1px solid #dcdcdc; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid #595959; }
`;

export interface PageParts {
  readonly title: string;
  /** Rules beside those that all pages have. */
  readonly style: string;
  /** Elements. */
  readonly body: readonly string[];
}

/** The whole file. */
export function pageFile({ title, style, body }: PageParts): string {
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('title', {}, escaped(title)),
    element('style', {}, `${STYLE}${style}`),
  );
  return `<!DOCTYPE html>\n${element('html', { lang: 'en' }, head, '\n', element('body', {}, body.join('\n')))}\n`;
}
