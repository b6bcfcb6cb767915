import { familyQueryOfType } from '../../queries/family-query.ts';
import type { Figure, ReportContext, ReportRow } from '../report-type.ts';
import { readInBatches, recordsAt } from '../sections/records.ts';
import { type FigureValues, shareOf } from './figure-values.ts';

/** Frameworks with a coverage figure each. Further ones count only in the total coverage. */
const MAX_FRAMEWORK_FIGURES = 50;

/** Returns the first adopted frameworks in the order of their names. The report's `owner_id` does not narrow them. */
export async function adoptedFrameworks(context: ReportContext, limit: number): Promise<ReportRow[]> {
  const { owner_id: _owner, ...inputs } = context.inputs;
  const adopted: ReportRow[] = [];
  const order = { key: 'name', direction: 'ASC' } as const;
  for await (const batch of readInBatches(
    context,
    recordsAt({ ...context, inputs }, familyQueryOfType('FRAMEWORK')),
    order,
  )) {
    adopted.push(...batch.map(({ doc }) => doc));
    if (adopted.length >= limit) break;
  }
  return adopted.slice(0, limit);
}

/** Returns the share of fully implemented controls among those INCLUDED, by framework. It takes one count in the store. */
export async function coverageByFramework(context: ReportContext): Promise<FigureValues> {
  const includedControls = recordsAt(context, familyQueryOfType('CONTROL'), { status: ['INCLUDED'] });
  const groups = await context.snapshot.models.count(includedControls, ['framework_id', 'implementation']);
  const counts = new Map<string, { full: number; all: number }>();
  for (const { values, total } of groups) {
    const name = coverageFigureName(String(values[0]));
    const { full, all } = counts.get(name) ?? { full: 0, all: 0 };
    counts.set(name, { full: values[1] === 'FULL' ? full + total : full, all: all + total });
  }
  return new Map([...counts].map(([name, { full, all }]) => [name, shareOf(full, all)]));
}

/** Adds the coverage of each framework after the coverage of all controls, if several frameworks are adopted. */
export async function addFrameworkCoverage(context: ReportContext, figures: readonly Figure[]): Promise<Figure[]> {
  const adopted = await adoptedFrameworks(context, MAX_FRAMEWORK_FIGURES);
  if (adopted.length < 2) return [...figures];
  const values = await coverageByFramework(context);
  return figures.flatMap((figure) => {
    if (figure.name !== 'coverage') return [figure];
    const frameworkFigures = adopted.map(({ id, name }): Figure => {
      const figureName = coverageFigureName(String(id));
      const counts = 'share of its INCLUDED controls, clauses too, that are fully implemented';
      return {
        ...figure,
        name: figureName,
        label: `Coverage of ${name}`,
        value: values.get(figureName) ?? null,
        counts,
      };
    });
    return [figure, ...frameworkFigures];
  });
}

const COVERAGE_OF_FRAMEWORK = 'coverage:';

/** Returns the name of the figure with the coverage of one framework. */
export const coverageFigureName = (framework: string): string => `${COVERAGE_OF_FRAMEWORK}${framework}`;

/** Returns the framework whose coverage this figure is; null for any other figure. */
export function frameworkOfCoverage(figureName: string): string | null {
  return figureName.startsWith(COVERAGE_OF_FRAMEWORK) ? figureName.slice(COVERAGE_OF_FRAMEWORK.length) : null;
}
