import type { CallTool } from '../protocol/call-tool.ts';

/** A tool that lists a family's records, and the member of its answer that has them. */
export interface RecordList {
  list: string;
  plural: string;
}

/** A record as a list shows it. */
export interface Candidate {
  id: string;
  name: string;
  reference_id?: string;
}

/** Records that a text may mean, and the number of all that match it. */
export interface Candidates {
  candidates: readonly Candidate[];
  total: number;
}

/** Records whose names and references are compared with the text. */
const MAX_COMPARED_RECORDS = 100;

/**
 * Returns the records that have a text as their reference or name; without one, all that have its words. R-1 is the risk
 * R-1, although have its words too.
 */
export async function findCandidates(
  callTool: CallTool,
  { list, plural }: RecordList,
  organizationId: string,
  text: string,
): Promise<Candidates> {
  const search = async (query: string) => {
    const page = await callTool(list, {
      organization_id: organizationId,
      filter: { query },
      size: MAX_COMPARED_RECORDS,
    });
    return { records: page[plural] as Candidate[], hasMore: page.next_cursor !== undefined };
  };
  const { records, hasMore } = await search(text);
  let exact = exactMatches(records, text);
  if (exact.length === 0 && hasMore) exact = exactMatches((await search(withPaddedNumber(text))).records, text);
  if (exact.length > 0) return { candidates: exact, total: exact.length };
  if (!hasMore) return { candidates: records, total: records.length };
  const args = { organization_id: organizationId, filter: { query: text }, view: 'COUNT' };
  const { total } = await callTool<{ total: number }>(list, args);
  return { candidates: records, total };
}

/** Returns the records with this reference or name; without one, those whose reference differs in its padding only. */
function exactMatches(records: readonly Candidate[], text: string): Candidate[] {
  const isSame = (formOf: (text: string) => string) => (value: string | undefined) =>
    value !== undefined && formOf(value) === formOf(text);
  const isTyped = isSame((value) => value.toLowerCase());
  const typed = records.filter(({ name, reference_id }) => isTyped(reference_id) || isTyped(name));
  if (typed.length > 0) return typed;
  const isUnpadded = isSame((value) => value.toLowerCase().replace(/(?<!\d)0+(?=\d)/g, ''));
  return records.filter(({ reference_id }) => isUnpadded(reference_id));
}

/** Pads the last number of a text. A query then finds this number only, and none that begins with it. */
function withPaddedNumber(text: string): string {
  const isDigit = (index: number) => text[index]! >= '0' && text[index]! <= '9';
  let end = text.length;
  while (end > 0 && !isDigit(end - 1)) end--;
  let start = end;
  while (start > 0 && isDigit(start - 1)) start--;
  return start === end ? text : `${text.slice(0, start)}00${text.slice(start)}`;
}
