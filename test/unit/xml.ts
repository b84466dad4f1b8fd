/** A check that text is well-formed XML (of the kind that our SVG and HTML are), and a list of its elements. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Text directly inside, entities resolved. */
  text: string;
  /** Where the origin of its coordinates is on the page, by all `translate`s around it and its own. */
  readonly origin: readonly [x: number, y: number];
}

type Origin = XmlElement['origin'];

function moved([x, y]: Origin, transform = ''): Origin {
  const [, right = '0', down = '0'] = /^translate\(([\d.-]+) ([\d.-]+)\)$/.exec(transform) ?? [];
  return [x + Number(right), y + Number(down)];
}

const TOKEN = /<\?xml [^?]*\?>|<!DOCTYPE html>|<\/([\w:-]+)>|<([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function resolved(text: string): string {
  if (/[^\t\n\r\u0020-\uFFFD]/.test(text)) throw new Error(`a character that XML doesn't allow in "${text}"`);
  return text.replace(/&(\w*;?)/g, (_, entity: string) => {
    const character = ENTITIES[entity.replace(';', '')];
    if (!entity.endsWith(';') || character === undefined) throw new Error(`an entity that is none: &${entity}`);
    return character;
  });
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, resolved(value)]);
  const attributes = Object.fromEntries(pairs) as Record<string, string>;
  if (Object.keys(attributes).length !== pairs.length) throw new Error(`an attribute comes twice in ${text}`);
  return attributes;
}

/** All elements in the order of their start. Throws an Error where the text is not well-formed. */
export function parseXml(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  TOKEN.lastIndex = 0;
  let roots = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const [, closed, started, attributes = '', empty, content] = TOKEN.exec(text) ?? [];
    if (TOKEN.lastIndex === 0) throw new Error(`no XML: ${text.slice(at, at + 80)}`);
    if (closed !== undefined) {
      if (open.pop()?.name !== closed) throw new Error(`</${closed}> closes another element`);
    } else if (started !== undefined) {
      const own = attributesOf(attributes);
      const origin = moved(open.at(-1)?.origin ?? [0, 0], own['transform']);
      const element = { name: started, attributes: own, text: '', origin };
      if (open.length === 0) roots += 1;
      elements.push(element);
      if (empty === '') open.push(element);
    } else if (content !== undefined) {
      const inner = open.at(-1);
      if (inner) inner.text += resolved(content);
      else if (content.trim() !== '') throw new Error(`text outside of elements: ${content}`);
    }
  }
  if (open.length > 0 || roots !== 1) throw new Error(`${open.length} elements are open, and there are ${roots} roots`);
  return elements;
}
