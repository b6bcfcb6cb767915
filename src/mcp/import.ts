import type { Caller } from '../commands/caller.ts';
import { FAMILIES, organizationAggregate, recordAggregate } from '../commands/families.ts';
import type { Envelope, Rehearsed } from '../commands/handler.ts';
import { commandId, itemCommandId } from '../commands/ids.ts';
import { contentOf, importCommandId, importedId } from '../commands/imported.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit } from '../commands/roles.ts';
import { answered, type Imported, MOST_ROW_ERRORS, type Row } from './import-answer.ts';
import { errorsOf, type RowReader } from './import-rows.ts';
import { atOnce, type Item, orRefused, type WriteOptions, writeAll } from './many.ts';
import type { Service } from './service.ts';
import { envelope, guardOf, organizationOf, resolved } from './write.ts';

/** Errors that a call's answer describes. */
const MOST_ERRORS = 300;

/** What an import needs: it reads no read model. */
export type ImportService = Pick<Service, 'handler' | 'passed' | 'writeWaitMs'>;

export interface ImportInput {
  organization_id: string;
  rows: readonly Readonly<Record<string, unknown>>[];
  dry_run?: boolean | undefined;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
}

export interface ImportOptions extends WriteOptions {
  /** Writes the right rows where others are wrong: a file of any length cannot be judged as a whole. */
  partly?: boolean;
}

/** What became of a row's command, or would. */
type Settled = { executed: Pick<Rehearsed, 'event_types' | 'repeated'> } | { refused: Refusal };

/** One call: who imports what and where, and what its rows' commands are made of. */
interface Call extends Pick<ImportInput, 'reason'> {
  service: ImportService;
  caller: Caller;
  reader: RowReader;
  organizationId: string;
  /** Keys the ids of new records. */
  importKey: string;
  /** The command of the whole call. */
  whole: string;
  by: Omit<Envelope, 'command_id' | 'input'>;
}

/**
 * Judges every row, then writes them. Where one is wrong nothing is written, and the answer says what is wrong with
 * each. A row that was imported before, and has the same content, writes nothing.
 * @throws Refusal idempotency_conflict where a row that changes a record was given with this key and other fields
 */
export async function importRecords(
  service: ImportService,
  caller: Caller,
  reader: RowReader,
  input: ImportInput,
  { partly = false, progress, signal }: ImportOptions = {},
): Promise<Imported> {
  const call = await beginCall(service, caller, reader, input);
  const rows = readRows(call, input.rows);
  const records = oneForEachRecord(rows);
  const judged = records.filter(({ errors }) => !errors);
  const items = await atOnce(judged, (row) => judge(call, row), signal);
  const right = judged.filter(({ errors }) => !errors);
  if (input.dry_run) return answered(rows, 'DRY_RUN');
  if (!partly && records.some(({ errors }) => errors)) return answered(rows, 'REFUSED');
  const toWrite = items.filter((item) => item !== null);
  const { outcomes, pending } = await writeAll(service, call.organizationId, toWrite, { progress, signal });
  for (const [index, row] of right.entries()) settle(row, outcomes[index]!);
  return { ...answered(rows, 'WRITTEN'), ...(pending ? { pending: true as const } : {}) };
}

async function beginCall(
  service: ImportService,
  caller: Caller,
  reader: RowReader,
  { organization_id: organizationId, idempotency_key, reason }: ImportInput,
): Promise<Call> {
  const role = permit(caller, organizationId, 'importRecords');
  const { state } = await service.handler.load(organizationAggregate(organizationId));
  return {
    ...{ service, caller, reader, organizationId, reason },
    importKey: state!.import_key,
    whole: commandId([organizationId, 'importRecords'], idempotency_key),
    by: envelope(caller, organizationId, role),
  };
}

