/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { RiskTrend } from '../../charts/risk-trend.tsx';
import { sectionChart } from '../../charts/section-chart.tsx';
import type { ReportHead, ReportPage, ReportWriter, SectionPart } from '../../pages/report-page.ts';
import { FiguresSection } from './figures-section.tsx';
import { fillSlots, Rendered, renderMarkup, Slot } from './render-markup.ts';
import { Contents, ReportHeader } from './report-header.tsx';
import { cssString, reportCss } from './report-style.ts';
import { layOutTable, renderTable } from './section-table.tsx';

/** The file carries its own policy, so it holds wherever the file is opened. */
export const REPORT_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** A report with a wider table is printed in landscape. */
const MAX_PORTRAIT_COLUMNS = 6;
/** Characters of the digest in the footer, enough to tell printed reports apart. */
const FOOTER_DIGEST_LENGTH = 12;

/** Writes a report as one HTML file for a browser and for paper. The file loads nothing and runs no script. */
export const reportHtml: ReportWriter = {
  write: async (head, page, signal) => ({ content: await writeDocument(head, page, signal) }),
};

/** A section with its parts as markup. */
interface RenderedSection {
  part: SectionPart;
  /** The number of columns of the table. */
  columns: number;
  chart: string;
  /** Empty for a grid with a chart: the chart replaces its table, because it has the same numbers, also as a table. */
  table: string;
}

async function writeDocument(head: ReportHead, page: ReportPage, signal: AbortSignal | undefined): Promise<string> {
  const sections: RenderedSection[] = [];
  for (const part of page.parts) sections.push(await renderSection(part, head, page, signal));
  const trend = (await page.trend?.()) ?? [];
  const trendChart = trend.length === 0 ? '' : renderMarkup(<RiskTrend points={trend} />);
  const document = <Document head={head} page={page} sections={sections} trendChart={trendChart} />;
  const tables = sections.map(({ table }) => table);
  return `<!doctype html>\n${fillSlots(renderMarkup(document), tables)}\n`;
}

async function renderSection(
  part: SectionPart,
  head: ReportHead,
  page: ReportPage,
  signal: AbortSignal | undefined,
): Promise<RenderedSection> {
  const layout = layOutTable(part, page.people);
  const element = sectionChart(part, head);
  const chart = element === null ? '' : renderMarkup(element);
  const isReplaced = isGrid(part) && chart !== '';
  const table = isReplaced || part.rows.length === 0 ? '' : await renderTable(part, layout, signal);
  return { part, columns: layout.columns.length, chart, table };
}

const isGrid = ({ section }: SectionPart): boolean => section.grid !== undefined;

interface DocumentProps {
  head: ReportHead;
  page: ReportPage;
  sections: readonly RenderedSection[];
  trendChart: string;
}

/** The document. One chart leads it; in landscape it is placed next to the figures, unless their table is wide. */
function Document({ head, page, sections, trendChart }: DocumentProps) {
  const isWide = sections.some(({ part, columns }) => !isGrid(part) && columns > MAX_PORTRAIT_COLUMNS);
  const leadSection = trendChart === '' ? sections.find(({ part, chart }) => !isGrid(part) && chart !== '') : undefined;
  const views = sections.map((section, index) => (
    <Section key={section.part.section.name} section={section} index={index} showsChart={section !== leadSection} />
  ));
  const grids = views.filter((_, index) => isGrid(sections[index]!.part));
  const leadChart = <Rendered markup={leadSection?.chart ?? trendChart} />;
  const hasWideFigures = page.figures.some(({ change }) => change);
  const organization = head.organization.name ?? head.organization.id;
  return (
    <Page head={head} organization={organization} isWide={isWide}>
      <ReportHeader head={head} page={page} organization={organization} />
      <Contents parts={page.parts} />
      {isWide && !hasWideFigures ? (
        <div class="front">
          <div>
            <FiguresSection figures={page.figures} summary={page.summary} />
          </div>
          <div>
            {leadChart}
            {grids}
          </div>
        </div>
      ) : (
        <>
          {leadChart}
          <FiguresSection figures={page.figures} summary={page.summary} />
          {grids}
        </>
      )}
      {views.filter((_, index) => !isGrid(sections[index]!.part))}
    </Page>
  );
}

function Page(props: { head: ReportHead; organization: string; isWide: boolean; children: ComponentChildren }) {
  const { head, organization, isWide, children } = props;
  const { title, position, digest } = head;
  const footer = `${title} · ${organization} · position ${position} · ${digest.slice(0, FOOTER_DIGEST_LENGTH)}`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={REPORT_CONTENT_POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${title} · ${organization}`}</title>
        <style>
          <Rendered markup={reportCss(isWide, cssString(footer))} />
        </style>
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
}

function Section(props: { section: RenderedSection; index: number; showsChart: boolean }) {
  const { section: rendered, index, showsChart } = props;
  const { section, rows } = rendered.part;
  return (
    <section class={section.group && rows.length > 0 ? 'apart' : undefined}>
      <h2 id={`section-${index}`}>{section.title}</h2>
      {section.note !== undefined && <p class="note">{section.note}</p>}
      {rows.length === 0 && <p class="muted">None.</p>}
      {showsChart && <Rendered markup={rendered.chart} />}
      <Slot index={index} />
    </section>
  );
}
