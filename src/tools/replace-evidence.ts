import { randomUUID } from 'node:crypto';
import { derivedId } from '../commands/engine/ids.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { recordAggregate } from '../commands/families.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { recordChanges, writtenChanges } from '../queries/changes/written-changes.ts';
import { liveLinksOf } from '../queries/records/live-links.ts';
import { EVIDENCE } from '../register/evidence.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor, findOrganizationOf, type WriteInput, waitUntilReadable } from './write.ts';

/** Links that one piece of evidence takes over from another. */
const MAX_TAKEN_OVER = 200;

/**
 * Adds evidence in the place of another piece: the new one takes over its links, then the old one is archived. Both name
 * each other, and one undo takes back both. The same call with the same key finishes an interrupted one.
 * @throws Refusal before anything is added, if the old one is archived or the caller may not archive it
 */
export async function replaceEvidence(
  context: ToolContext,
  { replaces, ...input }: WriteInput & { replaces: string },
  add: (input: WriteInput, callerInput: object) => Promise<object>,
): Promise<object> {
  const { caller, service, tool } = context;
  const { handler, reader } = service;
  const { organization_id, idempotency_key = randomUUID(), reason, record_ids, ...fields } = input;
  const organizationId = organization_id!;
  const role = requirePermission(caller, organizationId, 'archiveRecords');
  await findOrganizationOf(context, replaces, organizationId, 'replaces');
  const callId = handler.commandId([organizationId, tool.name], idempotency_key);
  const newId = derivedId(EVIDENCE.prefix, callId);
  const aggregate = recordAggregate(replaces);
  const archive = { type: 'Archive', replaced_by: newId, reason: reason ?? 'Replaced by newer evidence' };
  const envelope = {
    ...envelopeFor(caller, organizationId, role, 'archiveRecords', callId),
    command_id: handler.commandId([organizationId, tool.name, replaces], idempotency_key),
    input: { replaces },
  };
  const { event_types, repeated } = await handler.rehearse(aggregate, archive, envelope);
  if (event_types.length === 0 && !repeated) throw archivedAlready(replaces);
  const links = await liveLinksOf(reader.snapshot(), organizationId, replaces);
  const records = [...new Set([...(record_ids as readonly string[]), ...links])];
  if (records.length > MAX_TAKEN_OVER) throw tooManyLinks(replaces, records.length);
  const callerInput = { fields: { ...fields, record_ids }, replaces, reason };
  const added = { ...fields, organization_id, idempotency_key, reason, record_ids: records, replaces };
  const answer = await add(added, callerInput);
  const archived = await handler.execute(aggregate, archive, envelope);
  const pending = !(await waitUntilReadable(service, organizationId, archived));
  return {
    ...answer,
    ...writtenChanges([recordChanges(replaces, archived)]),
    ...(pending ? { pending: true as const } : {}),
  };
}

function archivedAlready(id: string): Refusal {
  const message = `${id} is archived, so nothing replaces it. Leave out replaces, or restore it first.`;
  return new Refusal('invalid_transition', message, { field: 'replaces', allowed: ['RESTORE'] });
}

function tooManyLinks(id: string, count: number): Refusal {
  const message = `The new evidence would have ${count} links, and at most ${MAX_TAKEN_OVER} pass on. Unlink some records from ${id} first.`;
  return new Refusal('too_large', message, { field: 'replaces' });
}
