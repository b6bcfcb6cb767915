import type { Caller } from '../commands/caller.ts';
import { commandId, itemCommandId } from '../commands/ids.ts';
import { linkAggregate, lowerFirst, refuseUnlinkable } from '../commands/link.ts';
import { requireLive } from '../commands/references.ts';
import { type Item, judgeAll, type Outcome, orRefused, refuseAny, writeAll, writerOfAll } from './many.ts';
import type { Service } from './service.ts';
import { envelope } from './write.ts';

export interface LinkInput {
  links: readonly { from_id: string; to_id: string }[];
  organization_id?: string | undefined;
  action: 'LINK' | 'UNLINK';
  reason?: string | undefined;
  idempotency_key?: string | undefined;
}

/** Joins or parts pairs of records one by one, after all have been judged. A pair named twice is one. */
export async function linkRecords(
  service: Service,
  caller: Caller,
  input: LinkInput,
  signal?: AbortSignal,
): Promise<object> {
  const { links, action, reason } = input;
  const fitting = links.map(({ from_id, to_id }, index) =>
    orRefused(async () => ({ pair: refuseUnlinkable(from_id, to_id, `links.${index}`) })),
  );
  refuseAny(await Promise.all(fitting), (index) => `links.${index}`);
  const ends = new Set(links.flatMap(({ from_id, to_id }) => [from_id, to_id]));
  const { organizationId, role } = await writerOfAll(
    service,
    caller,
    [...ends],
    input.organization_id,
    'links',
    'linkRecords',
  );
  const whole = commandId([organizationId, 'linkRecords'], input.idempotency_key);
  const by = envelope(caller, organizationId, role);
  const pairs = new Map<string, Item>();
  /** Where each pair is named first. */
  const fields: string[] = [];
  for (const [index, { from_id, to_id }] of links.entries()) {
    const ids = lowerFirst(from_id, to_id);
    const aggregate = linkAggregate(...ids);
    if (pairs.has(aggregate.stream)) continue;
    const field = `links.${index}`;
    fields.push(field);
    const command = { type: action === 'LINK' ? 'Link' : 'Unlink', ids, ...(reason ? { reason } : {}) };
    const guard = async () => {
      for (const id of ids) await requireLive(service.handler, organizationId, id, field);
    };
    const envelope = {
      ...by,
      command_id: itemCommandId(whole, aggregate.stream),
      input: { ids, action, reason },
      guard,
    };
    pairs.set(aggregate.stream, { aggregate: aggregate as unknown as Item['aggregate'], command, envelope });
  }
  const items = [...pairs.values()];
  refuseAny(await judgeAll(service, items, signal), (index) => fields[index]!);
  const { outcomes, pending } = await writeAll(service, organizationId, items, { signal });
  const told = new Set<string>();
  const answers = links.map(({ from_id, to_id }) => {
    const { stream } = linkAggregate(from_id, to_id);
    const outcome = outcomes[[...pairs.keys()].indexOf(stream)]!;
    const again = told.has(stream);
    told.add(stream);
    return { from_id, to_id, ...(again && 'executed' in outcome ? { result: 'UNCHANGED' } : resultOf(outcome)) };
  });
  return { links: answers, ...(pending ? { pending: true } : {}) };
}

function resultOf(outcome: Outcome): object {
  if ('refused' in outcome) return { result: 'UNCHANGED', errors: [outcome.refused.toJSON()] };
  const [type] = outcome.executed.event_types;
  return { result: type === 'RecordsLinked' ? 'CREATED' : type === 'RecordsUnlinked' ? 'REMOVED' : 'UNCHANGED' };
}
