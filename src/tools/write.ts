import type { CommandEnvelope, CommandResult } from '../commands/engine/handler.ts';
import { derivedId } from '../commands/engine/ids.ts';
import { ACCOUNT_FIELDS, fieldsIn, referenceChecks } from '../commands/engine/references.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { beforeDeadline, commandDeadline } from '../commands/engine/retries.ts';
import { familyOf, organizationAggregate, recordAggregate } from '../commands/families.ts';
import { accountOf, type Caller, isBarredFrom, type Role, withCurrentRights } from '../commands/organization/caller.ts';
import { type Permission, requirePermission, roleIn } from '../commands/organization/permissions.ts';
import { noEndFields } from '../commands/stated-dates.ts';
import { recordChanges, writtenChanges } from '../queries/changes/written-changes.ts';
import { isMemberWord, type MemberWords, readMemberWords } from '../queries/records/member-words.ts';
import { readWrittenRecord } from '../queries/records/present-records.ts';
import { findSimilar } from '../queries/records/similar-records.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import type { ToolContext, WriteContext, WriteService } from './tool.ts';

/** The inputs that all write tools share. */
export interface WriteInput {
  organization_id?: string | undefined;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
  expected_revision?: number | undefined;
  [field: string]: unknown;
}

/** One write on one record, as a tool asks for it. */
interface RecordWrite {
  input: WriteInput;
  command: { type: string; [field: string]: unknown };
  /** Returns the part of the command that a repeated key must match. By default the whole command. */
  callerInput?(command: Record<string, unknown>): unknown;
  /** Members of the answer that only this tool has. */
  extraOutput?(result: CommandResult<object>): object;
}

/** The record that a write is about, the caller's role there, and the command's identity. */
interface WriteTarget extends Pick<CommandEnvelope, 'command_id' | 'isPresumedNew' | 'deadline'> {
  organizationId: string;
  role: Role;
  id: string;
}

/** A new record's id, or the prefix of the id that is derived from the command id. */
type NewRecord = { prefix: string } | { id: string };

/** Adds a record. Its id is derived from the command id, so a repeated call adds nothing. */
export async function addRecord(context: ToolContext, record: NewRecord, spec: RecordWrite): Promise<object> {
  const { caller, tool } = context;
  const organizationId = spec.input.organization_id!;
  const role = requirePermission(caller, organizationId, tool.permission);
  const command_id = context.service.handler.commandId([organizationId, tool.name], spec.input.idempotency_key);
  const id = 'id' in record ? record.id : derivedId(record.prefix, command_id);
  // Only a repeat finds its stream. A library's framework is large, and may well have been adopted.
  const isPresumedNew = 'prefix' in record;
  const deadline = commandDeadline(caller);
  return write(context, spec, { organizationId, role, id, command_id, isPresumedNew, deadline }, true);
}

/** Changes one record. Finds the organization in the record's stream. */
export async function changeRecord(context: ToolContext, id: string, spec: RecordWrite): Promise<object> {
  const { caller, tool } = context;
  const deadline = commandDeadline(caller);
  const organizationId = await beforeDeadline(deadline, findOrganizationOf(context, id, spec.input.organization_id));
  const role = requirePermission(caller, organizationId, tool.permission);
  const command_id = context.service.handler.commandId([organizationId, tool.name, id], spec.input.idempotency_key);
  return write(context, spec, { organizationId, role, id, command_id, deadline }, false);
}

/** @param isNew true to name similar records in the answer */
async function write(
  context: ToolContext,
  spec: RecordWrite,
  { organizationId, role, id, ...identity }: WriteTarget,
  isNew: boolean,
): Promise<object> {
  const { service, caller } = context;
  const { expected_revision } = spec.input;
  const command = resolveMe(caller, spec.command);
  // Members after a spread are slow: each that is new takes 0.7 µs.
  const envelope: CommandEnvelope = Object.assign(
    envelopeFor(caller, organizationId, role, context.tool.permission, identity.command_id),
    identity,
    {
      resolveNames: <C>(named: C) => new OwnerNames(context, organizationId).resolve(named),
      checkReferences: referenceChecks(service.handler, organizationId, id),
      input: spec.callerInput?.(command) ?? command,
      ...(expected_revision === undefined ? {} : { expected_revision }),
    },
  );
  const family = familyOf(id);
  const result = await service.handler.execute(recordAggregate(id), command, envelope);
  const pending = !(await waitUntilReadable(service, organizationId, result));
  const { revision, created_at, updated_at } = result;
  const state = Object.assign({}, result.state, { created_at, updated_at });
  const changes = writtenChanges([recordChanges(id, result)]);
  const snapshot = service.reader.snapshot();
  const [{ record, position }, similar] = await Promise.all([
    readWrittenRecord(snapshot, organizationId, { id, revision, state, pending }, JSON.stringify(changes).length),
    findSimilar(snapshot, organizationId, { ...(isNew ? state : changedValues(result, command.changes)), id }),
  ]);
  return {
    [family.singular]: record,
    revision,
    ...(position === undefined ? {} : { position }),
    event_types: result.event_types,
    call_id: identity.command_id,
    ...changes,
    ...spec.extraOutput?.(result),
    ...noEndMember(family, command.fields ?? command.changes),
    ...(result.repeated ? { repeated: true } : {}),
    ...(pending ? { pending: true } : {}),
    ...(similar.length > 0 ? { similar } : {}),
  };
}

