/** Elements of XML (SVG and HTML alike), as text. */

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Elements that HTML or SVG may close at once; all others get a closing tag, which HTML insists on. */
const EMPTY: ReadonlySet<string> = new Set(['meta', 'path', 'rect', 'line', 'circle', 'input']);

/** `children` are elements and escaped text. Numbers are rounded to hundredths; undefined attributes are left out. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${typeof value === 'number' ? coordinate(value) : escaped(value)}"`],
  );
  const start = `<${name}${list.join('')}`;
  return EMPTY.has(name) ? `${start}/>` : `${start}>${children.join('')}</${name}>`;
}

/** A length in hundredths at most. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for content and attribute values. Characters that XML doesn't allow become the replacement character. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uFFFD]/g, '\uFFFD')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
