/** Light and dark: as the system says, until somebody chooses. Paper is light. */

export interface Theme {
  readonly name: 'light' | 'dark';
  readonly ink: string;
  readonly faint: string;
  readonly grid: string;
  readonly ground: string;
  readonly colours: readonly string[];
}

/** Okabe and Ito's colours, which people with any colour vision tell apart: darker on white, lighter on black. */
const LIGHT: Theme = {
  ...{ name: 'light', ink: '#1a1a1a', faint: '#5c5f66', grid: '#e4e4e7', ground: '#ffffff' },
  colours: ['#0072b2', '#d55e00', '#009e73', '#b3588b', '#333333', '#a87900', '#3a8fc4', '#7a4fbf'],
};
const DARK: Theme = {
  ...{ name: 'dark', ink: '#ececf1', faint: '#a4a7b0', grid: '#34363d', ground: '#16171b' },
  colours: ['#56b4e9', '#ff8c42', '#2fd0a0', '#e08fc0', '#d0d0d6', '#e6b422', '#8fd0ff', '#b79aff'],
};

export function systemTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT;
}

export const otherTheme = ({ name }: Theme): Theme => (name === 'dark' ? LIGHT : DARK);
export const paperTheme = LIGHT;