/** Returns the values that an update sets. It names the records that have them already, as adding does. */
function changedValues({ event_types }: CommandResult<object>, changes: unknown): object {
  return event_types.length === 0 ? {} : ((changes ?? {}) as object);
}

/** Returns the member of an answer that names the dates that were read as "no end"; nothing without such dates. */
export function noEndMember({ fields }: Pick<FamilyDescription, 'fields'>, values: unknown): { no_end?: string[] } {
  const names = noEndFields(fields, (values ?? {}) as object);
  return names.length === 0 ? {} : { no_end: names };
}

/** Waits, at most `writeWaitMs`, until every instance can read a command's result. Returns false if that took too long. */
export async function waitUntilReadable(
  service: WriteService,
  organizationId: string,
  result: CommandResult<object>,
): Promise<boolean> {
  if (result.storePosition === null) return true;
  return service.waitUntilProjected(organizationId, result.storePosition, service.writeWaitMs);
}

/**
 * Returns the caller's part of a command envelope: for the events, and to check the rights before the append.
 * @param correlation_id the call's id, which answers name `call_id`
 */
export function envelopeFor(
  caller: Caller,
  organization_id: string,
  role: Role,
  permission: Permission,
  correlation_id: string,
) {
  const { account_id: actor_id, token_id, client, renew } = caller;
  const member_role = caller.members.get(organization_id);
  // The command line has no credential that could end.
  const rights =
    renew === undefined
      ? { permission }
      : { permission, hasValidCredential: async () => (await withCurrentRights(caller)).roles.has(organization_id) };
  const autonomy = caller.autonomy?.get(organization_id);
  return Object.assign(
    { organization_id, role, member_role, actor_id, token_id, client, correlation_id, autonomy },
    rights,
  );
}

/** Returns a record's organization id. @throws Refusal not_found also if the caller has no access to it */
export async function findOrganizationOf(
  { service, caller }: WriteContext,
  id: string,
  expected: string | undefined,
  field = 'id',
): Promise<string> {
  if (expected !== undefined) roleIn(caller, expected);
  const { organization_id } = await service.handler.load(recordAggregate(id));
  if (
    organization_id !== null &&
    (caller.roles.has(organization_id) || isBarredFrom(caller, organization_id)) &&
    (expected ?? organization_id) === organization_id
  ) {
    return organization_id;
  }
  throw new Refusal('not_found', `There is no ${id} here. List the records to find the id.`, { field });
}

/** The only account field that may have a member's name or address. */
const OWNER_FIELD = 'owner_id';

type Fields = Record<string, unknown>;

/** Replaces ME by the caller's account id. */
export function resolveMe<C extends object>(caller: Caller, command: C): C {
  return replaceAccounts(command, ACCOUNT_FIELDS, (word) =>
    typeof word === 'string' ? accountOf(word, caller) : word,
  );
}

function replaceAccounts<C extends object>(
  command: C,
  names: readonly string[],
  replace: (account: unknown) => unknown,
): C {
  const replaceIn = (fields: Fields): Fields => {
    const replaced = names.filter((name) => name in fields).map((name) => [name, replace(fields[name])]);
    return { ...fields, ...Object.fromEntries(replaced) };
  };
  const result = replaceIn(command as Fields);
  for (const part of ['fields', 'changes']) if (result[part]) result[part] = replaceIn(result[part] as Fields);
  return result as C;
}

/** Finds the owners that the commands of one call name. It reads the members once, and only if there is a name. */
export class OwnerNames {
  private members: Promise<MemberWords> | undefined;

  constructor(
    private readonly context: WriteContext,
    private readonly organizationId: string,
  ) {}

  /** Returns a command with its owner's id in place of a name. @throws Refusal as MemberWords.require */
  async resolve<C>(command: C): Promise<C> {
    const hasName = fieldsIn(command as object).some((fields) => isMemberWord(fields[OWNER_FIELD]));
    if (!hasName) return command;
    const members = await this.readMembers();
    return replaceAccounts(command as object, [OWNER_FIELD], (word) =>
      isMemberWord(word) ? members.require(word, OWNER_FIELD) : word,
    ) as C;
  }

  /** Returns the account that a word names; undefined for an id, or without a word. @throws Refusal as `resolve` */
  async idOf(word: unknown): Promise<string | undefined> {
    return isMemberWord(word) ? (await this.readMembers()).require(word, OWNER_FIELD) : undefined;
  }

  /** Returns true for a name that looks like a member's but has other letters. */
  async isLookalike(name: string): Promise<boolean> {
    return (await this.readMembers()).isLookalike(name);
  }

  private readMembers(): Promise<MemberWords> {
    this.members ??= this.readFromLog();
    return this.members;
  }

  /** Reads the store, because no append would notice outdated members. */
  private async readFromLog(): Promise<MemberWords> {
    const { service, caller } = this.context;
    const { handler, names } = service;
    const { state } = await handler.load(organizationAggregate(this.organizationId), true);
    return readMemberWords(names, { id: this.organizationId, ...state! }, caller, handler.now());
  }
}
