/**
 * The style sheet of charts. The page defines the colours `--ink`, `--muted` and `--line`. Paper is always white, so the
 * dark colours are for screens alone.
 */
export const CHART_CSS = `
.chart { margin: 1rem 0; break-inside: avoid; }
.chart svg { display: block; max-width: 100%; height: auto; font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.chart figcaption { margin-top: 0.3rem; color: var(--muted); font-size: 0.9em; }
.chart text { fill: var(--ink); }
.chart .quiet { fill: var(--muted); }
.chart .middle { text-anchor: middle; }
.chart .end { text-anchor: end; }
.chart .axis { stroke: var(--muted); stroke-width: 1; }
.chart .grid { stroke: var(--line); stroke-width: 1; stroke-dasharray: 2 3; }
.chart .line { fill: none; stroke: var(--ink); stroke-width: 1.6; stroke-linejoin: round; }
.chart .point { fill: var(--ink); }
.chart .border { fill: none; stroke: var(--ink); stroke-width: 1.4; }
.chart .tone { fill: var(--tone); stroke: var(--muted); stroke-width: 0.6; }
.chart .tone.marked { stroke: var(--ink); stroke-width: 1.4; }
.chart .texture { fill: none; stroke: var(--ink); stroke-width: 0.9; stroke-opacity: 0.28; stroke-linecap: round; }
.chart .value { text-anchor: middle; font-weight: 600; paint-order: stroke; stroke: var(--tone); stroke-width: 3.5px; stroke-linejoin: round; }
.chart .large { font-size: 18px; }
.chart .title { font-size: 13px; }
.chart .small { font-size: 10px; }
.chart-table { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tone-low { --tone: #cfe6d4; } .tone-medium { --tone: #f6e3a1; } .tone-high { --tone: #f2b98a; } .tone-critical { --tone: #e08a80; }
.tone-full { --tone: #9fcfa9; } .tone-partial { --tone: #f6e3a1; } .tone-started { --tone: #f3c9a0; } .tone-none { --tone: #e5a79f; } .tone-excluded { --tone: #d9dcda; }
.tone-empty { --tone: transparent; } .tone-few { --tone: #d8ebe8; } .tone-many { --tone: #a9d6cf; }
@media screen and (prefers-color-scheme: dark) {
.tone-low { --tone: #2b5537; } .tone-medium { --tone: #66561a; } .tone-high { --tone: #7b481d; } .tone-critical { --tone: #8c342c; }
.tone-full { --tone: #2f6b3f; } .tone-partial { --tone: #66561a; } .tone-started { --tone: #744519; } .tone-none { --tone: #7d3a33; } .tone-excluded { --tone: #48524e; }
.tone-few { --tone: #1d4743; } .tone-many { --tone: #2b6f68; }
}
`;
