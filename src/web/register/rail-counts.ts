import { familyQueryOfType } from '../../queries/family-query.ts';
import { dailyFigures } from '../../queries/figures/daily-figures.ts';
import { countOpenProposals } from '../../queries/proposals.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { ReportContext } from '../../reports/report-type.ts';
import { recordsAt } from '../../reports/sections/records.ts';
import { MAX_COUNT } from '../texts/counts.ts';
import { isDay } from '../texts/dates.ts';
import { countDueSelection, readDueSelection } from './home/due-selection.ts';
import type { RegisterView } from './open-register.ts';
import { recordsContext } from './records-context.ts';
import { cachePerSnapshot } from './snapshot-cache.ts';

/** The numbers in the rail, by the page's path below the organization's. A page without an entry has no number. */
export type RailCounts = ReadonlyMap<string, number>;

/** With more events, counting a person's due items takes long, and the rail leaves it out. */
const MAX_EVENTS_FOR_DUE_COUNT = 20_000;

/** The counts of a position don't change. */
const cacheOf = cachePerSnapshot<RailCounts>();

const NO_FILTERS = new URLSearchParams();

/** Counts the records of each family at the moment shown, and what needs the reader. The results of a position stay. */
export async function readRailCounts(
  view: Pick<RegisterView, 'snapshot' | 'organization' | 'past'>,
  accountId: string,
): Promise<RailCounts> {
  const { snapshot, organization, past } = view;
  const records = await recordsContext(view, accountId);
  const { today, position } = records.moment;
  const key = [organization.id, position, today, accountId].join();
  const cached = cacheOf(snapshot).get(key);
  if (cached !== undefined) return cached;
  const counts = new Map(await familyCounts(records, past === null ? today : past.asOf));
  if (snapshot.newestPosition(organization.id) <= MAX_EVENTS_FOR_DUE_COUNT) {
    counts.set('/needs-you', await countDueSelection(records, readDueSelection(NO_FILTERS, today)));
  }
  counts.set('/proposals', await countOpenProposals(snapshot, organization.id));
  cacheOf(snapshot).set(key, counts);
  return counts;
}

/** Today and the ends of days are in the daily figures. At other moments the versions are counted. */
async function familyCounts(records: ReportContext, moment: string): Promise<[page: string, count: number][]> {
  const { snapshot, organizationId } = records;
  const day = isDay(moment) ? await dailyFigures(snapshot.models, { organizationId }, [moment]) : null;
  return Promise.all(
    FAMILY_DESCRIPTIONS.map(async ({ type, plural }) => {
      // The figure with the family's name counts all its records.
      const count = day === null ? await countVersions(records, type) : (day[0]?.[plural] ?? 0);
      return [`/${plural}`, count] as [string, number];
    }),
  );
}

async function countVersions(records: ReportContext, type: string): Promise<number> {
  const source = recordsAt({ ...records, inputs: {} }, familyQueryOfType(type));
  const [result] = await records.snapshot.models.count({ ...source, limit: MAX_COUNT + 1 });
  return result?.total ?? 0;
}
