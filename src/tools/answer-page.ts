import {
  type AddressParameters,
  organizationAddress,
  reportSegment,
  selectionParameters,
} from '../addresses/page-addresses.ts';
import { accountOf, type Caller } from '../commands/organization/caller.ts';
import { isAccessLogRequest } from '../queries/changes/access-log-source.ts';
import type { ChangesInput } from '../queries/changes/changes-input.ts';
import { type FamilyQuery, familyQueryFor } from '../queries/family-query.ts';
import type { ListRecordsInput } from '../queries/lists/list-records.ts';
import { PROPOSALS } from '../queries/proposals.ts';
import type { GetRecordsInput } from '../queries/records/get-records.ts';
import { EVIDENCE } from '../register/evidence.ts';
import type { ReportRequest } from '../reports/all-reports.ts';
import type { ReportHead } from '../reports/pages/report-page.ts';

export interface AnswerPage {
  /** The page's address on this service. */
  path: string;
  /** The record that the answer is about, if its resource shows the same. */
  resource?: { id: string; name: string };
}

/** Longer addresses break in browsers, proxies and chats. */
const MAX_URL_CHARACTERS = 2_000;

/**
 * Adds the page's address to an answer as `url`, so that a person can open what an assistant read.
 * @param publicUrl the address under which people reach the pages
 */
export function withPageUrl(answer: object, page: AnswerPage | null, publicUrl: string | undefined): object {
  if (page === null || publicUrl === undefined) return answer;
  const url = publicUrl + page.path;
  return url.length > MAX_URL_CHARACTERS ? answer : Object.assign({}, answer, { url });
}

/** Returns the page of a list: with its filter, order and moment. */
export function pageOfList(
  { plural }: { plural: string },
  input: ListRecordsInput,
  answer: object,
  caller: Caller,
): AnswerPage {
  const { organization_id, filter = {}, order_by, as_of } = input;
  const { owner_id } = answer as { owner_id?: readonly string[] };
  const named = namedAccounts(owner_id === undefined ? filter : { ...filter, owner_id }, caller);
  const parameters = Object.assign({ as_of }, selectionParameters({ filter: named, order_by }));
  return { path: organizationAddress(organization_id, `/${plural}`, parameters) };
}

/** Returns the page of a record. Its resource shows the current state of a live record only. */
function pageOfRecord(record: Record<string, unknown>, as_of?: string): AnswerPage {
  const id = String(record.id);
  const family: FamilyQuery | undefined = familyQueryFor(id);
  const plural = family?.plural ?? PROPOSALS;
  const path = organizationAddress(String(record.organization_id), `/${plural}/${id}`, { as_of });
  if (family === undefined || as_of !== undefined || record.archived_at !== null) return { path };
  const { model } = family;
  return { path, resource: { id, name: model.nameOf(record) } };
}

/** Returns a function that finds the page for the answers of a write. @param singular the answer's member for the record */
export function pageOfWrittenRecord(singular: string): (input: unknown, answer: object) => AnswerPage {
  return (_input, answer) => pageOfRecord((answer as Record<string, Record<string, unknown>>)[singular]!);
}

/** Returns the page of an answer of getRecords about one record; null for several. */
export function pageOfRequestedRecord({ ids, as_of }: Pick<GetRecordsInput, 'ids' | 'as_of'>, answer: object) {
  const { records } = answer as { records: readonly Record<string, unknown>[] };
  return ids.length === 1 && records[0] !== undefined ? pageOfRecord(records[0], as_of) : null;
}

/** Returns the page of a list of changes; null for filters of the access log that its page doesn't have. */
export function pageOfChanges(
  { organization_id, filter = {}, as_of }: ChangesInput,
  caller: Caller,
): AnswerPage | null {
  if (!isAccessLogRequest(filter)) {
    const parameters = { as_of, ...namedAccounts(filter, caller) };
    return { path: organizationAddress(organization_id, '/changes', parameters) };
  }
  const { record_types: _access, from, to, ...others } = filter;
  if (Object.keys(others).length > 0) return null;
  return { path: organizationAddress(organization_id, '/access', { from, to }) };
}

/** Returns the page of a report. A type without a page of its own has the report in HTML. */
export function pageOfReport(input: ReportRequest, answer: object): AnswerPage {
  const { organization_id, type, cursor: _page, ...inputs } = input;
  const resolved: ResolvedInputs = (answer as { report: Pick<ReportHead, 'inputs'> }).report.inputs ?? {};
  const { to, as_of } = inputs;
  switch (type) {
    case 'AUDIT_PACK':
      return { path: organizationAddress(organization_id, `/audits/${inputs.audit_id}/pack`, { as_of }) };
    case 'CHANGES_BETWEEN': {
      // The page compares the records of all types and owners.
      if (inputs.record_types !== undefined || inputs.owner_id !== undefined) return htmlReport(input, resolved);
      const { from_position, to_position } = resolved;
      // The page compares the state before the first change with the state after the last one.
      const from = String(Number(from_position) - 1);
      const until = to === undefined && as_of === undefined ? undefined : String(to_position);
      return { path: organizationAddress(organization_id, '/compare', { from, until }) };
    }
    case 'EVIDENCE':
      return {
        path: organizationAddress(organization_id, `/${EVIDENCE.plural}`, { as_of, ...evidenceFilterOf(resolved) }),
      };
    default:
      return htmlReport(input, resolved);
  }
}

type ResolvedInputs = Readonly<Record<string, string | number>>;

/** Returns the filter of the register of evidence that shows the same as its report, as parameters. */
function evidenceFilterOf({ filter = '{}', owner_id }: ResolvedInputs): AddressParameters {
  const owner = owner_id === undefined ? {} : { owner_id: String(owner_id) };
  return { ...JSON.parse(String(filter)), ...owner };
}

/** Returns the report as a web page. The owner is the account that the answer has, and a list becomes a text with commas. */
function htmlReport(input: ReportRequest, resolved: ResolvedInputs): AnswerPage {
  const { organization_id, type, cursor: _page, filter: _filter, ...inputs } = input;
  const owner_id = resolved.owner_id === undefined ? undefined : String(resolved.owner_id);
  const lists = { kinds: inputs.kinds?.join(','), record_types: inputs.record_types?.join(',') };
  const parameters = { ...inputs, ...lists, owner_id, format: 'html' };
  return { path: organizationAddress(organization_id, `/reports/${reportSegment(type)}`, parameters) };
}

/** The filters by account. Other filters can have the value ME too, such as the country Montenegro. */
const ACCOUNT_FILTERS = ['owner_id', 'actor_id'];

/** Replaces ME in a filter by the caller's account, because somebody else may open the page. */
function namedAccounts(filter: Readonly<Record<string, unknown>>, caller: Caller): Record<string, unknown> {
  const named = { ...filter };
  for (const name of ACCOUNT_FILTERS) {
    const ids = filter[name] as readonly string[] | undefined;
    if (ids !== undefined) named[name] = ids.map((id) => accountOf(id, caller));
  }
  return named;
}
