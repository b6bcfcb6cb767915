import { CHART_CSS } from '../charts/chart.tsx';

/** The style sheet of all reports, made for A4 and little ink. `report-html.tsx` adds the rules for the page. */
export const REPORT_CSS = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2422; --muted: #55605d; --line: #c9cfca; --hairline: #e7eae7; --accent: #1b5e59; --danger: #a3271f; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #141918; --ink: #e8ecea; --muted: #a9b5b1; --line: #3b4643; --hairline: #29312f; --accent: #7fcfc6; --danger: #ff9d93; } }
@media print { :root { color-scheme: light; } }
* { box-sizing: border-box; }
html { font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; color: var(--ink); background: var(--paper); }
body { margin: 0 auto; padding: 2rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.2rem; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 2rem 0 0.6rem; font-size: 1.2rem; break-after: avoid; }
p { margin: 0.3rem 0; }
a { color: var(--accent); }
.organization { color: var(--accent); font-weight: 600; }
header dl { columns: 24rem 2; column-gap: 2rem; margin: 1rem 0; padding: 0.7rem 0; border-block: 1px solid var(--line); }
header dl div { display: flex; gap: 1rem; break-inside: avoid; padding: 0.08rem 0; }
header dt { flex: 0 0 6.5rem; color: var(--muted); overflow-wrap: normal; }
dd { margin: 0; }
nav ol { columns: 16rem; margin: 0 0 1rem; padding-left: 1.4rem; }
nav li { padding: 4px 0; }
.incomplete { padding: 0.5rem 0.8rem; border: 1px solid var(--danger); color: var(--danger); }
${CHART_CSS}
.muted, .note { color: var(--muted); }
.note { font-size: 0.9em; }
.note { max-width: 50rem; margin-bottom: 0.6rem; }
.summary { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.6rem, 1fr)); gap: 0.6rem; margin: 0 0 1.2rem; }
.summary div { padding: 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 4px; break-inside: avoid; }
.summary dt { color: var(--muted); font-size: 0.86em; line-height: 1.3; }
.summary b { white-space: nowrap; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
.summary span { display: block; color: var(--muted); font-size: 0.82em; }
.sign-off { break-inside: avoid; }
.sign-off dl div { display: flex; gap: 1rem; padding-top: 1.3rem; }
.sign-off dt { flex: 0 0 14rem; }
.sign-off dd { flex: 1; max-width: 30rem; border-bottom: 1px solid var(--ink); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.86rem; line-height: 1.35; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
thead { display: table-header-group; }
tbody, tr { break-inside: avoid; }
th, td { padding: 0.3rem 0.45rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
tbody { border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; overflow-wrap: normal; }
tbody th { font-weight: 600; }
tr.group th { padding-top: 0.6rem; color: var(--accent); }
tr.muted th, tr.muted td { color: var(--muted); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead .number { white-space: normal; }
.figures table { width: auto; min-width: min(24rem, 100%); }
.figures tbody { break-inside: auto; }
.figures tbody tr + tr { border-top: 1px solid var(--hairline); }
.figures tbody tr:not(.group) th { font-weight: 400; min-width: 8rem; }
.figures td.muted { min-width: 12rem; }
td.number:not(:last-child) { padding-right: 0.9rem; }
.prose { min-width: 11rem; white-space: pre-line; overflow-wrap: anywhere; }
.word { white-space: nowrap; }
.name { min-width: 9rem; }
.alarm { color: var(--danger); font-weight: 600; }
.below td { padding-top: 0; }
.below div { position: sticky; left: 0.45rem; max-width: min(58rem, calc(100vw - 5rem)); color: var(--muted); font-size: 0.95em; white-space: pre-line; overflow-wrap: anywhere; }
.below b { font-weight: 600; }
.below span:not(:last-child) { margin-right: 1.1rem; }
.below .alarm { color: var(--danger); }
.below .id { font: 0.85em ui-monospace, "Liberation Mono", monospace; }
.below .id b { font: inherit; font-weight: 600; }
@media (min-width: 70rem), print {
.front { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 2.5rem; }
.front div > figure:first-child { margin-top: 3.2rem; }
}
@media (max-width: 40rem) { body { padding: 1rem; } .figures tbody tr:not(.group) th, .figures td.muted { min-width: 6rem; } header dl div { display: block; } header dd { margin-bottom: 0.3rem; } }
@media print {
html { font-size: 10.5px; }
body { max-width: none; padding: 0; }
a { color: inherit; text-decoration: none; }
.scroll { overflow: visible; }
figure svg { max-height: 85mm; width: auto; }
.front svg { max-height: 40mm; }
thead + tbody { break-before: avoid; }
.note { break-after: avoid; }
.front > div > figure:first-child { margin-top: 2.6rem; }
.name { min-width: 7rem; } .prose { min-width: 8rem; }
th, td { padding: 0.25rem 0.3rem; }
.figures th, .figures td { padding-block: 0.1rem; }
.figures tr.group th { padding-top: 0.4rem; }
.below div { position: static; max-width: none; }
.below .id, .below.screen { display: none; }
.back { display: none; }
nav ~ .apart { break-before: page; }
nav ~ .apart h2 { margin-top: 0; }
}
`;
