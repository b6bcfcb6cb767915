import { eventLoopQueue } from '../clock/event-loop-queue.ts';
import { commandId, itemCommandId } from '../commands/engine/ids.ts';
import { recordAggregate } from '../commands/families.ts';
import { FAMILY_QUERIES, type FamilyQuery } from '../queries/family-query.ts';
import {
  candidatesOf,
  findByWord,
  findLike,
  type NameSource,
  type RecordScope,
} from '../queries/records/named-records.ts';
import { findByPastWord, type PastNaming } from '../queries/records/past-names.ts';
import type { InputProblem } from './schema/input-parser.ts';
import { type RecordWord, withIds } from './schema/record-words.ts';
import { callIdOf, type SelectionInput } from './selection.ts';
import type { Tool, ToolContext } from './tool.ts';

/** Why a word doesn't name one record: a problem of the field that has it. */
type NameProblem = Omit<InputProblem, 'field'>;

/** The id of the record that a word names, or why it names none. `isUnknown`: no record in the scope has it. */
export type Naming = { id: string } | { problem: NameProblem; isUnknown: boolean };

type Unresolved = Exclude<Naming, { id: string }>;
type UnresolvedWord = Unresolved & Pick<RecordWord, 'path'>;

interface RecordNamesOptions extends NameSource, Partial<Pick<ToolContext, 'caller' | 'signal'>> {
  /** The records that a word may name. By default those that are not archived. */
  scope?: RecordScope;
  /** Returns when this call, with its idempotency_key or selection, was done on a record; null if it wasn't. */
  doneOn?: ((id: string) => Promise<Done | null>) | undefined;
}

/** An earlier attempt of a call on a record. */
interface Done {
  /** The record's revision before. */
  revision: number;
  at: string;
}

/** The fields of an input that name the records to change. In others, a word names a record to refer to. */
const CHANGED_RECORDS: readonly unknown[] = ['id', 'ids', 'replaces'];

/** Words that are remembered. Rows often name the same records, and a file may have very many rows. */
const MAX_REMEMBERED = 10_000;
const MAX_CANDIDATES = 5;

/** Finds the records that one call names by number or name. */
export class RecordNames {
  private readonly found = new Map<string, Promise<Naming>>();
  /** Suggestions take some milliseconds, so only the first unknown word of a call gets them. */
  private hasSuggested = false;

  constructor(private readonly options: RecordNamesOptions) {}

  /** Returns the record of one of these types that a word names. */
  async find({ word, prefixes, path = [] }: Omit<RecordWord, 'path'> & { path?: RecordWord['path'] }): Promise<Naming> {
    const isChanged = CHANGED_RECORDS.includes(path.findLast((step) => typeof step === 'string'));
    const key = `${isChanged} ${prefixes.join()} ${word}`;
    const earlier = this.found.get(key);
    if (earlier !== undefined) return earlier;
    const finding = this.searchInTurn(word, prefixes, isChanged);
    if (this.found.size < MAX_REMEMBERED) this.found.set(key, finding);
    return finding;
  }

  private async searchInTurn(word: string, prefixes: readonly string[], isChanged: boolean): Promise<Naming> {
    await this.waitForTurn();
    return this.search(word, prefixes, isChanged);
  }

  /** An embedded store answers synchronously, so the callers' accounts take turns between two searches. */
  private async waitForTurn(): Promise<void> {
    const { caller, signal } = this.options;
    if (caller !== undefined) await eventLoopQueue.wait(caller.account_id);
    signal?.throwIfAborted();
  }

  /** Returns an input with ids in place of words, and the words that name no single record, with their problems. */
  async replace(input: unknown, words: readonly RecordWord[]): Promise<{ input: unknown; problems: UnresolvedWord[] }> {
    const ids: { path: RecordWord['path']; id: string }[] = [];
    const problems: UnresolvedWord[] = [];
    for (const word of words) {
      const found = await this.find(word);
      if ('id' in found) ids.push({ path: word.path, id: found.id });
      else problems.push({ path: word.path, ...found });
    }
    return { input: withIds(input, ids), problems };
  }

