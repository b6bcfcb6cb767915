import { Refusal } from '../commands/engine/refusal.ts';
import type { Caller } from '../commands/organization/caller.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { historyOf } from '../projections/read-models/read-model.ts';
import type { DownloadDetails } from '../queries/access/access-log-row.ts';
import { readSignedCursor, writeSignedCursor } from '../queries/lists/cursor.ts';
import { logTimeOf, type PinnedMoment, pinnedMoment, versionConditions } from '../queries/moments/moment.ts';
import type { Reader } from '../queries/moments/reader.ts';
import { isIncomplete, type Snapshot } from '../queries/moments/snapshot.ts';
import { proveEvent } from '../queries/proofs/proofs.ts';
import type { Verification } from '../queries/proofs/verify-changes.ts';
import { verifyPeriod } from '../queries/proofs/verify-listed-changes.ts';
import { ANSWER_FORMATS } from './formats/answer-formats.ts';
import { reportDigest } from './pages/report-digest.ts';
import type {
  AnswerWriter,
  ConstantHead,
  NamesByKey,
  ReportHead,
  ReportPage,
  ReportWriter,
} from './pages/report-page.ts';
import { ReportPaginator } from './pages/report-paginator.ts';
import { accountIdsIn, ReportPeople } from './pages/report-people.ts';
import type { ReportContent, ReportContext, ReportInputName, ReportType } from './report-type.ts';
import { REPORT_INPUTS } from './report-type.ts';
import { REPORTS, type ReportName, type ReportRequest } from './report-types.ts';
import { requireOwner } from './require-owner.ts';

const BEFORE_FIRST_EVENT = {
  label: 'Note',
  value: 'The register was still empty: the organization’s history begins later.',
};

/** The content of a cursor: where the next page begins, and what only the first page computed. */
type NextPage = [
  today: string,
  position: number,
  firstRow: number,
  digest: string,
  rowCounts: readonly number[],
  /** The resume key of the row before, in a section that can be resumed. */
  previousKey: string | null,
];

export type ReportFileRequest = Omit<ReportRequest, 'format' | 'cursor'>;

interface GeneratedReport {
  head: ReportHead;
  page: ReportPage;
  /** The number of rows of each section. */
  rowCounts: readonly number[];
  resumeKey: string | null;
}

/**
 * Returns a report, or the next page of a long one. It is computed from the history read models alone, at one position.
 * The same position, day and inputs always give the same digest.
 */
export async function getReport(
  reader: Reader,
  caller: Caller,
  input: ReportRequest,
  recordGenerated: (report: DownloadDetails) => void,
  progress?: (records: number) => void,
): Promise<object> {
  const { organization_id, type, format, cursor, ...inputs } = input;
  requireReportAccess(caller, input);
  const snapshot = reader.snapshot();
  // Nobody else can use the cursor: the access log names only the account that asked for the first page.
  const boundTo = ['getReport', caller.account_id, organization_id, type, format, inputs];
  const nextPage = cursor === undefined ? null : readSignedCursor<NextPage>(snapshot.cursorKey, boundTo, cursor);
  const moment = nextPage ? { today: nextPage[0], position: nextPage[1] } : await reportMoment(snapshot, input);
  const context = contextOf(snapshot, caller, input, moment, progress);
  await requireOwner(context);
  const writer = ANSWER_FORMATS[format];
  const { head, page, rowCounts, resumeKey } = await generate(context, caller, type, writer, nextPage);
  if (nextPage === null) {
    recordGenerated({ organization_id, type, format, position: head.position, ...context.inputs });
  }
  const { today, position } = moment;
  const following: NextPage = [today, position, page.nextRow ?? 0, head.digest, rowCounts, resumeKey];
  return {
    report: { ...head, ...(await writer.write(head, page)) },
    ...(page.nextRow === null ? {} : { next_cursor: writeSignedCursor(snapshot.cursorKey, boundTo, following) }),
  };
}

