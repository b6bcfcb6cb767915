import { idPrefix } from '../../commands/engine/ids.ts';
import type { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { recordAggregate } from '../../commands/families.ts';
import { listProposals, type Proposal } from '../../queries/proposals.ts';
import { familyOfPrefix } from '../../register/families.ts';
import type { Tool, ToolService } from '../tool.ts';
import { inputToMake } from './proposal-input.ts';
import { rehearseCall, type WriteCall } from './rehearse-call.ts';

/** Open proposals of an organization that are looked through for the record that a call names. */
const MAX_OPEN = 200;

/** Any record's id in a text of JSON. */
const IDS = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26,29}\b/g;

/**
 * Returns the open proposals that would add records which an input names, each after those that it depends on itself. A
 * proposal names the id that its new record will get, so a later call may name it before somebody approves.
 */
export async function openDependencies(
  service: ToolService,
  organizationIds: readonly string[],
  input: object,
): Promise<Proposal[]> {
  const missing = await missingRecords(service, input);
  if (missing.length === 0) return [];
  const snapshot = service.reader.snapshot();
  const open: Proposal[] = [];
  for (const id of organizationIds)
    open.push(...(await listProposals(snapshot, id, { only: 'OPEN', limit: MAX_OPEN })));
  const found: Proposal[] = [];
  const looked = new Set<string>();
  const find = async (recordId: string): Promise<void> => {
    const proposal = open.find((candidate) => addsRecord(candidate, recordId));
    if (proposal === undefined || looked.has(proposal.id)) return;
    looked.add(proposal.id);
    for (const id of await missingRecords(service, proposal.input)) await find(id);
    found.push(proposal);
  };
  for (const id of missing) await find(id);
  return found;
}

/** Returns true for a proposal that would add this record. A link names records too, and adds none. */
function addsRecord({ effects }: Proposal, recordId: string): boolean {
  return effects.some(({ record_id, linked_id }) => record_id === recordId && linked_id === undefined);
}

/** Returns the ids in an input of records that don't exist. */
async function missingRecords({ handler }: ToolService, input: object): Promise<string[]> {
  const ids = [...new Set(JSON.stringify(input).match(IDS) ?? [])].filter((id) => familyOfPrefix(idPrefix(id) ?? ''));
  const missing: string[] = [];
  for (const id of ids) {
    const { state } = await handler.load(recordAggregate(id));
    if (state === null) missing.push(id);
  }
  return missing;
}

/** Rehearses proposals that a call depends on, so that the call finds the records that they would add. */
export async function rehearseDependencies(
  dependencies: readonly Proposal[],
  toolOf: (name: string) => Tool,
  { context }: Pick<WriteCall, 'context'>,
  service: ToolService,
  rehearsal: RehearsalHandler,
): Promise<void> {
  for (const dependency of dependencies) {
    const input = inputToMake(dependency);
    await rehearseCall({ tool: toolOf(dependency.tool), input, context }, service, rehearsal);
  }
  rehearsal.forget();
}
