import type { ComponentChildren, VNode } from 'preact';
import { codesAsWords } from '../../texts/words.ts';
import type { PageAddress } from '../charts/chart.tsx';
import { ControlCoverage } from '../charts/control-coverage.tsx';
import { DueCalendar } from '../charts/due-calendar.tsx';
import { FigureTrendChart } from '../charts/figure-trend-chart.tsx';
import { RiskMatrix, RiskTrend } from '../charts/risk-charts.tsx';
import type { ReportHead, ReportPage, ReportWriter, SectionPart } from '../pages/report-page.ts';
import type { Figure, TrendPoint } from '../report-type.ts';
import { REPORT_CSS } from './report-style.ts';
import {
  figureCells,
  figureGroups,
  figureHeadings,
  figureText,
  headFacts,
  INCOMPLETE_NOTE,
  recentChangeText,
  SIGN_OFF_NOTE,
} from './report-text.ts';
import { GroupRow, Rendered, RichText, renderMarkup, ScrollTable, SectionTable } from './section-table.tsx';
import { layOutTable, type TableLayout } from './table-layout.ts';
import { renderRows } from './table-rows.ts';

/** The file carries its own policy, so it holds wherever the file is opened. */
export const REPORT_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** A report with a wider table is printed in landscape. */
const MAX_PORTRAIT_COLUMNS = 6;
/** Characters of the digest in the footer, enough to tell printed reports apart. */
const FOOTER_DIGEST_LENGTH = 12;
const MIN_SECTIONS_FOR_CONTENTS = 4;

/** Writes a report as one HTML file for a browser and for paper. The file loads nothing and runs no script. */
export const reportHtml: ReportWriter = {
  write: async (head, page, signal) => ({ content: await writeDocument(head, page, signal) }),
};

/** A section whose rows were rendered before the document, in batches. */
interface RenderedSection {
  part: SectionPart;
  layout: TableLayout;
  chart: VNode | null;
  /** Empty for a grid with a chart: the chart replaces its table, because it has the same numbers, also as a table. */
  rows: string;
}

async function writeDocument(head: ReportHead, page: ReportPage, signal: AbortSignal | undefined): Promise<string> {
  const sections: RenderedSection[] = [];
  const addressOf = registerAddress(head, page);
  for (const part of page.parts) {
    const layout = layOutTable(part, page.people);
    const chart = sectionChart(part, head, addressOf);
    const isReplaced = isGrid(part) && chart !== null;
    sections.push({ part, layout, chart, rows: isReplaced ? '' : await renderRows(part, layout, signal) });
  }
  const trend = (await page.trend?.()) ?? [];
  const document = <Document head={head} page={page} sections={sections} trend={trend} addressOf={addressOf} />;
  return `<!doctype html>\n${renderMarkup(document)}\n`;
}

/**
 * Returns addresses of the register's pages, at the report's moment and for its inputs, so that they show the same records.
 * Undefined for a report without a way back.
 */
function registerAddress({ inputs }: ReportHead, { registerUrl }: ReportPage): PageAddress | undefined {
  if (registerUrl === undefined) return undefined;
  const [home, moment] = registerUrl.split('?');
  return (page, parameters) => {
    const query = new URLSearchParams(moment);
    for (const [name, value] of Object.entries({ owner_id: inputs.owner_id ?? [], ...parameters })) {
      query.delete(name);
      for (const text of [value].flat()) query.append(name, String(text));
    }
    return `${home}${page}?${query}`;
  };
}

const dueParameters = ({ owner_id = 'all', kinds }: ReportHead['inputs']) => ({
  owner: owner_id,
  kind: kinds === undefined ? [] : String(kinds).split(','),
});

function sectionChart(
  { section, rows }: SectionPart,
  { today, inputs }: ReportHead,
  addressOf: PageAddress | undefined,
): VNode | null {
  if (rows.length === 0) return null;
  switch (section.plot) {
    case 'matrix':
      return <RiskMatrix rows={rows} addressOf={addressOf} />;
    case 'coverage':
      return <ControlCoverage rows={rows} addressOf={addressOf} />;
    case 'calendar':
      return (
        <DueCalendar
          rows={rows}
          today={today}
          until={String(inputs.until)}
          addressOf={addressOf && ((path, days) => addressOf(path, { ...dueParameters(inputs), ...days }))}
        />
      );
    case 'trend':
      return <FigureTrendChart columns={section.columns} rows={rows} />;
    default:
      return null;
  }
}

const isGrid = ({ section }: SectionPart): boolean => section.grid !== undefined;

interface DocumentProps {
  head: ReportHead;
  page: ReportPage;
  sections: readonly RenderedSection[];
  trend: readonly TrendPoint[];
  addressOf: PageAddress | undefined;
}

/** The document. One chart leads it; in landscape it is placed next to the figures, unless their table is wide. */
function Document({ head, page, sections, trend, addressOf }: DocumentProps) {
  const isWide = sections.some(({ part, layout }) => !isGrid(part) && layout.columns.length > MAX_PORTRAIT_COLUMNS);
  const leadSection =
    trend.length === 0 ? sections.find(({ part, chart }) => !isGrid(part) && chart !== null) : undefined;
  const views = sections.map((section, index) => (
    <Section key={section.part.section.name} section={section} index={index} showsChart={section !== leadSection} />
  ));
  const grids = views.filter((_, index) => isGrid(sections[index]!.part));
  const leadChart = trend.length === 0 ? leadSection?.chart : <RiskTrend points={trend} addressOf={addressOf} />;
  const hasWideFigures = page.figures.some(({ change }) => change);
  const organization = head.organization.name ?? head.organization.id;
  return (
    <Page head={head} organization={organization} isWide={isWide}>
      {page.registerUrl !== undefined && (
        <p class="back">
          <a href={page.registerUrl}>Back to the register</a>
        </p>
      )}
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
      {page.signOff !== undefined && <SignOff labels={page.signOff} />}
    </Page>
  );
}

