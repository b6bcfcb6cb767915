import { familyOf, organizationAggregate, recordAggregate } from '../families.ts';
import { memberRole } from '../organization/organization-state.ts';
import type { CommonFields } from '../record.ts';
import type { DomainEvent } from './decider.ts';
import type { CommandHandler } from './handler.ts';
import { invalidField, Refusal } from './refusal.ts';
import type { FoldableAggregate, StreamState } from './stream-state.ts';

/*
 * Checks of the records and members that a command names. They read the event store, because read models may lag.
 */

type Handler = Pick<CommandHandler, 'load'>;
type Fields = Record<string, unknown>;

export const ACCOUNT_FIELDS = ['owner_id', 'approver_id', 'reviewed_by', 'accepted_by'] as const;

/** Loads the streams that references lead to. */
export type ReferenceReader = Pick<CommandHandler, 'load' | 'now'>;

/** Returns a reader for the commands of one call. It reads each stream once, though many of its records may name it. */
export function readOncePerCall(handler: ReferenceReader): ReferenceReader {
  const loaded = new Map<string, Promise<StreamState<object>>>();
  return {
    now: () => handler.now(),
    load<State extends object, Event extends DomainEvent>(aggregate: FoldableAggregate<State, Event>) {
      const earlier = loaded.get(aggregate.stream);
      const loading = earlier ?? handler.load(aggregate, true);
      if (earlier === undefined) {
        loaded.set(aggregate.stream, loading);
        // After a failure, the next command reads the stream again.
        loading.catch(() => loaded.delete(aggregate.stream));
      }
      return loading as Promise<StreamState<State>>;
    },
  };
}

/** Returns a check that the members and records named in a command exist and are live, and the record's parent too. */
export function referenceChecks(handler: ReferenceReader, organizationId: string, id: string) {
  return async (command: object) => {
    for (const fields of fieldsIn(command)) {
      for (const field of ACCOUNT_FIELDS) {
        if (typeof fields[field] === 'string') await requireMember(handler, organizationId, field, fields[field]);
      }
      await requireReferences(handler, organizationId, familyOf(id).references, fields);
    }
    await refuseIfParentArchived(handler, id);
  };
}

/** Returns the objects in which a command has fields: the command, `fields` of an add, `changes` of an update. */
export function fieldsIn(command: object): Fields[] {
  const { fields, changes } = command as Fields;
  return [command, fields, changes].filter((part) => part !== undefined) as Fields[];
}

/** Refuses an account that isn't a member now. Reads the store, because no append would notice an outdated cache. */
async function requireMember(handler: ReferenceReader, organizationId: string, field: string, account: string) {
  const { state } = await handler.load(organizationAggregate(organizationId), true);
  if (state !== null && memberRole(state, account, handler.now()) !== null) return;
  throw invalidField(
    field,
    `${field} is not a member. Call listOrganizations with include_members to list the members.`,
  );
}

/** Refuses a record that doesn't exist or is archived. Another organization's record is refused as if it didn't exist. */
export async function requireLiveRecord(
  handler: Handler,
  organizationId: string,
  id: string,
  field: string,
): Promise<void> {
  const { organization_id, state } = await handler.load(recordAggregate(id), true);
  if (organization_id !== organizationId) {
    throw new Refusal('not_found', `There is no ${id} here. List the records to find its id.`, { field });
  }
  if ((state as CommonFields).archived_at !== null) {
    throw new Refusal('invalid_transition', `${id} is archived. Restore it with archiveRecords, or name another.`, {
      field,
      allowed: ['RESTORE'],
    });
  }
  await refuseIfParentArchived(handler, id, field);
}

/**
 * Refuses to write to a record whose parent is archived, such as a control of an archived framework.
 * @param field the field that names the record; absent if the record itself is written
 */
export async function refuseIfParentArchived(handler: Handler, id: string, field?: string): Promise<void> {
  const parent = familyOf(id).parent?.(id);
  if (parent === undefined) return;
  const { state } = await handler.load(recordAggregate(parent), true);
  if ((state as CommonFields | null)?.archived_at == null) return;
  throw new Refusal(
    'invalid_transition',
    `${field === undefined ? 'This record' : id} belongs to ${parent}, which is archived. Restore that, then repeat the call.`,
    {
      ...(field === undefined ? {} : { field }),
      allowed: ['RESTORE'],
      hint: `Restore ${parent} with archiveRecords.`,
    },
  );
}

/** Refuses if a record that one of these fields names doesn't exist or is archived. */
export async function requireReferences(
  handler: Handler,
  organizationId: string,
  references: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const field of references) {
    const value = fields[field];
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string') await requireLiveRecord(handler, organizationId, id, field);
    }
  }
}
