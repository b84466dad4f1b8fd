/** What a comparison comes to, in sentences and in figures. */
import type { JsonObject } from '../../results/types.js';

export interface Statement {
  /** `sides`: one side against another. `layers`, `variants`, `dip`: what sides show by themselves. */
  readonly kind: 'sides' | 'layers' | 'variants' | 'dip';
  readonly text: string;
  /** What the sentence is made of, in base units. */
  readonly items: readonly JsonObject[];
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What each side shows, told once where it is one side alone. */
export function ofSides(parts: readonly { readonly label: string; readonly text: string }[], sides: number): string {
  if (sides === 1) return parts.map(({ text }) => text).join('; ');
  return parts.map(({ label, text }) => `${label} ${text}`).join('; ');
}
