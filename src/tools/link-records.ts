import type { Rehearsal } from '../commands/engine/handler.ts';
import { itemCommandId } from '../commands/engine/ids.ts';
import { requireLiveRecord } from '../commands/engine/references.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { type LinkCommand, linkAggregate, refuseUnfitRelation, refuseUnlinkable } from '../commands/link.ts';
import { linkChanges, type WrittenChange, writtenChanges } from '../queries/changes/written-changes.ts';
import type { DirectedRelation, Relation } from '../register/link.ts';
import { directedRelation, sortedPair } from '../register/link.ts';
import { type BulkItem, catchRefusal, rehearseAll, requireWriterOf, throwRefusals } from './bulk-write.ts';
import { type SelectedOutcome, writeSelected } from './selected-write.ts';
import { callIdOf, type SelectionInput } from './selection.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor } from './write.ts';

/** A pair of records, and the relation if both are controls. */
interface RequestedLink {
  from_id: string;
  to_id: string;
  relation?: Relation | null | undefined;
}

export interface LinkRecordsInput extends SelectionInput {
  links: readonly RequestedLink[];
  action: 'LINK' | 'UNLINK';
  reason?: string | undefined;
}

/** Checks all pairs of records, then links or unlinks them one by one. A pair named twice is written once. */
export async function linkRecords(input: LinkRecordsInput, context: ToolContext): Promise<object> {
  const { links } = input;
  const checks = links.map((link, index) =>
    catchRefusal(async () => ({ pair: checkLink(link, input.action, `links.${index}`) })),
  );
  throwRefusals(await Promise.all(checks), (index) => `links.${index}`);
  refuseContradictions(links);
  const ids = links.flatMap(({ from_id, to_id }) => [from_id, to_id]);
  const records = { ids, field: 'links', organizationId: input.organization_id };
  const { organizationId, role } = await requireWriterOf(context, records);
  const callId = callIdOf(context, organizationId, input);
  const envelope = {
    ...envelopeFor(context.caller, organizationId, role, context.tool.permission, callId),
    command_id: callId,
  };
  const pairs = new Map<string, BulkItem>();
  /** For each pair, the input field that names it first. */
  const fields: string[] = [];
  for (const [index, link] of links.entries()) {
    const { stream } = linkAggregate(link.from_id, link.to_id);
    if (pairs.has(stream)) continue;
    const field = `links.${index}`;
    fields.push(field);
    pairs.set(stream, itemOf(link, input, { context, organizationId, field, envelope }));
  }
  const items = [...pairs.values()];
  const rehearsals = throwRefusals(await rehearseAll(context, items), (index) => fields[index]!);
  return writeSelected({
    call: { context, organizationId, input },
    callId,
    items,
    rehearsals,
    changedCount,
    answer: (outcomes) => answerLinks(links, pairs, outcomes),
  });
}

/** Returns each link of a call with its result. A pair that the call names again is UNCHANGED. */
function answerLinks(
  links: readonly RequestedLink[],
  pairs: ReadonlyMap<string, BulkItem>,
  outcomes: readonly SelectedOutcome[],
): object {
  const streams = [...pairs.keys()];
  const answered = new Set<string>();
  const changes: WrittenChange[][] = [];
  const answers = links.map(({ from_id, to_id }) => {
    const { stream } = linkAggregate(from_id, to_id);
    const outcome = outcomes[streams.indexOf(stream)]!;
    const isRepeat = answered.has(stream);
    answered.add(stream);
    if (isRepeat && 'result' in outcome) return { from_id, to_id, result: 'UNCHANGED' };
    if ('result' in outcome) changes.push(linkChanges(from_id, to_id, outcome.result));
    return { from_id, to_id, ...resultOf(outcome) };
  });
  return { links: answers, ...writtenChanges(changes) };
}

/** Refuses a pair that can't be linked, and a relation that doesn't fit it. */
function checkLink({ from_id, to_id, relation }: RequestedLink, action: 'LINK' | 'UNLINK', field: string): void {
  refuseUnlinkable(from_id, to_id, field);
  if (action === 'LINK') refuseUnfitRelation(from_id, to_id, relation ?? null, `${field}.relation`);
  if (action === 'LINK' || !relation) return;
  const message = 'UNLINK ends a link whatever its relation is. Leave out relation.';
  throw new Refusal('invalid_input', message, { field: `${field}.relation` });
}

/** Refuses a pair that the call names twice, with two relations. */
function refuseContradictions(links: readonly RequestedLink[]): void {
  const first = new Map<string, { index: number; relation: string }>();
  for (const [index, link] of links.entries()) {
    const { stream } = linkAggregate(link.from_id, link.to_id);
    const relation = JSON.stringify(relationOf(link));
    const earlier = first.get(stream);
    if (earlier === undefined) first.set(stream, { index, relation });
    else if (earlier.relation !== relation) {
      const message = `links.${index} gives the two controls of links.${earlier.index} another relation. Two controls have one relation: keep one of the two.`;
      throw new Refusal('invalid_input', message, { field: `links.${index}.relation` });
    }
  }
}

function relationOf({ relation, from_id }: RequestedLink): { relation?: DirectedRelation } {
  return relation ? { relation: directedRelation(relation, from_id) } : {};
}

interface ItemOptions {
  context: ToolContext;
  organizationId: string;
  /** The input field that names the pair. */
  field: string;
  /** Its command id is the call's. */
  envelope: Omit<BulkItem['envelope'], 'input'>;
}

/** Returns the command for one pair, with its own command id. */
function itemOf(
  link: RequestedLink,
  { action, reason }: LinkRecordsInput,
  { context, organizationId, field, envelope }: ItemOptions,
): BulkItem {
  const ids = sortedPair(link.from_id, link.to_id);
  const aggregate = linkAggregate(...ids);
  const directed = relationOf(link);
  const optionalReason = reason ? { reason } : {};
  const command: LinkCommand =
    action === 'LINK'
      ? { type: 'Link', ids, ...directed, ...optionalReason }
      : { type: 'Unlink', ids, ...optionalReason };
  return {
    aggregate: aggregate as unknown as BulkItem['aggregate'],
    command,
    envelope: {
      ...envelope,
      command_id: itemCommandId(envelope.command_id, aggregate.stream),
      input: { ids, action, reason, ...directed },
      checkReferences: async () => {
        for (const id of ids) await requireLiveRecord(context.service.handler, organizationId, id, field);
      },
    },
  };
}

const RESULTS: Readonly<Record<string, string>> = {
  RecordsLinked: 'CREATED',
  LinkRelationChanged: 'CHANGED',
  RecordsUnlinked: 'REMOVED',
};

/** Counts a link that the call ends or gives another relation, or that an earlier attempt did. New links don't count. */
const changedCount = ({ event_types }: Rehearsal): number =>
  event_types.some((type) => type !== 'RecordsLinked') ? 1 : 0;

function resultOf(outcome: SelectedOutcome): object {
  if ('refusal' in outcome) return { result: 'UNCHANGED', errors: [outcome.refusal.toJSON()] };
  return { result: RESULTS[outcome.result.event_types[0] ?? ''] ?? 'UNCHANGED' };
}
