import type { RefusalDetails } from '../../commands/engine/refusal.ts';
import type { CallTool } from '../protocol/call-tool.ts';
import { ProtocolError } from '../protocol/protocol-message.ts';

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

/**
 * Returns the records that a text names, by the rule of all tools; without one, all that have its words. R-1 is the risk R-1,
 * although have its words too.
 */
export async function findCandidates(
  callTool: CallTool,
  { list, plural }: RecordList,
  organizationId: string,
  text: string,
): Promise<Candidates> {
  const search = (filter: object, more: object) =>
    callTool(list, { organization_id: organizationId, filter, ...more }) as Promise<Record<string, unknown>>;
  const named = await search({ ids: [text] }, {}).then((page) => page[plural] as Candidate[], candidatesOf);
  if (named.length > 0) return { candidates: named, total: named.length };
  const filter = { query: text };
  const page = await search(filter, {});
  const candidates = page[plural] as Candidate[];
  if (page.next_cursor === undefined) return { candidates, total: candidates.length };
  return { candidates, total: (await search(filter, { view: 'COUNT' })).total as number };
}

/** Returns the records that the refusal of a word names: several have it. @throws ProtocolError for any other refusal */
function candidatesOf(error: unknown): Candidate[] {
  const { field, candidates = [] } = (error instanceof ProtocolError ? error.data : {}) as Partial<RefusalDetails>;
  if (field !== 'filter.ids.0') throw error;
  return [...candidates];
}
