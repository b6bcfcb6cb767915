import { eventLoopQueue } from '../clock/event-loop-queue.ts';
import type { Aggregate } from '../commands/engine/decider.ts';
import type { CommandEnvelope, CommandResult, Rehearsal } from '../commands/engine/handler.ts';
import { asRefusal, damageOf, invalidField, Refusal } from '../commands/engine/refusal.ts';
import type { Role } from '../commands/organization/caller.ts';
import { requirePermission, roleIn } from '../commands/organization/permissions.ts';
import type { WriteContext, WriteService } from './tool.ts';
import { findOrganizationOf, waitUntilReadable } from './write.ts';

/** One command of a call on many records. */
export interface BulkItem {
  aggregate: Aggregate;
  command: { type: string };
  envelope: CommandEnvelope;
}

/** A result, or the refusal that came instead. */
export type ResultOrRefusal<Result = Rehearsal> = Result | { refusal: Refusal };

export type ItemOutcome = { result: CommandResult<object> } | { refusal: Refusal };

/**
 * Items checked or written concurrently. The embedded store syncs once for all of them. More would not stop a cancelled
 * call of 200 rows.
 */
const MAX_CONCURRENT_ITEMS = 100;

/** Decides every item on the store's current state, and writes nothing. */
export function rehearseAll(context: WriteContext, items: readonly BulkItem[]): Promise<ResultOrRefusal[]> {
  const rehearse = ({ aggregate, command, envelope }: BulkItem) =>
    catchRefusal(() => context.service.handler.rehearse(aggregate, command, envelope));
  return mapConcurrently(items, rehearse, context);
}

/** Returns the results if no item was refused. Else throws the first refusal, with every item's problem in `issues`. */
export function throwRefusals<Result extends object>(
  rehearsals: readonly ResultOrRefusal<Result>[],
  field: (index: number) => string,
): Result[] {
  const problems = rehearsals.flatMap((rehearsal, index) =>
    'refusal' in rehearsal ? [{ refusal: rehearsal.refusal as Refusal, field: field(index) }] : [],
  );
  const [first] = problems;
  if (first === undefined) return rehearsals as Result[];
  const issues = problems.map(({ refusal, field }) => ({ field, message: refusal.message }));
  throw new Refusal(first.refusal.code, first.refusal.message, { field: first.field, ...first.refusal.more, issues });
}

/**
 * Writes items concurrently, each to its own stream. An item that loses a race with another writer gets its refusal as
 * outcome; the others are written.
 * @param onWritten receives the number of items written so far
 * @throws Refusal unavailable when the store is down. The same call with the same key resumes, also after a cancelled one.
 */
export async function writeAll(
  context: WriteContext,
  organizationId: string,
  items: readonly BulkItem[],
  onWritten?: (count: number) => void,
): Promise<{ outcomes: ItemOutcome[]; pending: boolean }> {
  const results: CommandResult<object>[] = [];
  let doneCount = 0;
  const write = async ({ aggregate, command, envelope }: BulkItem): Promise<ItemOutcome> => {
    const outcome = await catchRefusal(async () => ({
      result: (await context.service.handler.execute(aggregate, command, envelope)) as CommandResult<object>,
    }));
    if ('result' in outcome) results.push(outcome.result);
    onWritten?.(++doneCount);
    return outcome;
  };
  const outcomes = await mapConcurrently(items, write, context);
  return { outcomes, pending: !(await waitUntilAllReadable(context.service, organizationId, results)) };
}

/** Waits for the last write first: once that one is readable, most others are too. */
async function waitUntilAllReadable(
  service: WriteService,
  organizationId: string,
  results: readonly CommandResult<object>[],
): Promise<boolean> {
  const last = results.at(-1);
  if (last === undefined) return true;
  if (!(await waitUntilReadable(service, organizationId, last))) return false;
  const all = await Promise.all(results.map((result) => waitUntilReadable(service, organizationId, result)));
  return !all.includes(false);
}

/** The caller, whose account takes turns with others between two items, and the signal that ends the work. */
type MapContext = Partial<Pick<WriteContext, 'signal' | 'caller'>>;

/**
 * Works on items concurrently and returns the results in the items' order. After a failure, or when `signal` is aborted,
 * no further item is started.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { signal, caller }: MapContext = {},
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let hasFailed = false;
  const worker = async () => {
    while (next < items.length && !hasFailed) {
      const index = next++;
      try {
        // The items of a call and an embedded store leave no pause by themselves.
        if (caller !== undefined) await eventLoopQueue.wait(caller.account_id);
        signal?.throwIfAborted();
        results[index] = await work(items[index]!);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(items.length, MAX_CONCURRENT_ITEMS) }, worker),
  );
  const failure = outcomes.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return results;
}

/**
 * Returns a refusal instead of throwing it. `unavailable` is thrown, because it ends the whole call, unless only this
 * record's stream is damaged.
 */
export async function catchRefusal<Result>(work: () => Promise<Result>): Promise<Result | { refusal: Refusal }> {
  try {
    return await work();
  } catch (thrown) {
    const isDamage = damageOf(thrown) !== null;
    const error = isDamage ? asRefusal(thrown) : thrown;
    if (!(error instanceof Refusal) || (error.code === 'unavailable' && !isDamage)) throw error;
    return { refusal: error };
  }
}

/** The records that a call names, where the input names them, and the organization that it names itself. */
interface RequestedRecords {
  ids: readonly string[];
  field: string;
  organizationId: string | undefined;
}

/**
 * Returns the one organization of all these records, and the caller's role there.
 * @throws Refusal forbidden when the role may not call the tool; not_found with an issue for each unknown record
 */
export async function requireWriterOf(
  context: WriteContext,
  { ids, field, organizationId: requestedId }: RequestedRecords,
): Promise<{ organizationId: string; role: Role }> {
  const { caller, tool } = context;
  if (requestedId !== undefined) roleIn(caller, requestedId);
  const lookUp = (id: string) =>
    catchRefusal(async () => ({ id: await findOrganizationOf(context, id, requestedId, field) }));
  const lookups = await mapConcurrently([...new Set(ids)], lookUp, context);
  throwRefusals(lookups, () => field);
  const organizations = new Set(lookups.flatMap((lookup) => ('id' in lookup ? lookup.id : [])));
  if (organizations.size > 1) {
    throw invalidField(field, 'All records must belong to one organization. Split the call.');
  }
  const organizationId = requestedId ?? [...organizations][0];
  return { organizationId: organizationId!, role: requirePermission(caller, organizationId!, tool.permission) };
}
