import { addDays, isRealDate } from '../../commands/engine/dates.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { type PinnedMoment, pinnedMoment, reversedPeriod } from '../../queries/moments/moment.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { NamesByKey } from '../../texts/value-text.ts';
import { type ReportFileRequest, reportContext, resolveOwner } from '../report-request.ts';
import type { ReportContext } from '../report-type.ts';
import { changesSection, recordTypesOf } from '../sections/changes-section.ts';
import { readWholeReport } from '../whole-report.ts';
import { adoptedControls } from './adopted-controls.ts';
import { type CoverageDifference, coverageDifferences } from './coverage-differences.ts';
import { type FigureMovement, figureMovements } from './figure-movement.ts';
import { type Headline, headlineOf } from './headline.ts';
import type { ComparedMoments } from './moved-records.ts';
import { type FamilyDifferences, recordDifferences } from './record-differences.ts';

/** A period with more changes than this is not listed. The report has all of it. */
const MAX_LISTED_CHANGES = 1_000;

/** The moments that are compared, each in a form that `as_of` accepts, and the filters of CHANGES_BETWEEN. */
export interface ComparisonInput extends Pick<ReportFileRequest, 'organization_id' | 'record_types' | 'owner_id'> {
  from: string;
  /** By default now. */
  until?: string | undefined;
}

export interface Comparison {
  before: PinnedMoment;
  after: PinnedMoment;
  /** The families that are compared; undefined for all. */
  recordTypes: readonly string[] | undefined;
  /** The account whose records are compared; undefined for everyone's. */
  ownerId: string | undefined;
  /** The number of events between the moments; with filters, of the changes that they select. */
  changes: number;
  figures: readonly FigureMovement[];
  coverage: readonly CoverageDifference[];
  headline: Headline;
  /** The inputs of the report CHANGES_BETWEEN with the same changes; null if there are none. */
  report: ReportFileRequest | null;
  /** That report's digest and changed records; null without changes, and for a period with too many. */
  listed: { digest: string; families: readonly FamilyDifferences[]; people: NamesByKey } | null;
}

/**
 * Compares the register at two moments. The changes between them are those of the report CHANGES_BETWEEN, with its digest.
 * @param signal stops the reading when it is aborted
 * @throws Refusal for a caller without access, an invalid moment, and for `from` after `until`
 */
export async function compareMoments(
  reader: Reader,
  caller: Caller,
  input: ComparisonInput,
  signal?: AbortSignal,
): Promise<Comparison> {
  const { organization_id, from, until, ...filters } = input;
  requirePermission(caller, organization_id, 'readRecords');
  const snapshot = reader.snapshot();
  const scope = await resolveOwner(snapshot, caller, { organization_id, type: 'CHANGES_BETWEEN', ...filters });
  const call = { onGenerated: () => undefined, signal };
  const contextAt = async (asOf: string | undefined, field: string): Promise<ReportContext> =>
    reportContext(snapshot, caller, scope, call, await pinnedMoment(snapshot, organization_id, asOf, field));
  const moments = { before: await contextAt(from, 'from'), after: await contextAt(until, 'until') };
  const [before, after] = [moments.before.moment, moments.after.moment];
  if (before.position > after.position || before.today > after.today) throw reversedPeriod('from');
  const changes = await countChanges(moments);
  const report = changes === 0 ? null : reportOf(moments, input);
  const figures = await figureMovements(moments);
  const adopted = report === null || changes > MAX_LISTED_CHANGES ? null : await adoptedControls(moments);
  const compared = {
    changes,
    figures,
    coverage: await coverageDifferences(moments),
    listed:
      report === null || adopted === null
        ? null
        : await listChanged(reader, caller, moments, { report, figures, adopted }),
  };
  return {
    before,
    after,
    recordTypes: recordTypesOf(moments.after),
    ownerId: moments.after.inputs.owner_id,
    ...compared,
    headline: await headlineOf(moments, compared),
    report,
  };
}

async function countChanges({ before, after }: ComparedMoments): Promise<number> {
  const [first, last] = [before.moment.position + 1, after.moment.position];
  const isFiltered = Object.keys(after.inputs).length > 0;
  if (first > last || !isFiltered) return last - first + 1;
  const figures = await changesSection(after, { first, last, from: null, to: null }).figures();
  return figures.find(({ name }) => name === 'changes')!.value!;
}

/**
 * Returns the request for the changes after one moment, up to another, which is its moment too. Past days stay days, so
 * that the report names the period that was compared: after 2026-06-30 it begins on 2026-07-01.
 */
function reportOf({ before, after }: ComparedMoments, moments: ComparisonInput): ReportFileRequest {
  const { organizationId: organization_id, inputs, moment, snapshot } = after;
  const isPastDay = (text = '') => isRealDate(text) && text < snapshot.today();
  const from = isPastDay(moments.from) ? addDays(moments.from, 1) : String(before.moment.position + 1);
  const to = isPastDay(moments.until) ? moments.until! : String(moment.position);
  const filters = { record_types: recordTypesOf(after), owner_id: inputs.owner_id };
  return { organization_id, type: 'CHANGES_BETWEEN', from, to, as_of: to, ...filters };
}

async function listChanged(
  reader: Reader,
  caller: Caller,
  moments: ComparedMoments,
  { report, figures, adopted }: { report: ReportFileRequest; adopted: readonly string[] } & Pick<Comparison, 'figures'>,
) {
  const { head, parts, people } = await readWholeReport(reader, caller, report, moments.after.signal);
  const rows = parts.flatMap((part) => part.rows);
  const controls = { adopted, moved: movedControls(figures) };
  return { digest: head.digest, families: await recordDifferences(moments, rows, controls), people };
}

/** Returns the ids of the controls that moved a figure. Their measures may have done it, without an event of the control. */
function movedControls(figures: Comparison['figures']): string[] {
  const parts = figures.flatMap(({ parts }) => parts).filter(({ part }) => part.type === 'CONTROL');
  return parts.flatMap(({ moved: { records } }) =>
    [...(records?.entered ?? []), ...(records?.left ?? [])].map(({ id }) => id),
  );
}
