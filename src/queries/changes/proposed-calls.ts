import type { QueryContext } from '../moments/moment.ts';
import { eachProposalDocument, type ProposalDocument } from '../proposal-documents.ts';
import { readMemberNames } from '../records/member-names.ts';

/** An account, with its name today. */
export interface AccountName {
  id: string;
  name: string;
}

/** The proposal that a call carried out. The call's actor approved it. */
export interface ProposedCall {
  id: string;
  /** The account that proposed it, or whose assistant did. */
  proposed_by: AccountName;
  /** The program that proposed it, as it names itself. */
  client: string | null;
  /** Somebody approved another input than the proposed one. */
  changed?: true;
}

/** Returns the proposals of those calls that somebody approved, by the calls' ids. */
export async function readProposedCalls(
  { snapshot, organizationId }: Pick<QueryContext, 'snapshot' | 'organizationId'>,
  callIds: Iterable<string>,
): Promise<ReadonlyMap<string, ProposedCall>> {
  const values = [...new Set(callIds)];
  if (values.length === 0) return new Map();
  const where = [{ key: 'call_id', op: 'in', values }] as const;
  const order = { key: 'call_id', direction: 'ASC' } as const;
  const found: Pick<ProposalDocument, 'id' | 'call_id' | 'proposed_by' | 'client' | 'approved_input'>[] = [];
  for await (const document of eachProposalDocument(snapshot, { organizationId, where, order })) {
    const { id, call_id, proposed_by, client, approved_input } = document;
    found.push({ id, call_id, proposed_by, client, approved_input });
  }
  if (found.length === 0) return new Map();
  const names = await readMemberNames(snapshot, organizationId, [...new Set(found.map((each) => each.proposed_by))]);
  return new Map(
    found.map(({ id, call_id, proposed_by, client, approved_input }) => {
      const proposal = { id, proposed_by: { id: proposed_by, name: names.of(proposed_by) }, client };
      return [call_id!, approved_input === null ? proposal : { ...proposal, changed: true as const }];
    }),
  );
}