/** A report that can be generated as one file. */
export interface ReportFile {
  /** Two reports with the same identity differ only in people's names. */
  identity: string;
  /** Returns today's names for the keys in a report that was generated earlier. */
  names(keys: readonly string[]): Promise<NamesByKey>;
  /** Returns the head, the output of the writer for all rows, and the names in them. */
  generate(): Promise<{ head: ReportHead; written: object; people: NamesByKey }>;
}

/**
 * Opens a report that is generated as one file, however long it is.
 * @param name the format's name in the access log
 * @param progress receives the number of records read so far; generating stops with any error that it throws
 * @throws Refusal for a caller without access, and for wrong inputs
 */
export async function openReportFile(
  reader: Reader,
  caller: Caller,
  input: ReportFileRequest,
  { name, format: writer }: { name: string; format: ReportWriter },
  recordGenerated: (report: DownloadDetails) => void,
  progress?: (records: number) => void,
): Promise<ReportFile> {
  requireReportAccess(caller, input);
  const snapshot = reader.snapshot();
  const { organization_id, type } = input;
  const context = contextOf(snapshot, caller, input, await reportMoment(snapshot, input), progress);
  await requireOwner(context);
  const { moment, inputs } = context;
  return {
    identity: JSON.stringify([organization_id, type, moment, inputs, isIncomplete(snapshot, organization_id)]),
    names: (keys) => new ReportPeople(context).namesFor(keys),
    async generate() {
      const { head, page } = await generate(context, caller, type, null, null);
      recordGenerated({ organization_id, type, format: name, position: head.position, ...inputs });
      return { head, written: await writer.write(head, page), people: page.people };
    },
  };
}

function requireReportAccess(caller: Caller, input: ReportFileRequest): void {
  requirePermission(caller, input.organization_id, 'getReport');
  checkInputs(input.type, REPORTS[input.type], input);
}

/** @param progress receives the number of records read so far; the total isn't known */
function contextOf(
  snapshot: Snapshot,
  caller: Caller,
  input: ReportFileRequest,
  moment: PinnedMoment,
  progress?: (records: number) => void,
): ReportContext {
  let records = 0;
  const recordsRead = (more: number): void => {
    records += more;
    progress?.(records);
  };
  return {
    snapshot,
    organizationId: input.organization_id,
    moment,
    inputs: reportInputs(caller, input),
    recordsRead,
  };
}

/**
 * @param writer of the answer that the page must fit; null for a file, which has no limit
 * @param nextPage the page to continue with; null for the first
 */
async function generate(
  context: ReportContext,
  caller: Caller,
  name: ReportName,
  writer: AnswerWriter | null,
  nextPage: NextPage | null,
): Promise<GeneratedReport> {
  const { snapshot, organizationId } = context;
  const type = REPORTS[name];
  const content = await type.generate(context);
  const constantHead = await constantHeadOf(context, name, type, content);
  const [, , firstRow = 0, firstPageDigest, firstPageCounts, previousKey = null] = nextPage ?? [];
  const figures = nextPage === null ? await content.figures() : [];
  const belowHead = writer && { ...writer, capacity: writer.capacity - writer.headSize(constantHead) };
  const names = new ReportPeople(context);
  const paginator = new ReportPaginator(names, content, figures, belowHead, firstRow, previousKey);
  if (firstPageCounts !== undefined) await paginator.readPage(firstPageCounts);
  // Reads all rows through the paginator, which keeps those of the first page.
  const digest = firstPageDigest ?? (await reportDigest(constantHead, figures, content.sections, paginator));
  const incomplete = isIncomplete(snapshot, organizationId);
  const page = paginator.page();
  const people = await names.namesFor(accountIdsIn(constantHead.about));
  const head: ReportHead = {
    ...constantHead,
    generated_at: snapshot.now().toISOString(),
    digest,
    ...(incomplete ? { incomplete: true } : {}),
    ...(type.hasProof
      ? await proofMembers(context, nextPage === null ? () => verifyChanges(context, caller, content) : null)
      : {}),
  };
  return {
    head,
    page: { ...page, people: new Map([...people, ...page.people]) },
    rowCounts: paginator.rowCounts,
    resumeKey: paginator.resumeKey,
  };
}

