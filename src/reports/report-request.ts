import { invalidField, Refusal } from '../commands/engine/refusal.ts';
import { accountOf, type Caller } from '../commands/organization/caller.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import type { DownloadDetails } from '../queries/files/download-details.ts';
import { resolveOwnerFilter } from '../queries/lists/owner-filter.ts';
import { type PinnedMoment, pinnedMoment } from '../queries/moments/moment.ts';
import type { Snapshot } from '../queries/moments/snapshot.ts';
import { readAllMembersOf } from '../queries/records/member-names.ts';
import { isMemberWord, readEverMemberWords } from '../queries/records/member-words.ts';
import { REPORTS, type ReportRequest, reportPermission } from './all-reports.ts';
import {
  REPORT_INPUTS,
  type ReportContext,
  type ReportInputName,
  type ReportInputs,
  type ReportType,
} from './report-type.ts';

export type ReportFileRequest = Omit<ReportRequest, 'format' | 'cursor'>;

/** The callbacks and the signal of one call. */
export interface ReportCall {
  onGenerated(report: DownloadDetails): void;
  /** Receives the number of records read so far. The total isn't known. */
  progress?: ((records: number) => void) | undefined;
  /** Stops reading and writing when it is aborted. */
  signal?: AbortSignal | undefined;
  /** The address of the register's pages, for a format that people open in a browser. */
  registerUrl?: string;
}

/** @throws Refusal for a caller without access, and for inputs that the type does not accept */
export function checkRequest(caller: Caller, input: ReportFileRequest): void {
  const { organization_id, type } = input;
  requirePermission(caller, organization_id, reportPermission(type));
  checkInputs(type, REPORTS[type], input);
}

/** Returns a request with owners' ids in place of names. @throws Refusal for a name that isn't exactly one member's */
export async function resolveOwner<Request extends ReportFileRequest>(
  snapshot: Snapshot,
  caller: Caller,
  request: Request,
): Promise<Request> {
  const { owner_id, organization_id } = request;
  const filter = request.filter && (await resolveOwnerFilter(snapshot, caller, organization_id, request.filter));
  const resolved = filter === undefined ? request : { ...request, filter };
  if (!isMemberWord(owner_id)) return resolved;
  const members = await readEverMemberWords(snapshot, caller, organization_id);
  return { ...resolved, owner_id: members.require(owner_id, 'owner_id') };
}

/**
 * Resolves the inputs and the moment of a report.
 * @param moment of the earlier pages; null for the first page
 * @throws Refusal for a wrong moment, and for an owner that is unknown
 */
export async function reportContext(
  snapshot: Snapshot,
  caller: Caller,
  input: ReportFileRequest,
  call: ReportCall,
  moment: PinnedMoment | null,
): Promise<ReportContext> {
  let records = 0;
  const context = {
    snapshot,
    organizationId: input.organization_id,
    moment: moment ?? (await reportMoment(snapshot, input)),
    inputs: resolveInputs(caller, input),
    recordsRead: (count: number): void => {
      records += count;
      call.progress?.(records);
    },
    signal: call.signal,
  };
  await requireOwners(context);
  return context;
}

/** Resolves the position and the day that the report shows. */
async function reportMoment(snapshot: Snapshot, input: ReportFileRequest): Promise<PinnedMoment> {
  const { organization_id, type, as_of } = input;
  const momentOfType = REPORTS[type].moment;
  return momentOfType ? momentOfType(snapshot, organization_id, input) : pinnedMoment(snapshot, organization_id, as_of);
}

/** Refuses inputs that the type does not use: a caller would believe that they had an effect. */
function checkInputs(
  name: string,
  { acceptedInputs, requiredInputs = {}, groupings = [], moment: momentOfType }: ReportType,
  input: ReportFileRequest,
): void {
  for (const field of REPORT_INPUTS) {
    const isPresent = input[field] !== undefined;
    if (isPresent && !acceptedInputs.includes(field)) {
      const message = `${name} does not accept ${field}. Leave it out, or choose another type.`;
      throw new Refusal('invalid_input', message, { field, allowed: [...acceptedInputs, 'as_of', 'format', 'cursor'] });
    }
    // A type with a moment of its own refuses a missing input then, and names the values that exist.
    if (!isPresent && field in requiredInputs && momentOfType === undefined) {
      throw invalidField(field, `${field} is missing. Give ${requiredInputs[field]}.`);
    }
  }
  const { group_by } = input;
  if (group_by !== undefined && !groupings.some((grouping) => grouping === group_by)) {
    const message = `${name} can't be grouped by ${group_by}. Use ${groupings.join(' or ')}.`;
    throw new Refusal('invalid_input', message, { field: 'group_by', allowed: groupings });
  }
}

function resolveInputs(caller: Caller, input: ReportFileRequest): ReportContext['inputs'] {
  const inputs: Partial<Record<ReportInputName, string>> = {};
  for (const field of REPORT_INPUTS) {
    const value = input[field];
    if (value !== undefined) inputs[field] = inputText(caller, value);
  }
  return inputs;
}

/** Returns an input as a text, with the caller's account in place of ME: a filter as JSON, a list with commas. */
function inputText(caller: Caller, value: NonNullable<ReportInputs[ReportInputName]>): string {
  if (typeof value === 'string') return accountOf(value, caller);
  if (isList(value)) return String(value);
  const { owner_id, ...filter } = value as { owner_id?: readonly string[] };
  const owners = owner_id?.map((id) => accountOf(id, caller));
  return JSON.stringify({ ...filter, ...(owners ? { owner_id: owners } : {}) });
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

/**
 * Refuses owners that neither are nor were members. A mistyped id would otherwise give an empty report.
 * @throws Refusal as writes do for such an owner
 */
async function requireOwners({ snapshot, organizationId, inputs }: ReportContext): Promise<void> {
  const { owner_id, filter } = inputs;
  const owners = owner_id === undefined ? [] : [{ field: 'owner_id', id: owner_id }];
  const { owner_id: filtered = [] } = (filter === undefined ? {} : JSON.parse(filter)) as { owner_id?: string[] };
  owners.push(...filtered.map((id, index) => ({ field: `filter.owner_id.${index}`, id })));
  if (owners.length === 0) return;
  const members = await readAllMembersOf(snapshot, organizationId);
  for (const { field, id } of owners) {
    if (members.has(id)) continue;
    throw invalidField(field, `${field} is not a member. List the members with listOrganizations and include_members.`);
  }
}
