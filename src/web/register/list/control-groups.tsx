import type { ListSelection } from '../../../addresses/page-addresses.ts';
import { shareText } from '../../../texts/words.ts';
import type { RecordRow } from '../field-content.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { numberedName } from '../record/numbered-name.ts';
import type { RegisterList } from '../register-lists.ts';
import type { ControlGroup } from './read-control-groups.ts';
import { RecordTable } from './record-table.tsx';

interface ControlGroupsProps {
  list: RegisterList;
  view: RegisterView;
  selection: ListSelection;
  groups: readonly ControlGroup[];
  today: string;
  isChosen: boolean;
}

/** Shows controls under their framework and section, which fold, with the coverage of each framework. */
export function ControlGroups({ groups, ...table }: ControlGroupsProps) {
  return (
    <>
      {groups.map(({ framework, controls, sections }) => (
        <section key={String(framework.id)} class="card control-group">
          <div class="row">
            <h2>
              <a href={registerAddress(table.view, `/frameworks/${framework.id}`)}>{String(framework.name)}</a>
            </h2>
            <p class="sub">{coverageText(framework)}</p>
          </div>
          <CoverageMap view={table.view} framework={framework} controls={controls} />
          {[...sections].map(([section, rows]) => (
            <details key={section} open>
              <summary>
                <span>
                  {sectionTitle(section, rows)} <small>{sectionText(rows)}</small>
                </span>
              </summary>
              <RecordTable {...table} rows={rows} label={`${framework.name} ${section}`} />
            </details>
          ))}
        </section>
      ))}
    </>
  );
}

function coverageText({ coverage, implemented_count, included_count }: RecordRow): string {
  if (coverage === null) return 'No control is included';
  return `Coverage of the framework ${shareText(Number(coverage))}: ${implemented_count} of ${included_count} controls and clauses in scope are fully implemented`;
}

/** Returns a section's title. It has words if the section is a control itself, such as 4 among 4.1 and 4.2. */
export function sectionTitle(section: string, [first]: readonly RecordRow[]): string {
  if (section === '') return 'Controls';
  if (first?.section_title !== section) return section;
  return numberedName({ reference_id: section, name: String(first.name) });
}

export function sectionText(rows: readonly RecordRow[]): string {
  const included = rows.filter((row) => row.status === 'INCLUDED');
  const full = included.filter((row) => row.implementation === 'FULL');
  return `· ${full.length} of ${included.length} fully implemented`;
}

/** The kinds of squares, in the order of the legend. Their shapes differ, not only their colours. */
const SQUARES = [
  ['FULL', 'Fully implemented', 'M0 0h12v12H0z'],
  ['PARTIAL', 'Partly', 'M0 0h12v12H0zM2 2v4h8V2z'],
  ['STARTED', 'Started', 'M0 0h12v12H0zM2 2v8h8V2zM4 4h4v4H4z'],
  ['NONE', 'Not started', 'M0 0h12v12H0zM2 2v8h8V2z'],
  ['EXCLUDED', 'Excluded', 'M2 5h8v2H2z'],
] as const;
type SquareKind = (typeof SQUARES)[number][0];

const filterOf = (kind: SquareKind) =>
  kind === 'EXCLUDED' ? { status: kind } : { status: 'INCLUDED', implementation: kind };

const SQUARES_IN_ROW = 20;
const SQUARE_STEP = 15;

interface CoverageMapProps extends Pick<ControlGroup, 'framework' | 'controls'> {
  view: RegisterView;
}

/**
 * A square for each control, by its implementation, which opens the control. The legend says the same in numbers, and opens
 * their lists. The keyboard reaches the controls in the tables below.
 */
function CoverageMap({ view, framework, controls }: CoverageMapProps) {
  const width = Math.min(controls.length, SQUARES_IN_ROW) * SQUARE_STEP;
  const height = Math.ceil(controls.length / SQUARES_IN_ROW) * SQUARE_STEP;
  const counts = SQUARES.map(
    ([kind, label]) => [kind, label, controls.filter((row) => kindOf(row) === kind).length] as const,
  );
  return (
    <div class="row coverage-map">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {controls.map((row, index) => (
          <a key={String(row.id)} href={registerAddress(view, `/controls/${row.id}`)} tabindex={-1}>
            <Square
              kind={kindOf(row)}
              title={`${row.section_title} ${row.name}`}
              x={(index % SQUARES_IN_ROW) * SQUARE_STEP}
              y={Math.floor(index / SQUARES_IN_ROW) * SQUARE_STEP}
            />
          </a>
        ))}
      </svg>
      <ul class="plain row">
        {counts.map(([kind, label, count]) => (
          <li key={kind}>
            <svg width="12" height="12" aria-hidden="true">
              <Square kind={kind} x={0} y={0} />
            </svg>{' '}
            <a href={registerAddress(view, '/controls', { framework_id: framework.id, ...filterOf(kind) })}>
              {label} {count}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function kindOf({ status, implementation }: RecordRow): SquareKind {
  return status === 'EXCLUDED' ? 'EXCLUDED' : (implementation as SquareKind);
}

function Square({ kind, title, x, y }: { kind: SquareKind; title?: string; x: number; y: number }) {
  const [, label, path] = SQUARES.find(([each]) => each === kind)!;
  return (
    <path class={`square-${kind.toLowerCase()}`} d={path} fill-rule="evenodd" transform={`translate(${x} ${y})`}>
      {title !== undefined && <title>{`${title}: ${label}`}</title>}
    </path>
  );
}
