/** The style of a report as a page: for A4 first, and light on ink. `wide` turns the paper. */
export function styleOf(wide: boolean): string {
  return `
:root { color-scheme: light; --ink: #1c2422; --muted: #55605d; --line: #c9cfca; --accent: #1b5e59; }
@page { size: A4 ${wide ? 'landscape' : 'portrait'}; margin: 16mm 14mm 18mm; @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt system-ui, sans-serif; color: #55605d; } }
* { box-sizing: border-box; }
html { font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; color: var(--ink); background: #fff; }
body { margin: 0 auto; padding: 2rem; max-width: ${wide ? '84rem' : '60rem'}; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.2rem; font-size: 1.7rem; line-height: 1.2; }
h2 { margin: 2rem 0 0.6rem; font-size: 1.2rem; break-after: avoid; }
p { margin: 0.3rem 0; }
.organization { color: var(--accent); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15rem 1rem; margin: 1rem 0; padding: 0.7rem 0; border-block: 1px solid var(--line); }
dt { color: var(--muted); }
dd { margin: 0; }
td.id { font: 0.85em ui-monospace, "Liberation Mono", monospace; }
.incomplete { padding: 0.5rem 0.8rem; border: 1px solid #a3271f; color: #a3271f; }
figure { margin: 1rem 0; break-inside: avoid; }
figure svg { display: block; max-width: 100%; height: auto; }
figcaption, .muted { color: var(--muted); font-size: 0.9em; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.86rem; line-height: 1.35; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; overflow-wrap: normal; }
tbody th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.prose { min-width: 11rem; white-space: pre-line; }
.word { white-space: nowrap; }
.name { min-width: 9rem; }
td.id { min-width: 7rem; color: var(--muted); }
@media print { html { font-size: 10.5px; } body { max-width: none; padding: 0; } .scroll { overflow: visible; } .name { min-width: 7rem; } .prose { min-width: 8rem; } td.id { min-width: 5rem; } th, td { padding: 0.25rem 0.3rem; } }
`;
}
