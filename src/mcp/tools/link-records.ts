import { commandId, itemCommandId } from '../../commands/engine/ids.ts';
import { requireLiveRecord } from '../../commands/engine/references.ts';
import { linkAggregate, refuseUnlinkable, sortedPair } from '../../commands/link.ts';
import {
  type BulkItem,
  catchRefusal,
  type ItemOutcome,
  rehearseAll,
  requireWriterOf,
  throwRefusals,
  writeAll,
} from './bulk-write.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor } from './write.ts';

export interface LinkRecordsInput {
  links: readonly { from_id: string; to_id: string }[];
  organization_id?: string | undefined;
  action: 'LINK' | 'UNLINK';
  reason?: string | undefined;
  idempotency_key?: string | undefined;
}

/** Checks all pairs of records, then links or unlinks them one by one. A pair named twice is written once. */
export async function linkRecords(input: LinkRecordsInput, context: ToolContext): Promise<object> {
  const { service, caller, tool } = context;
  const { links, action, reason } = input;
  const checks = links.map(({ from_id, to_id }, index) =>
    catchRefusal(async () => ({ pair: refuseUnlinkable(from_id, to_id, `links.${index}`) })),
  );
  throwRefusals(await Promise.all(checks), (index) => `links.${index}`);
  const ids = links.flatMap(({ from_id, to_id }) => [from_id, to_id]);
  const records = { ids, field: 'links', organizationId: input.organization_id };
  const { organizationId, role } = await requireWriterOf(context, records);
  const callId = commandId([organizationId, tool.name], input.idempotency_key);
  const sharedEnvelope = envelopeFor(caller, organizationId, role);
  const pairs = new Map<string, BulkItem>();
  /** For each pair, the input field that names it first. */
  const fields: string[] = [];
  for (const [index, { from_id, to_id }] of links.entries()) {
    const ids = sortedPair(from_id, to_id);
    const aggregate = linkAggregate(...ids);
    if (pairs.has(aggregate.stream)) continue;
    const field = `links.${index}`;
    fields.push(field);
    const command = { type: action === 'LINK' ? 'Link' : 'Unlink', ids, ...(reason ? { reason } : {}) };
    const checkReferences = async () => {
      for (const id of ids) await requireLiveRecord(service.handler, organizationId, id, field);
    };
    const envelope: BulkItem['envelope'] = {
      ...sharedEnvelope,
      command_id: itemCommandId(callId, aggregate.stream),
      input: { ids, action, reason },
      checkReferences,
    };
    pairs.set(aggregate.stream, { aggregate: aggregate as unknown as BulkItem['aggregate'], command, envelope });
  }
  const items = [...pairs.values()];
  throwRefusals(await rehearseAll(context, items), (index) => fields[index]!);
  const { outcomes, pending } = await writeAll(context, organizationId, items);
  const answered = new Set<string>();
  const answers = links.map(({ from_id, to_id }) => {
    const { stream } = linkAggregate(from_id, to_id);
    const outcome = outcomes[[...pairs.keys()].indexOf(stream)]!;
    const isRepeat = answered.has(stream);
    answered.add(stream);
    return { from_id, to_id, ...(isRepeat && 'result' in outcome ? { result: 'UNCHANGED' } : resultOf(outcome)) };
  });
  return { links: answers, ...(pending ? { pending: true } : {}) };
}

function resultOf(outcome: ItemOutcome): object {
  if ('refusal' in outcome) return { result: 'UNCHANGED', errors: [outcome.refusal.toJSON()] };
  const [type] = outcome.result.event_types;
  return { result: type === 'RecordsLinked' ? 'CREATED' : type === 'RecordsUnlinked' ? 'REMOVED' : 'UNCHANGED' };
}
