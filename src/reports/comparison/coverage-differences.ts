import { adoptedFrameworks, coverageByFramework, coverageFigureName } from '../figures/framework-coverage.ts';
import { recordTypesOf } from '../sections/changes-section.ts';
import type { ComparedMoments } from './moved-records.ts';

const MAX_FRAMEWORKS = 8;

/** The coverage of a framework at both moments; null if it had no included controls. */
export interface CoverageDifference {
  framework: string;
  before: number | null;
  after: number | null;
}

/** Returns the difference of the shares as pages show them, in points of per cent. 0 if there was no share before or after. */
export function pointsBetween({ before, after }: CoverageDifference): number {
  if (before === null || after === null) return 0;
  return (Math.round(after * 1000) - Math.round(before * 1000)) / 10;
}

/** Returns the coverage of each adopted framework. None if controls are not compared. */
export async function coverageDifferences({ before, after }: ComparedMoments): Promise<CoverageDifference[]> {
  const types = recordTypesOf(after);
  if (types !== undefined && !types.includes('CONTROL')) return [];
  const [earlier, later] = [await coverageByFramework(before), await coverageByFramework(after)];
  return (await adoptedFrameworks(after, MAX_FRAMEWORKS)).map(({ id, name }) => {
    const figure = coverageFigureName(String(id));
    return { framework: String(name), before: earlier.get(figure) ?? null, after: later.get(figure) ?? null };
  });
}
