import type { Aggregate } from '../commands/aggregate.ts';
import type { Caller, Role } from '../commands/caller.ts';
import type { Envelope, Executed } from '../commands/handler.ts';
import { refuseUnderArchived } from '../commands/references.ts';
import { Refusal } from '../commands/refusal.ts';
import type { Service } from './service.ts';
import { organizationOf, readable, writerIn } from './write.ts';

/** One command of a call on many records. */
export interface Item {
  aggregate: Aggregate;
  command: { type: string };
  envelope: Envelope;
  /** The record whose belonging to something archived stands in the way. */
  id?: string;
}

export type Outcome = { executed: Executed<object> } | { refused: Refusal };

/** Judges every item on what the store has now and writes nothing: a refusal for each that would be refused. */
export async function judgeAll(service: Service, items: readonly Item[]): Promise<(Refusal | null)[]> {
  const judged: (Refusal | null)[] = [];
  for (const { aggregate, command, envelope, id } of items) {
    judged.push(
      await refusalOf(async () => {
        if (id !== undefined) await refuseUnderArchived(service.handler, id);
        await service.handler.rehearse(aggregate, command, envelope);
      }),
    );
  }
  return judged;
}

/** Refuses the whole call where any item would be refused, with every problem in `issues`. */
export function refuseAny(judged: readonly (Refusal | null)[], field: (index: number) => string): void {
  const problems = judged.flatMap((refusal, index) => (refusal === null ? [] : [{ refusal, field: field(index) }]));
  const [first] = problems;
  if (first === undefined) return;
  const issues = problems.map(({ refusal, field }) => ({ field, message: refusal.message }));
  throw new Refusal(first.refusal.code, first.refusal.message, { field: first.field, ...first.refusal.more, issues });
}

/**
 * Writes items one by one. What another's write spoils meanwhile is reported on its item, the others are written; where
 * the store is away the call ends: repeated with the same key it goes on where it stopped.
 */
export async function writeAll(
  service: Service,
  organizationId: string,
  items: readonly Item[],
  progress?: (done: number, total: number) => void,
): Promise<{ outcomes: Outcome[]; pending: boolean }> {
  const outcomes: Outcome[] = [];
  let last: Executed<object> | null = null;
  for (const { aggregate, command, envelope } of items) {
    const refused = await refusalOf(async () => {
      const executed = await service.handler.execute(aggregate, command, envelope);
      outcomes.push({ executed });
      if (executed.position !== null) last = executed;
    });
    if (refused !== null) outcomes.push({ refused });
    progress?.(outcomes.length, items.length);
  }
  const pending = last !== null && !(await readable(service, organizationId, last));
  return { outcomes, pending };
}

async function refusalOf(work: () => Promise<void>): Promise<Refusal | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    return error;
  }
}

/** The one organization of all these records, and the caller's role there, if it may write. */
export async function writerOfAll(
  service: Service,
  caller: Caller,
  ids: readonly string[],
  named: string | undefined,
  field: string,
  least?: Role,
): Promise<{ organizationId: string; role: Role }> {
  let organizationId = named;
  for (const id of new Set(ids)) {
    const found = await organizationOf(service, caller, id, named, field);
    organizationId ??= found;
    if (found === organizationId) continue;
    throw new Refusal('invalid_input', 'Records of two organizations never meet in one call: make one for each.', {
      field,
    });
  }
  return { organizationId: organizationId!, role: writerIn(caller, organizationId!, least) };
}
