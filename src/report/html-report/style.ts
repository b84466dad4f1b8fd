/** How a page looks: on a light or dark screen, and on paper. */
import { DIFFERENT, FAINT_GRID, FAINT_INK, GRID, INK } from '../plot/colours.js';

/** Colours of drawings, and what takes their place on a dark screen. */
const DARK: Readonly<Record<string, string>> = {
  [INK]: '#e6e6e6',
  [FAINT_INK]: '#a3a9b1',
  [GRID]: '#3a4048',
  [FAINT_GRID]: '#262b31',
};
const DARK_LINES: readonly string[] = ['#4db1f0', '#ff8a3d', '#2fc79a', '#e08bbd', '#cfd3d8', '#e3b341'];

const drawn: readonly (readonly [name: string, light: string, dark: string])[] = [
  ...Object.entries(DARK).map(([light, dark], index) => [`--d${index}`, light, dark] as const),
  ...DIFFERENT.map((light, index) => [`--s${index}`, light, DARK_LINES[index] ?? light] as const),
];

const LIGHT = {
  '--page': '#ffffff',
  '--card': '#f7f8fa',
  '--ink': INK,
  '--faint': FAINT_INK,
  '--line': '#dcdfe3',
  '--mark': '#fff3d6',
  '--warn': '#b35900',
  '--bad': '#b3261e',
  '--good': '#1a7f4b',
  '--focus': '#0072b2',
};
const NIGHT: typeof LIGHT = {
  '--page': '#14171a',
  '--card': '#1c2025',
  '--ink': '#e6e6e6',
  '--faint': '#a3a9b1',
  '--line': '#363c44',
  '--mark': '#453713',
  '--warn': '#ffb454',
  '--bad': '#ff8a80',
  '--good': '#5fd39b',
  '--focus': '#4db1f0',
};

