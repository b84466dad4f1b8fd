/** Words of a command line, as a shell cuts them. */

/** Quotes hold words together and are taken away; a quote without its end stands for itself. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const word = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;|])+|;|\|+/g;
  for (const [found] of text.matchAll(word))
    words.push(found.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, unquoted));
  return words;
}

function unquoted(_all: string, single?: string, double?: string, escaped?: string): string {
  return single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '';
}
