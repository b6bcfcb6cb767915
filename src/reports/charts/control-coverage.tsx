/** @jsxRuntime automatic @jsxImportSource preact */
import { codeWords } from '../formats/report-text.ts';
import type { ReportRow } from '../report-type.ts';
import { countBy } from './chart.tsx';
import { StackedRows } from './stacked-bars.tsx';

const STATES = ['FULL', 'PARTIAL', 'STARTED', 'NONE', 'EXCLUDED'] as const;
const TONES = { FULL: 'full', PARTIAL: 'partial', STARTED: 'started', NONE: 'none', EXCLUDED: 'excluded' } as const;
const MAX_SECTION_LENGTH = 40;

/** The controls of each section by implementation. @param rows controls of a statement of applicability */
export function ControlCoverage({ rows }: { rows: readonly ReportRow[] }) {
  const sections = [...new Set(rows.map(sectionOf))];
  const counts = countBy(rows, (row) => `${stateOf(row)} ${sectionOf(row)}`);
  return (
    <StackedRows
      id="coverage"
      title="Controls by section and implementation"
      categoryTitle="Section"
      categories={sections}
      series={STATES.map((state) => ({
        name: codeWords(state),
        tone: TONES[state],
        values: sections.map((section) => counts.get(`${state} ${section}`) ?? 0),
      }))}
    />
  );
}

/** Returns `A.5` for `A.5.12`. A title without numbers is a section of its own. */
function sectionOf({ section_title }: ReportRow): string {
  const title = String(section_title ?? '').trim();
  const numbered = /^((?:[\p{L}]+[.-]?)?\d+)[.-]\d/u.exec(title);
  const section = numbered?.[1] ?? title;
  return section.length > MAX_SECTION_LENGTH ? `${section.slice(0, MAX_SECTION_LENGTH - 1)}…` : section;
}

const stateOf = ({ status, implementation }: ReportRow): string =>
  status === 'EXCLUDED' ? 'EXCLUDED' : String(implementation);
