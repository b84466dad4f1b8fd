/** How a report looks, on screens and on paper. */
export const STYLE = `
:root { color-scheme: light; --ink: #1a1a1a; --faint: #5c5f66; --line: #e4e4e7; --ground: #ffffff; --soft: #f6f7f9; --mark: #fff4d6; --accent: #0072b2; --warn: #d55e00; }
:root[data-theme=dark] { color-scheme: dark; --ink: #ececf1; --faint: #a4a7b0; --line: #34363d; --ground: #16171b; --soft: #1f2026; --mark: #3a3215; --accent: #56b4e9; --warn: #ff8c42; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 24px 48px; max-width: 1080px; font: 15px/1.5 system-ui, 'Segoe UI', Arial, sans-serif; color: var(--ink); background: var(--ground); }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; border-bottom: 2px solid var(--ink); margin-bottom: 20px; padding-bottom: 8px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0; flex: 1; }
.made { flex-basis: 100%; margin: 0; color: var(--faint); font-size: 13px; }
h2 { font-size: 19px; margin: 30px 0 6px; }
h3 { font-size: 15px; margin: 4px 0; }
button { font: inherit; font-size: 13px; padding: 3px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); color: var(--ink); cursor: pointer; }
button:hover { border-color: var(--accent); }
.chart { width: 100%; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 4px; }
.legend button { border-color: transparent; background: none; padding: 1px 8px 1px 4px; }
.legend button.off { opacity: 0.4; text-decoration: line-through; }
.legend i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 6px; vertical-align: middle; }
.chart.small { height: 240px; }
.detail { border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; margin: 4px 0 8px; background: var(--soft); }
.quantiles { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 4px 0; font-size: 13px; color: var(--faint); font-variant-numeric: tabular-nums; }
.shapes { margin: 6px 0 0; padding-left: 20px; font-size: 13.5px; color: var(--faint); }
.shapes b { color: var(--ink); font-weight: 600; }
.warnings { margin: 0 0 12px; padding: 8px 12px 8px 30px; border-left: 4px solid var(--warn); background: var(--soft); font-size: 14px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 8px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { border-bottom: 2px solid var(--faint); }
tbody th { font-weight: 600; white-space: nowrap; }
.facts td { min-width: 130px; }
tr.differs { background: var(--mark); }
.note-line, footer { color: var(--faint); font-size: 13px; }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 8px; }
details { border: 1px solid var(--line); border-radius: 8px; padding: 6px 12px; margin: 6px 0; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; margin: 8px 0; font: 12.5px/1.45 ui-monospace, 'DejaVu Sans Mono', monospace; }
.command { color: var(--faint); font: 12.5px/1.4 ui-monospace, 'DejaVu Sans Mono', monospace; margin: 6px 0; overflow-wrap: anywhere; }
@media print {
  body { max-width: none; padding: 0; font-size: 12px; }
  header button, details button, .detail { display: none; }
  section.panel, table, details { break-inside: avoid; }
  tr.differs { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;
