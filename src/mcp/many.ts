import type { Aggregate } from '../commands/aggregate.ts';
import type { Caller, Role } from '../commands/caller.ts';
import type { Envelope, Executed, Rehearsed } from '../commands/handler.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit, roleIn, type ToolDeed } from '../commands/roles.ts';
import type { Service } from './service.ts';
import { organizationOf, readable } from './write.ts';

/** One command of a call on many records. */
export interface Item {
  aggregate: Aggregate;
  command: { type: string };
  envelope: Envelope;
}

export type Verdict<Result = Rehearsed> = Result | { refused: Refusal };

export interface WriteOptions {
  progress?: ((done: number, total: number) => void) | undefined;
  /** Stops at the next item. */
  signal?: AbortSignal | undefined;
}

export type Outcome = { executed: Executed<object> } | { refused: Refusal };

/** Items judged or written at once: a store that gathers waiting appends syncs once for all of them. */
const AT_ONCE = 64;

/** Judges every item on what the store has now and writes nothing. */
export function judgeAll(
  service: Pick<Service, 'handler'>,
  items: readonly Item[],
  signal: AbortSignal | undefined,
): Promise<Verdict[]> {
  const judge = ({ aggregate, command, envelope }: Item) =>
    orRefused(() => service.handler.rehearse(aggregate, command, envelope));
  return atOnce(items, judge, signal);
}

/** Refuses the whole call where any item would be refused, with every problem in `issues`. */
export function refuseAny(judged: readonly Verdict<object>[], field: (index: number) => string): void {
  const problems = judged.flatMap((verdict, index) =>
    'refused' in verdict ? [{ refusal: verdict.refused as Refusal, field: field(index) }] : [],
  );
  const [first] = problems;
  if (first === undefined) return;
  const issues = problems.map(({ refusal, field }) => ({ field, message: refusal.message }));
  throw new Refusal(first.refusal.code, first.refusal.message, { field: first.field, ...first.refusal.more, issues });
}

/**
 * Writes items, a few at once, each to a stream of its own. What another's write spoils meanwhile is reported on its
 * item, the others are written; where the store is away or the call is cancelled it ends: repeated with the same key it
 * goes on where it stopped.
 */
export async function writeAll(
  service: Pick<Service, 'handler' | 'passed' | 'writeWaitMs'>,
  organizationId: string,
  items: readonly Item[],
  { progress, signal }: WriteOptions = {},
): Promise<{ outcomes: Outcome[]; pending: boolean }> {
  const written: Executed<object>[] = [];
  let done = 0;
  const write = async ({ aggregate, command, envelope }: Item): Promise<Outcome> => {
    const outcome = await orRefused(async () => ({
      executed: (await service.handler.execute(aggregate, command, envelope)) as Executed<object>,
    }));
    if ('executed' in outcome) written.push(outcome.executed);
    progress?.(++done, items.length);
    return outcome;
  };
  const outcomes = await atOnce(items, write, signal);
  return { outcomes, pending: !(await allReadable(service, organizationId, written)) };
}

/** The one that was written last first: when it can be read, most others can. */
async function allReadable(
  service: Pick<Service, 'passed' | 'writeWaitMs'>,
  organizationId: string,
  written: readonly Executed<object>[],
): Promise<boolean> {
  const last = written.at(-1);
  if (last === undefined) return true;
  if (!(await readable(service, organizationId, last))) return false;
  const all = await Promise.all(written.map((executed) => readable(service, organizationId, executed)));
  return !all.includes(false);
}

/**
 * Works on items in their order, a few at once, and answers in their order. Where one fails, no other is begun.
 * @throws Refusal when `signal` is aborted before the last one is begun
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        if (signal?.aborted) throw cancelled();
        results[index] = await work(items[index]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const end = ends.find((one) => one.status === 'rejected');
  if (end !== undefined) throw end.reason;
  return results;
}

const cancelled = () =>
  new Refusal('unavailable', 'The request was cancelled. Repeat it with the same idempotency_key to finish it.');

/** What is refused is answered, for one item among many; where the store is away, the call ends. */
export async function orRefused<Result>(work: () => Promise<Result>): Promise<Result | { refused: Refusal }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
    return { refused: error };
  }
}

/**
 * The one organization of all these records, and the caller's role there, if it may call the tool there.
 * @throws Refusal not_found that names every record that is not there in its issues
 */
export async function writerOfAll(
  service: Service,
  caller: Caller,
  ids: readonly string[],
  named: string | undefined,
  field: string,
  tool: ToolDeed,
): Promise<{ organizationId: string; role: Role }> {
  if (named !== undefined) roleIn(caller, named);
  const looked = await atOnce([...new Set(ids)], (id) =>
    orRefused(async () => ({ found: await organizationOf(service, caller, id, named, field) })),
  );
  refuseAny(looked, () => field);
  const organizations = new Set(looked.flatMap((one) => ('found' in one ? one.found : [])));
  if (organizations.size > 1) {
    throw new Refusal('invalid_input', 'Records of two organizations never meet in one call: make one for each.', {
      field,
    });
  }
  const organizationId = named ?? [...organizations][0];
  return { organizationId: organizationId!, role: permit(caller, organizationId!, tool) };
}
