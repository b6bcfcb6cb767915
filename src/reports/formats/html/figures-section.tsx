/** @jsxRuntime automatic @jsxImportSource preact */
import type { ReportPage } from '../../pages/report-page.ts';
import type { Figure } from '../../report-type.ts';
import {
  codesAsWords,
  figureCells,
  figureGroups,
  figureHeadings,
  figureText,
  recentChangeText,
} from '../value-text.ts';
import { GroupRow, ScrollTable } from './scroll-table.tsx';

/** The figures of a report, the most important ones first. */
export function FiguresSection({ figures, summary }: Pick<ReportPage, 'figures' | 'summary'>) {
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
            {groups.length > 1 && <GroupRow columns={numberHeadings.length + 2}>{heading}</GroupRow>}
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
      <td class="muted">{codesAsWords(figure.counts)}</td>
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