/** Reads every row. Of a call with many errors some are only counted, for an answer would not hold them. */
function readRows(call: Call, given: ImportInput['rows']): Row[] {
  let room = MOST_ERRORS;
  return given.map((row, index) => {
    const read = readRow(call, row, index, Math.max(1, Math.min(room, MOST_ROW_ERRORS)));
    room -= read.errors?.length ?? 0;
    return read;
  });
}

function readRow(call: Call, given: ImportInput['rows'][number], row: number, most: number): Row {
  const { reader, organizationId, importKey } = call;
  const read = reader.read(given, most);
  if ('errors' in read) return { row, changes: false, fields: {}, content: '', ...read };
  const changes = read.id !== undefined;
  const id = read.id ?? importedId(FAMILIES[reader.type], importKey, organizationId, read.fields);
  return { row, id, changes, fields: read.fields, content: contentOf(read.fields) };
}

/** The first row of each record; its equals become its twins, and rows that contradict each other are all wrong. */
function oneForEachRecord(rows: readonly Row[]): Row[] {
  const byId = new Map<string, Row[]>();
  for (const row of rows) if (row.id !== undefined) byId.set(row.id, [...(byId.get(row.id) ?? []), row]);
  for (const same of byId.values()) {
    const [first, ...others] = same as [Row, ...Row[]];
    if (others.every(({ changes, content }) => changes === first.changes && content === first.content)) {
      for (const row of others) row.twin = first;
    } else {
      const places = same.map(({ row }) => row).join(', ');
      const message = `Rows ${places} say different things of ${first.id}: leave one of them.`;
      for (const row of same) row.errors = [{ field: first.changes ? 'id' : 'reference_id', message }];
    }
  }
  return rows.filter(({ twin }) => twin === undefined);
}

/** Judges a row as it would be written now, and answers what to write; null where it is wrong. */
async function judge(call: Call, row: Row): Promise<Item | null> {
  const { handler } = call.service;
  const judged = await orRefused(async () => {
    const item = await itemFor(call, row);
    const executed = await handler.rehearse(item.aggregate, item.command, item.envelope);
    return { executed, item: { ...item, envelope: { ...item.envelope, fresh: executed.absent } } };
  });
  settle(row, judged);
  return 'item' in judged ? judged.item : null;
}

/** The command that a row stands for. How a new record is known again does not depend on the reason given. */
async function itemFor(call: Call, { id, changes, fields }: Row): Promise<Item> {
  const { service, caller, reader, organizationId, reason, whole, by } = call;
  const { type, title } = FAMILIES[reader.type];
  const aggregate = recordAggregate(id!);
  const because = reason ? { reason } : {};
  if (changes) {
    await organizationOf(service, caller, id!, organizationId);
    const update = { type: `Update${title}`, changes: fields, ...because };
    const command = resolved(caller, update);
    const guard = guardOf(service, organizationId, id!, command);
    return { aggregate, command, envelope: { ...by, command_id: itemCommandId(whole, id!), input: command, guard } };
  }
  const add = { type: `Add${title}`, fields, ...because };
  const command = resolved(caller, add);
  const guard = guardOf(service, organizationId, id!, command);
  return { aggregate, command, envelope: { ...by, command_id: importCommandId(id!), input: { type, fields }, guard } };
}

/** Notes on a row what became of it, or would. @throws Refusal where the call as a whole is refused for it */
function settle(row: Row, outcome: Settled): void {
  if ('executed' in outcome) {
    const { event_types, repeated } = outcome.executed;
    row.result = repeated || event_types.length === 0 ? 'UNCHANGED' : row.changes ? 'UPDATED' : 'CREATED';
    return;
  }
  const { refused } = outcome;
  delete row.result;
  if (refused.code !== 'idempotency_conflict') {
    row.errors = errorsOf(refused);
  } else if (row.changes) {
    throw new Refusal(refused.code, refused.message, { field: 'idempotency_key', hint: `It is row ${row.row}.` });
  } else {
    const message = `${row.id} was imported under this reference_id with other content: give its id to change it.`;
    row.errors = [{ field: 'reference_id', message }];
  }
}
