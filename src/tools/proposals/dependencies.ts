import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import { recordAggregate } from '../../commands/families.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { findProposalOf, type Proposal } from '../../queries/proposals.ts';
import { familyOfPrefix } from '../../register/families.ts';
import type { Tool, ToolService } from '../tool.ts';
import { inputToMake } from './proposal-input.ts';
import { rehearseCall, type WriteCall } from './rehearse-call.ts';

/** Records that are looked up for a call, and that the proposals before it may change. Texts can hold 30,000 ids. */
const MAX_RECORDS = 1_000;

/** Any record's id in a text of JSON. */
const IDS = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26,29}\b/g;

/**
 * Returns the open proposals that would add records which an input names, each after those that it depends on itself. A
 * proposal names the id that its new record will get, so a later call may name it before somebody approves.
 * @throws Refusal too_large for a call that depends on changes of more than 1,000 records
 */
export async function openDependencies(
  { handler, reader }: ToolService,
  organizationIds: readonly string[],
  input: object,
  { account_id }: Pick<Caller, 'account_id'>,
): Promise<Proposal[]> {
  const snapshot = reader.snapshot();
  const found: Proposal[] = [];
  const looked = new Set<string>();
  let effectCount = 0;
  const add = async (proposal: Proposal): Promise<void> => {
    effectCount += proposal.effects.length;
    if (effectCount > MAX_RECORDS) throw tooManyDependencies();
    for (const { record_id, linked_id } of proposal.effects) if (linked_id === undefined) looked.add(record_id);
    await addAllOf(proposal.input);
    found.push(proposal);
  };
  const addAllOf = async (named: object): Promise<void> => {
    for (const id of idsIn(named)) {
      if (looked.size >= MAX_RECORDS) return;
      if (looked.has(id)) continue;
      looked.add(id);
      await eventLoopQueue.wait(account_id);
      if ((await handler.load(recordAggregate(id))).state !== null) continue;
      const proposal = await findProposalOf(snapshot, organizationIds, id);
      if (proposal !== null) await add(proposal);
    }
  };
  await addAllOf(input);
  return found;
}

/** Returns the ids of records in an input, one after another: nobody looks at all of 30,000. */
function* idsIn(input: object): Iterable<string> {
  for (const [id] of JSON.stringify(input).matchAll(IDS)) if (familyOfPrefix(idPrefix(id) ?? '')) yield id;
}

function tooManyDependencies(): Refusal {
  const message = `Open proposals for more than ${MAX_RECORDS} records come before this. Wait until a person has decided on them.`;
  return new Refusal('too_large', message);
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
