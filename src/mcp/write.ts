import type { Caller, Role } from '../commands/caller.ts';
import { beforeDeadline, commandDeadline } from '../commands/deadline.ts';
import { FAMILIES, type FamilyName, familyOf, recordAggregate } from '../commands/families.ts';
import type { CommandEnvelope, CommandResult } from '../commands/handler.ts';
import { commandId, derivedId } from '../commands/ids.ts';
import { requirePermission, roleIn, toolPermission } from '../commands/permissions.ts';
import { refuseIfParentArchived, requireMember, requireReferences } from '../commands/references.ts';
import { Refusal } from '../commands/refusal.ts';
import { similarTo, writtenRecord } from '../queries/written.ts';
import type { ToolService } from './define-tool.ts';

/** What every write's input has. */
export interface WriteInput {
  organization_id?: string | undefined;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
  expected_revision?: number | undefined;
  [field: string]: unknown;
}

interface RecordWrite {
  tool: string;
  family: FamilyName;
  /** The wire's name of one record: the member of the answer that holds it. */
  singular: string;
  input: WriteInput;
  command: { type: string; [field: string]: unknown };
  /** What of the command is the caller's own words, which a repeated key is compared by; all of it unless given. */
  callerInput?(command: Record<string, unknown>): unknown;
  /** Of a new record, where it is not drawn for the command. */
  id?: string;
  /** Members of the answer that only this tool has. */
  extraOutput?(executed: CommandResult<object>): object;
}

/** Adds a record: its id follows from the command, so that a repeated call makes the same one. */
export async function addRecord(service: ToolService, caller: Caller, spec: RecordWrite): Promise<object> {
  const organizationId = spec.input.organization_id!;
  const role = requirePermission(caller, organizationId, toolPermission(spec.tool));
  const command_id = commandId([organizationId, spec.tool], spec.input.idempotency_key);
  const id = spec.id ?? derivedId(FAMILIES[spec.family].prefix, command_id);
  const fresh = spec.id === undefined && spec.input.idempotency_key === undefined;
  const deadline = commandDeadline(caller);
  const answer = await write(
    service,
    caller,
    organizationId,
    role,
    id,
    { command_id, isNewStream: fresh, deadline },
    spec,
  );
  const similar = await similarTo(service.reader, organizationId, answer[spec.singular] as Record<string, unknown>);
  return similar.length > 0 ? { ...answer, similar } : answer;
}

/** Changes one record, which names its organization. */
export async function changeRecord(
  service: ToolService,
  caller: Caller,
  id: string,
  spec: RecordWrite,
): Promise<object> {
  const deadline = commandDeadline(caller);
  const found = findOrganizationOf(service, caller, id, spec.input.organization_id);
  const organizationId = await beforeDeadline(deadline, found);
  const role = requirePermission(caller, organizationId, toolPermission(spec.tool));
  const command_id = commandId([organizationId, spec.tool, id], spec.input.idempotency_key);
  return write(service, caller, organizationId, role, id, { command_id, deadline }, spec);
}

async function write(
  service: ToolService,
  caller: Caller,
  organizationId: string,
  role: Role,
  id: string,
  identity: Pick<CommandEnvelope, 'command_id' | 'isNewStream' | 'deadline'>,
  spec: RecordWrite,
): Promise<Record<string, unknown>> {
  const { expected_revision } = spec.input;
  const command = resolveMe(caller, spec.command);
  const executed = await service.handler.execute(recordAggregate(id), command, {
    ...envelopeFor(caller, organizationId, role),
    ...identity,
    checkReferences: referenceChecks(service, organizationId, id, command),
    input: spec.callerInput?.(command) ?? command,
    ...(expected_revision === undefined ? {} : { expected_revision }),
  });
  const pending = !(await waitUntilReadable(service, organizationId, executed));
  const { created_at, updated_at } = executed;
  const known = { ...executed.state, created_at, updated_at };
  const { record, position } = await writtenRecord(
    service.reader,
    organizationId,
    id,
    executed.revision,
    known,
    pending,
  );
  return {
    [spec.singular]: record,
    revision: executed.revision,
    ...(position === undefined ? {} : { position }),
    event_types: executed.event_types,
    ...spec.extraOutput?.(executed),
    ...(executed.repeated ? { repeated: true } : {}),
    ...(pending ? { pending: true } : {}),
  };
}

/** Waits, with a bound, until what a command did can be read through any instance. */
export async function waitUntilReadable(
  service: Pick<ToolService, 'waitUntilProjected' | 'writeWaitMs'>,
  organizationId: string,
  executed: CommandResult<object>,
): Promise<boolean> {
  if (executed.storePosition === null) return true;
  return service.waitUntilProjected(organizationId, executed.storePosition, service.writeWaitMs);
}

/** Who acts, as the events will say. */
export function envelopeFor(caller: Caller, organization_id: string, role: Role) {
  const { account_id: actor_id, token_id, client } = caller;
  return { organization_id, role, actor_id, token_id, client, correlation_id: crypto.randomUUID() };
}

/** The organization a record is of. @throws Refusal not_found also for one that the caller may not see */
export async function findOrganizationOf(
  service: Pick<ToolService, 'handler'>,
  caller: Caller,
  id: string,
  expected: string | undefined,
  field = 'id',
): Promise<string> {
  if (expected !== undefined) roleIn(caller, expected);
  const { organization_id } = await service.handler.load(recordAggregate(id));
  if (
    organization_id !== null &&
    caller.roles.has(organization_id) &&
    (expected ?? organization_id) === organization_id
  ) {
    return organization_id;
  }
  throw new Refusal('not_found', `There is no ${id} here: list the records to find its id.`, { field });
}

/** Fields of commands that name a person. */
const ACCOUNT_FIELDS = ['owner_id', 'approver_id'];

type Fields = Record<string, unknown>;

/** Where a command has fields: itself, what a record begins with, what an update changes. */
function fieldsIn(command: Fields): Fields[] {
  return [command, command.fields, command.changes].filter((part) => part !== undefined) as Fields[];
}

/** A command with the caller's account for ME. */
export function resolveMe<C extends { type: string; [field: string]: unknown }>(caller: Caller, command: C): C {
  const resolve = (fields: Fields) => {
    const mine = ACCOUNT_FIELDS.filter((field) => fields[field] === 'ME').map((field) => [field, caller.account_id]);
    return { ...fields, ...Object.fromEntries(mine) };
  };
  const result: Fields = resolve(command);
  for (const part of ['fields', 'changes']) if (result[part]) result[part] = resolve(result[part] as Fields);
  return result as C;
}

/** Makes sure that all which a command on a record names is there and live, and what the record belongs to as well. */
export function referenceChecks(
  { handler }: Pick<ToolService, 'handler'>,
  organizationId: string,
  id: string,
  command: Fields,
) {
  return async () => {
    for (const fields of fieldsIn(command)) {
      for (const field of ACCOUNT_FIELDS) {
        if (typeof fields[field] === 'string') await requireMember(handler, organizationId, field, fields[field]);
      }
      await requireReferences(handler, organizationId, familyOf(id).references, fields);
    }
    await refuseIfParentArchived(handler, id);
  };
}
