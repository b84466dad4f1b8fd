/** A whole page: one file that loads nothing, with its drawings, tables, data and script. */
import { element, escaped } from '../plot/xml.js';
import { STYLE } from './style.js';

export interface Page {
  readonly title: string;
  /** Below the title. */
  readonly subtitle: string;
  /** HTML, all text in it escaped. */
  readonly body: string;
  /** What the script reads. */
  readonly data: unknown;
  readonly script: string;
}

/** Nothing is loaded, and no style or script runs but those of this file, whatever stands in the records. */
export function htmlPage({ title, subtitle, body, data, script }: Page): string {
  if (/<\/script/i.test(script)) throw new Error('the script of the page would end too early');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = [
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'referrer', content: 'no-referrer' }),
    element('title', {}, escaped(title)),
    element('style', {}, STYLE),
  ].join('\n');
  const top = element(
    'header',
    {},
    element('div', {}, element('h1', {}, escaped(title)), element('p', { class: 'subtitle' }, escaped(subtitle))),
    element('button', { class: 'theme', type: 'button' }, 'Theme: system'),
  );
  const end = [
    element('script', { type: 'application/json', id: 'data' }, dataText(data)),
    element('script', {}, script),
  ].join('\n');
  const whole = element('html', { lang: 'en' }, element('head', {}, head), element('body', {}, top, body, end));
  return `<!DOCTYPE html>\n${whole}\n`;
}

function hashOf(text: string): string {
  // Loaded here: it takes 2 ms, and few commands write pages.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Nothing in it can end its element or begin another. */
function dataText(data: unknown): string {
  const unsafe = /[<>&\u2028\u2029]/g;
  return JSON.stringify(data).replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`); // prettier-ignore
}
