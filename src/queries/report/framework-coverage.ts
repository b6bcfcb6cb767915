import { controlQuery } from '../controls.ts';
import { frameworkQuery } from '../frameworks.ts';
import { shareOf, type Values } from './figures.ts';
import type { Figure, ReportContext, Row } from './report-type.ts';
import { recordsAt, walk } from './walk.ts';

/** So many frameworks are told one by one. */
const MOST = 50;

/** The frameworks that are adopted, by name, whoever owns them. */
export async function adoptedFrameworks(context: ReportContext): Promise<Row[]> {
  const { owner_id: _owner, ...inputs } = context.inputs;
  const adopted: Row[] = [];
  const order = { key: 'name', direction: 'ASC' } as const;
  for await (const batch of walk(context, recordsAt({ ...context, inputs }, frameworkQuery), order)) {
    adopted.push(...batch.map(({ doc }) => doc));
  }
  return adopted;
}

/** What share of each framework's controls INCLUDED is fully implemented: one count in the store. */
export async function coverageOfEach(context: ReportContext): Promise<Values> {
  const included = recordsAt(context, controlQuery, { status: ['INCLUDED'] });
  const groups = await context.reader.models.count(included, ['framework_id', 'implementation']);
  const counts = new Map<string, { full: number; all: number }>();
  for (const { values, total } of groups) {
    const name = nameFor(String(values[0]));
    const { full, all } = counts.get(name) ?? { full: 0, all: 0 };
    counts.set(name, { full: values[1] === 'FULL' ? full + total : full, all: all + total });
  }
  return new Map([...counts].map(([name, { full, all }]) => [name, shareOf(full, all)]));
}

/** Puts behind the coverage of all controls that of each framework, where there are several. */
export async function addCoverage(context: ReportContext, figures: readonly Figure[]): Promise<Figure[]> {
  const adopted = await adoptedFrameworks(context);
  if (adopted.length < 2) return [...figures];
  const values = await coverageOfEach(context);
  return figures.flatMap((figure) => {
    if (figure.name !== 'coverage') return [figure];
    const each = adopted.slice(0, MOST).map(({ id, name }): Figure => {
      const own = nameFor(String(id));
      const counts = `of this framework alone: ${figure.counts}`;
      return { ...figure, name: own, label: `Coverage of ${name}`, value: values.get(own) ?? null, counts };
    });
    return [figure, ...each];
  });
}

const nameFor = (framework: string): string => `coverage:${framework}`;
