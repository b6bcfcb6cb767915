import { ACCOUNT_FIELDS } from '../../commands/engine/references.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { accountOf } from '../../commands/organization/caller.ts';
import type { Proposal } from '../../queries/proposals.ts';
import { isMemberWord } from '../../queries/records/member-words.ts';
import type { Tool, ToolContext, WriteContext } from '../tool.ts';
import { OwnerNames } from '../write.ts';

/** Inputs that confirm a call. A proposal is confirmed by its approval. */
const CONFIRMATION = ['selection', 'dry_run', 'reason', 'expected_revision'];

/**
 * Returns a call's input as a proposal keeps it: without what confirms the call, and with ids in place of ME and of the names
 * and addresses of members. Events hold no names of people (ADR 22).
 * @throws Refusal invalid_input for the name of somebody who is no member
 */
export async function proposedInput(
  input: object,
  context: WriteContext,
  organizationId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const kept = Object.entries(input).filter(([name]) => !CONFIRMATION.includes(name));
  const members = new OwnerNames(context, organizationId);
  const withIds = async (value: unknown, field: string): Promise<unknown> => {
    if (typeof value === 'string') return isAccountField(field) ? accountIn(value, field) : value;
    if (Array.isArray(value)) return Promise.all(value.map((item) => withIds(item, field)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([name, member]) => [name, await withIds(member, name)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const accountIn = async (word: string, field: string): Promise<string> => {
    const account = accountOf(word, context.caller);
    if (!isMemberWord(account)) return account;
    try {
      return (await members.idOf(account)) ?? account;
    } catch (error) {
      if (error instanceof Refusal) throw noMember(field);
      throw error;
    }
  };
  // Leaves out members that are undefined, which no event can hold.
  return JSON.parse(JSON.stringify(await withIds(Object.fromEntries(kept), '')));
}

type CallParts = Pick<Proposal, 'id' | 'input' | 'reason' | 'approved_input' | 'decision_reason'>;

/**
 * Returns the input of the call that a proposal stands for: as it was approved, or as it was proposed. Its key is that of the
 * proposed call, or else the proposal's id.
 */
export function inputToMake({ id, input, reason: proposed, approved_input, decision_reason }: CallParts): object {
  const reason = approved_input === null ? proposed : (decision_reason ?? proposed);
  return { idempotency_key: id, ...(approved_input ?? input), ...(reason === null ? {} : { reason }) };
}

/**
 * Returns the input of the call that a proposal stands for, confirmed. A call on many records gets the selection of a dry run,
 * which the person saw.
 */
export async function callToMake(call: CallParts, context: Pick<ToolContext, 'caller' | 'service'> & { tool: Tool }) {
  const input = inputToMake(call);
  const { tool } = context;
  if (!('dry_run' in (tool.input as unknown as { shape: object }).shape)) return input;
  const { selection } = (await tool.run({ ...input, dry_run: true }, context)) as { selection?: string };
  return selection === undefined ? input : { ...input, selection };
}

const isAccountField = (name: string): boolean => (ACCOUNT_FIELDS as readonly string[]).includes(name);

function noMember(field: string): Refusal {
  const message =
    'A proposal holds no name of a person who is no member. Leave it out, give an account id, or let a person make this call.';
  return new Refusal('invalid_input', message, { field });
}