function Page(props: { head: ReportHead; organization: string; isWide: boolean; children: ComponentChildren }) {
  const { head, organization, isWide, children } = props;
  const { title, position, digest } = head;
  const footer = `${title} · ${organization} · change ${position} · ${digest.slice(0, FOOTER_DIGEST_LENGTH)}`;
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
          <Rendered markup={pageCss(isWide, footer) + REPORT_CSS} />
        </style>
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  );
}

/** Returns the rules for the page: its format and its footer. Wide tables are printed in landscape. */
function pageCss(isWide: boolean, footer: string): string {
  const small = 'font: 8pt system-ui, sans-serif; color: #55605d;';
  return `
@page { size: A4 ${isWide ? 'landscape' : 'portrait'}; margin: 15mm 14mm 17mm; @bottom-left { content: ${cssString(footer)}; ${small} } @bottom-right { content: "Page " counter(page) " of " counter(pages); ${small} } }
body { max-width: ${isWide ? '84rem' : '60rem'}; }`;
}

/** Returns a text as a CSS string that is safe inside a `style` element. */
function cssString(text: string): string {
  const safe = text.replace(/[\\"<\n\r\f\0]/g, (character) => `\\${character.codePointAt(0)!.toString(16)} `);
  return `"${safe}"`;
}

function ReportHeader({ head, page, organization }: { head: ReportHead; page: ReportPage; organization: string }) {
  return (
    <header>
      <h1>{head.title}</h1>
      <p class="organization">{organization}</p>
      <dl>
        {headFacts(head, page.people).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <RichText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {head.incomplete && <p class="incomplete">{INCOMPLETE_NOTE}</p>}
    </header>
  );
}

/** Links to the sections, with their numbers of rows. */
function Contents({ parts }: Pick<ReportPage, 'parts'>) {
  if (parts.length < MIN_SECTIONS_FOR_CONTENTS) return null;
  return (
    <nav aria-label="Contents">
      <ol>
        {parts.map(({ section, rows }, index) => (
          <li key={section.name}>
            <a href={`#section-${index}`}>{section.title}</a>
            {rows.length > 1 && (
              <>
                {' '}
                <span class="muted">{rows.length}</span>
              </>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The figures of a report, the most important ones first. */
function FiguresSection({ figures, summary }: Pick<ReportPage, 'figures' | 'summary'>) {
  if (figures.length === 0) return null;
  const numberHeadings = figureHeadings(figures);
  const groups = figureGroups(figures);
  const headings = (
    <>
      <th scope="col">Figure</th>
      {numberHeadings.map((title) => (
        <th key={title} scope="col" class="number">
          {title}
        </th>
      ))}
      <th scope="col">What it counts</th>
    </>
  );
  return (
    <section class="figures">
      <h2>Figures</h2>
      {summary.length > 0 && <Summary figures={summary} />}
      <ScrollTable caption="Figures" headings={headings}>
        {groups.map(([heading, groupFigures]) => (
          <tbody key={heading}>
            {groups.length > 1 && <GroupRow columns={numberHeadings.length + 2} text={heading} />}
            {groupFigures.map((figure) => (
              <FigureRow key={figure.name} figure={figure} />
            ))}
          </tbody>
        ))}
      </ScrollTable>
    </section>
  );
}

/** A row of the table. A figure that is and was zero is greyed out. */
function FigureRow({ figure }: { figure: Figure }) {
  const isZero = [figure.value, ...Object.values(figure.change ?? {})].every((value) => value === 0 || value === null);
  return (
    <tr class={isZero ? 'muted' : undefined}>
      <th scope="row">{figure.label}</th>
      {figureCells(figure).map((text) => (
        <td class="number">{text}</td>
      ))}
      <td class="muted">
        <RichText text={codesAsWords(figure.counts)} />
      </td>
    </tr>
  );
}

/** The most important figures in large type, with their most recent change. */
function Summary({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="summary">
      {figures.map((figure) => (
        <div key={figure.name}>
          <dt>{`${figure.group}: ${figure.label.toLowerCase()}`}</dt>
          <dd>
            <b>{figureText(figure)}</b> <span>{recentChangeText(figure) ?? ''}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Lines to fill in by hand. */
function SignOff({ labels }: { labels: readonly string[] }) {
  return (
    <section class="sign-off">
      <h2>Approval</h2>
      <p class="note">{SIGN_OFF_NOTE}</p>
      <dl>
        {labels.map((label) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd />
          </div>
        ))}
      </dl>
    </section>
  );
}

function Section(props: { section: RenderedSection; index: number; showsChart: boolean }) {
  const { section: rendered, index, showsChart } = props;
  const { layout, chart } = rendered;
  const { section, rows } = rendered.part;
  return (
    <section class={section.group && rows.length > 0 ? 'apart' : undefined}>
      <h2 id={`section-${index}`}>{section.title}</h2>
      {section.note !== undefined && <p class="note">{section.note}</p>}
      {rows.length === 0 && <p class="muted">None.</p>}
      {showsChart && chart}
      {rendered.rows !== '' && <SectionTable caption={section.title} layout={layout} rows={rendered.rows} />}
    </section>
  );
}
