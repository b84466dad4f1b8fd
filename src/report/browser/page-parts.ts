/** What belongs to the whole page: its theme, and buttons that copy. */
import { allOf, listen, one } from './dom.js';

const THEMES = ['system', 'light', 'dark'] as const;

export function themeButton(): void {
  const button = one(document, '.theme');
  let index = 0;
  listen(button, 'click', () => {
    index = (index + 1) % THEMES.length;
    const theme = THEMES[index] ?? 'system';
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    button.textContent = `Theme: ${theme}`;
  });
}

const SAID_FOR = 1500;

/** Each copies the text that stands after it. */
export function copyButtons(): void {
  for (const button of allOf(document, '.copy')) {
    const text = button.parentElement?.querySelector('pre');
    const said = button.textContent;
    if (text) listen(button, 'click', () => void copy(text, button, said));
  }
}

async function copy(from: HTMLElement, button: HTMLElement, said: string): Promise<void> {
  let done = true;
  try {
    await navigator.clipboard.writeText(from.textContent);
  } catch {
    // Where the browser doesn't allow it the text is at least marked, for Ctrl+C.
    getSelection()?.selectAllChildren(from);
    done = false;
  }
  button.textContent = done ? 'Copied' : 'Marked: press Ctrl+C';
  setTimeout(() => {
    button.textContent = said;
  }, SAID_FOR);
}
