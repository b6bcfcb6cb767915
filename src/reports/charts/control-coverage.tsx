import { codeWords } from '../../texts/words.ts';
import type { ReportRow } from '../report-type.ts';
import type { PageAddress } from './chart.tsx';
import { StackedRows } from './stacked-bars.tsx';

const STATES = ['FULL', 'PARTIAL', 'STARTED', 'NONE', 'EXCLUDED'] as const;
const TONES = { FULL: 'full', PARTIAL: 'partial', STARTED: 'started', NONE: 'none', EXCLUDED: 'excluded' } as const;
const MAX_SECTION_LENGTH = 40;

/** The filter of a list takes no more ids. */
const MAX_LINKED_IDS = 50;

interface ControlCoverageProps {
  /** The controls of a statement of applicability. */
  rows: readonly ReportRow[];
  /** Makes each part of a bar a link to its controls. */
  addressOf?: PageAddress | undefined;
}

/** The controls of each section by implementation. */
export function ControlCoverage({ rows, addressOf }: ControlCoverageProps) {
  const sections = [...new Set(rows.map(sectionOf))];
  const ids = new Map<string, string[]>();
  for (const row of rows) {
    const key = `${stateOf(row)} ${sectionOf(row)}`;
    ids.set(key, [...(ids.get(key) ?? []), String(row.id)]);
  }
  const idsOf = (state: string, section: string) => ids.get(`${state} ${section}`) ?? [];
  return (
    <StackedRows
      id="coverage"
      title="Controls by section and implementation"
      categoryTitle="Section"
      categories={sections}
      isLinked={addressOf !== undefined}
      series={STATES.map((state) => ({
        name: codeWords(state),
        tone: TONES[state],
        values: sections.map((section) => idsOf(state, section).length),
        hrefOf: (index) => {
          const ids = idsOf(state, sections[index]!);
          return ids.length > MAX_LINKED_IDS ? undefined : addressOf?.('/controls', { ids });
        },
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