const declarations = (all: Readonly<Record<string, string>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name}:${value}`)
    .join(';');
const light = declarations({ ...LIGHT, ...Object.fromEntries(drawn.map(([name, colour]) => [name, colour])) });
const dark = declarations({ ...NIGHT, ...Object.fromEntries(drawn.map(([name, , colour]) => [name, colour])) });

/** Drawings name their colours; the page says what these are. */
const recoloured = drawn
  .map(
    ([name, colour]) =>
      `svg [fill="${colour}"],svg[fill="${colour}"]{fill:var(${name})}svg [stroke="${colour}"]{stroke:var(${name})}`,
  ) // prettier-ignore
  .join('\n');

const LAYOUT = `
*{box-sizing:border-box}
body{margin:0 auto;padding:28px 28px 64px;max-width:1080px;font:15px/1.5 system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif;color:var(--ink);background:var(--page)}
svg text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}
h1{font-size:27px;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:20px;margin:44px 0 2px;overflow-wrap:anywhere}
h3{font-size:16px;margin:26px 0 6px}
h4{font-size:14px;margin:0 0 6px}
p{margin:6px 0;overflow-wrap:anywhere}
.faint,.hint,.subtitle{color:var(--faint)}
.subtitle{margin:0 0 10px}
header{display:flex;gap:20px;justify-content:space-between;align-items:flex-start}
nav{display:flex;flex-wrap:wrap;gap:2px 16px;margin:14px 0 0}
a{color:var(--focus);text-decoration:none}
a:hover{text-decoration:underline}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}
caption{text-align:left;color:var(--faint);padding:0 0 6px;white-space:nowrap}
.scroll{overflow-x:auto;margin:6px 0 10px}
th,td{padding:4px 12px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;font-weight:400}
thead th{border-bottom:2px solid var(--faint);font-weight:600;vertical-align:bottom}
th[scope=row]{font-weight:600}
.runs td,.runs th,.facts td,.facts th,.shapes td,.shapes th{text-align:left;vertical-align:top}
.runs td:nth-child(3){text-align:right}
.facts td,.shapes td,.runs td:nth-child(2){white-space:normal;overflow-wrap:anywhere;min-width:6em}
.facts th[scope=row]{min-width:11em;white-space:normal}
.facts .differs{background:var(--mark)}
.facts td .run{margin-right:10px;white-space:nowrap}
td.change{color:var(--faint);padding-left:0}
.swatch{vertical-align:baseline;margin-right:6px}
.verdict{white-space:nowrap}
.verdict.steady{color:var(--good)}
.verdict.noisy{color:var(--warn)}
.verdict.drifting,.wrong{color:var(--bad)}
.note{border-left:4px solid var(--warn);background:var(--card);padding:6px 12px;margin:6px 0;overflow-wrap:anywhere}
figure{margin:10px 0 0;padding:0}
.chart svg,.plots svg,.detail>svg{display:block;width:100%;height:auto}
.swatch{display:inline-block}
.legend{display:flex;flex-wrap:wrap;gap:6px 8px;margin:8px 0 0}
button,select{min-width:0;max-width:100%;overflow-wrap:anywhere;font:inherit;font-size:14px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 10px;cursor:pointer}
button:hover,select:hover{border-color:var(--faint)}
:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
.legend button[aria-pressed=false]{opacity:.45;text-decoration:line-through}
.controls{display:none;flex-wrap:wrap;gap:6px 18px;align-items:center;margin:8px 0 0;font-size:14px}
.controls label{display:inline-flex;max-width:100%;gap:6px;align-items:center}
.js .controls{display:flex}
.theme{display:none;flex:none;white-space:nowrap}
.js .theme,.js .copy{display:inline-block}
.copy{display:none;margin:6px 0}
.chart{position:relative;touch-action:pan-y}
.js .chart{cursor:crosshair}
.point{stroke:var(--page);stroke-width:1}
.ordinal svg .series,.ordinal svg .band{filter:var(--ramp,none)}
.dim{opacity:.2}
.cursor{stroke:var(--faint);stroke-dasharray:2 3}
.box{fill:var(--focus);fill-opacity:.15;stroke:var(--focus)}
.detail{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;margin:12px 0}
.detail .hint{margin:0}
.detail table{font-size:13px}
.detail th,.detail td{padding:3px 7px}
.numbers thead tr+tr th{font-weight:400;color:var(--faint)}
.numbers thead th[colspan]{text-align:center;border-bottom:1px solid var(--line)}
.numbers .of{border-left:1px solid var(--line)}
.js tr.pick{cursor:pointer}
.js tr.pick:hover>*,tr.picked>*{background:var(--card)}
.tip{position:absolute;z-index:2;pointer-events:none;background:var(--page);border:1px solid var(--faint);border-radius:6px;padding:6px 10px;font-size:13px;box-shadow:0 3px 12px #0003;max-width:min(520px,90vw)}
.tip[hidden]{display:none}
.tip table{font-size:13px}
.tip th,.tip td{border:0;padding:1px 10px 1px 0;white-space:nowrap}
.tip th{text-align:left}
pre{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:10px 12px;margin:6px 0;font-size:13px;line-height:1.4}
code{font-size:13px;overflow-wrap:anywhere}
details{margin:10px 0}
summary{cursor:pointer;color:var(--focus)}
footer{margin-top:48px;border-top:1px solid var(--line);padding-top:10px;font-size:13px;color:var(--faint)}
`;

const PAPER = `
@media print{
body{padding:0;max-width:none;font-size:11px}
h1{font-size:20px}h2{font-size:16px;margin-top:24px;break-after:avoid}h3,h4{break-after:avoid}
table,.tip table,.text{font-size:10px}
nav,.js .controls,.js .theme,.js .copy,.tip,.text{display:none}
.scroll{overflow:visible}
th,td{padding:2px 7px}
figure,.detail,.note,tr{break-inside:avoid}
.legend button{border:0;background:none;padding:0}
.legend button[aria-pressed=false]{display:none}
svg,.differs,.note,.detail{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
@page{margin:14mm}
`;

/** The whole style sheet. */
export const STYLE = `
:root{color-scheme:light;${light}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--ramp:brightness(1.9);${dark}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;--ramp:brightness(1.9);${dark}}}
${LAYOUT}${recoloured}
${PAPER}`;