  private async search(word: string, prefixes: readonly string[], isChanged: boolean): Promise<Naming> {
    const { options } = this;
    const families = prefixes.map((prefix) => FAMILY_QUERIES[prefix]!);
    const repeated = isChanged ? await this.findRepeated(word, families) : null;
    if (repeated !== null) return { id: repeated };
    const { scope = 'LIVE' } = options;
    const records = await findByWord(options, families, word, scope);
    const [record, another] = records;
    if (record !== undefined && another === undefined) return { id: String(record.id) };
    if (record !== undefined) {
      const candidates = await candidatesOf(options, records.slice(0, MAX_CANDIDATES));
      return problem('names several records: give the id of one', false, { candidates });
    }
    const singular = prefixes.length === 1 ? families[0]!.singular : 'record';
    const archived = scope === 'LIVE' ? await findByWord(options, families, word, 'ARCHIVED') : [];
    if (archived.length > 0) {
      const message = `names an archived ${singular}: restore it with archiveRecords, or name another`;
      return problem(message, true, await this.hint('Archived', archived));
    }
    const adjective = scope === 'ARCHIVED' ? 'archived ' : '';
    const message = `names no ${adjective}${singular}: give its id, its number or its whole name`;
    return problem(message, true, await this.suggest(word, families));
  }

  /** Suggests a record of another type that the word names, else records with a similar name. */
  private async suggest(word: string, families: readonly FamilyQuery[]): Promise<Partial<NameProblem>> {
    if (this.hasSuggested) return {};
    this.hasSuggested = true;
    await this.waitForTurn();
    const others = Object.values(FAMILY_QUERIES).filter((family) => !families.includes(family));
    const named = await findByWord(this.options, others, word, this.options.scope ?? 'LIVE');
    if (named.length > 0) return this.hint('Of another type', named);
    return this.hint('Similar', await findLike(this.options, families, word));
  }

  private async hint(
    label: string,
    records: readonly Readonly<Record<string, unknown>>[],
  ): Promise<Partial<NameProblem>> {
    if (records.length === 0) return {};
    const named = await candidatesOf(this.options, records.slice(0, MAX_CANDIDATES));
    return { hint: () => `${label}: ${named.map(({ id, name }) => `${name} (${id})`).join('; ')}` };
  }

  /**
   * Returns the record on which this very call was done, if the word named it then. The call may have changed its name, or
   * archived it. Calls on other records may have had the same key.
   */
  private async findRepeated(word: string, families: readonly FamilyQuery[]): Promise<string | null> {
    const { doneOn, scope = 'LIVE' } = this.options;
    if (doneOn === undefined) return null;
    const rather: PastNaming[] = [];
    for (const namings of await findByPastWord(this.options, families, word, scope)) {
      for (const { id, revision } of namings) {
        const done = await doneOn(id);
        if (done === null || revision > done.revision) continue;
        if (rather.every((other) => other.id === id || other.since > done.at)) return id;
      }
      rather.push(...namings);
    }
    return null;
  }
}

/** Returns the problems of words by their field, as `InputParser.parse` takes them. */
export function problemsByField(problems: readonly UnresolvedWord[]): ReadonlyMap<string, InputProblem> {
  return new Map(problems.map(({ path, problem }) => [path.join('.'), { ...problem, field: path.join('.') }] as const));
}

function problem(message: string, isUnknown: boolean, more: Partial<NameProblem>): Naming {
  return { problem: { message, saysWhatToDo: true, ...more }, isUnknown };
}

/** Returns the finder of the records that a call names. @param input the call's, from which its id follows */
export function recordNamesFor(
  { service, tool, caller, signal }: Pick<ToolContext, 'service' | 'caller' | 'signal'> & { tool: Pick<Tool, 'name'> },
  organizationId: string,
  { scope, input }: { scope: RecordScope; input: Pick<SelectionInput, 'idempotency_key' | 'selection'> },
): RecordNames {
  const { handler, reader } = service;
  const source = { models: reader.snapshot().models, organizationId, caller, signal };
  const call = [organizationId, tool.name];
  // In the form that the schema of inputs gives them.
  const idempotency_key = input.idempotency_key?.normalize('NFC').trim() || undefined;
  const selection = input.selection?.normalize('NFC').trim() || undefined;
  if (idempotency_key === undefined && selection === undefined) return new RecordNames({ ...source, scope });
  const callId = callIdOf({ service, tool, caller }, organizationId, { idempotency_key, selection });
  const doneOn = async (id: string): Promise<Done | null> => {
    const { commands, originEvents } = await handler.load(recordAggregate(id), true);
    const alone = idempotency_key === undefined ? undefined : commands.get(commandId([...call, id], idempotency_key));
    const done = alone ?? commands.get(itemCommandId(callId, id));
    if (done === undefined) return null;
    return { revision: done.revision + 1 - done.event_types.length + originEvents, at: done.recorded_at };
  };
  return new RecordNames({ ...source, scope, doneOn });
}