/** Returns the proof that a seal covers the report's position, or `pending_seal` while none does. */
async function proofMembers(
  context: ReportContext,
  verify: (() => Promise<Verification | null>) | null,
): Promise<Pick<ReportHead, 'proof' | 'pending_seal'>> {
  const { snapshot, organizationId, moment } = context;
  const proof = await proveEvent(snapshot.models, organizationId, moment.position);
  if (proof === null) return { pending_seal: true };
  const verification = verify === null ? null : await verify();
  return { proof: verification === null ? proof : { ...proof, verification } };
}

/** Compares the changes from the report's first one to its position with the log. Returns null if they are too many. */
async function verifyChanges(
  context: ReportContext,
  caller: Caller,
  { inputs }: ReportContent,
): Promise<Verification | null> {
  const { snapshot, organizationId, moment } = context;
  const period = { from: String(inputs?.from_position ?? 1), to: String(moment.position) };
  // This call throws when the client has gone.
  const progress = () => context.recordsRead?.(0);
  try {
    return await verifyPeriod(snapshot, caller, organizationId, period, { progress });
  } catch (error) {
    // The report is complete without the check, and does not mention it.
    if (error instanceof Refusal && error.code === 'too_large') return null;
    throw error;
  }
}

/** Refuses inputs that the type does not use: a caller would believe that they had an effect. */
function checkInputs(
  name: string,
  { acceptedInputs, requiredInputs = {} }: ReportType,
  input: ReportFileRequest,
): void {
  for (const field of REPORT_INPUTS) {
    const isPresent = input[field] !== undefined;
    if (isPresent && !acceptedInputs.includes(field)) {
      const message = `${name} does not accept ${field}. Leave it out, or choose another type.`;
      throw new Refusal('invalid_input', message, { field, allowed: [...acceptedInputs, 'as_of', 'format', 'cursor'] });
    }
    if (!isPresent && field in requiredInputs) {
      throw new Refusal('invalid_input', `${field} is missing. Give ${requiredInputs[field]}.`, { field });
    }
  }
}

function reportInputs(caller: Caller, input: ReportFileRequest): ReportContext['inputs'] {
  const present = REPORT_INPUTS.flatMap((field) =>
    input[field] === undefined ? [] : [[field, input[field]] as const],
  );
  return Object.fromEntries(
    present.map(([field, value]) => [field, value === 'ME' ? caller.account_id : value]),
  ) as Readonly<Partial<Record<ReportInputName, string>>>;
}

async function reportMoment(snapshot: Snapshot, input: ReportFileRequest): Promise<PinnedMoment> {
  const { organization_id, type, as_of } = input;
  const momentOfType = REPORTS[type].moment;
  return momentOfType ? momentOfType(snapshot, organization_id, input) : pinnedMoment(snapshot, organization_id, as_of);
}

async function constantHeadOf(
  context: ReportContext,
  type: string,
  { title: titleOfType }: ReportType,
  content: ReportContent,
): Promise<ConstantHead> {
  const { snapshot, organizationId, moment } = context;
  const { owner_id } = context.inputs;
  const { title = titleOfType, inputs, about = [] } = content;
  const [organization] = await snapshot.models.find({
    collection: historyOf('organizations'),
    organizationId,
    // Before the first event it has the name of that event.
    where: versionConditions(Math.max(1, moment.position)),
    order: { key: null, direction: 'ASC' },
    limit: 1,
  });
  return {
    report_version: 1,
    type,
    title: owner_id === undefined ? title : `${title} (records of one owner)`,
    organization: { id: organizationId, name: (organization?.doc.name ?? null) as string | null },
    inputs: { ...(owner_id === undefined ? {} : { owner_id }), ...inputs },
    about: [
      ...about,
      ...(owner_id === undefined ? [] : [{ label: 'Owner', value: owner_id }]),
      ...(moment.position === 0 ? [BEFORE_FIRST_EVENT] : []),
    ],
    as_of: await logTimeOf(snapshot, organizationId, moment.position),
    position: String(moment.position),
    today: moment.today,
  };
}
