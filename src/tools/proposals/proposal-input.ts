import { ACCOUNT_FIELDS } from '../../commands/engine/references.ts';
import { accountOf, type Caller } from '../../commands/organization/caller.ts';

/** Inputs that confirm a call. A proposal is confirmed by its approval. */
const CONFIRMATION = ['selection', 'idempotency_key', 'dry_run', 'reason'];

/** Returns a call's input as a proposal keeps it: without what confirms the call, and with the caller's id in place of ME. */
export function proposedInput(input: object, caller: Caller): Readonly<Record<string, unknown>> {
  const kept = Object.entries(input).filter(([name]) => !CONFIRMATION.includes(name));
  // Leaves out members that are undefined, which no event can hold.
  return JSON.parse(JSON.stringify(withoutMe(Object.fromEntries(kept), caller)));
}

function withoutMe(value: unknown, caller: Caller, isAccount = false): unknown {
  if (typeof value === 'string') return isAccount ? accountOf(value, caller) : value;
  if (Array.isArray(value)) return value.map((item) => withoutMe(item, caller, isAccount));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withoutMe(member, caller, (ACCOUNT_FIELDS as readonly string[]).includes(name)),
    ]),
  );
}
