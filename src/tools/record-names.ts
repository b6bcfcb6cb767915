import { setImmediate as nextTurn } from 'node:timers/promises';
import { commandId, itemCommandId } from '../commands/engine/ids.ts';
import { recordAggregate } from '../commands/families.ts';
import { FAMILY_QUERIES } from '../queries/family-query.ts';
import {
  candidatesOf,
  findByWord,
  findLike,
  idsWithPastName,
  type NameSource,
  type RecordScope,
} from '../queries/records/named-records.ts';
import type { InputProblem } from './schema/input-parser.ts';
import { type RecordWord, withIds } from './schema/record-words.ts';
import type { Tool, ToolService } from './tool.ts';

/** Why a word doesn't name one record: a problem of the field that has it. */
type NameProblem = Omit<InputProblem, 'field'>;

/** The id of the record that a word names, or why it names none. `isUnknown`: no record in the scope has it. */
export type Naming = { id: string } | { problem: NameProblem; isUnknown: boolean };

type Unresolved = Exclude<Naming, { id: string }>;
type UnresolvedWord = Unresolved & Pick<RecordWord, 'path'>;

interface RecordNamesOptions extends NameSource {
  /** The records that a word may name. By default those that are not archived. */
  scope?: RecordScope;
  /** Returns true for a record on which this call was done before, with its idempotency_key. */
  wasDoneOn?: ((id: string) => Promise<boolean>) | undefined;
}

/** Words that are remembered. Rows often name the same records, and a file may have very many rows. */
const MAX_REMEMBERED = 10_000;
/** Records that a refusal names. */
const MAX_CANDIDATES = 5;

/** Finds the records that one call names by number or name. */
export class RecordNames {
  private readonly found = new Map<string, Promise<Naming>>();
  /** Suggestions take some milliseconds, so only the first unknown word of a call gets them. */
  private hasSuggested = false;

  constructor(private readonly options: RecordNamesOptions) {}

  /** Returns the record of one of these types that a word names. */
  async find({ word, prefixes }: Pick<RecordWord, 'word' | 'prefixes'>): Promise<Naming> {
    const key = `${prefixes.join()} ${word}`;
    const earlier = this.found.get(key);
    if (earlier !== undefined) return earlier;
    const finding = this.search(word, prefixes);
    if (this.found.size < MAX_REMEMBERED) this.found.set(key, finding);
    // An embedded store answers synchronously, so other calls get a turn between two words.
    await nextTurn();
    return finding;
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

  private async search(word: string, prefixes: readonly string[]): Promise<Naming> {
    const { options } = this;
    const families = prefixes.map((prefix) => FAMILY_QUERIES[prefix]!);
    const repeated = await this.findRepeated(word, prefixes);
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
    const like = this.hasSuggested ? [] : await findLike(options, families, word);
    this.hasSuggested = true;
    const adjective = scope === 'ARCHIVED' ? 'archived ' : '';
    const message = `names no ${adjective}${singular}: give its id, its number or its whole name`;
    return problem(message, true, await this.hint('Similar', like));
  }

  private async hint(
    label: string,
    records: readonly Readonly<Record<string, unknown>>[],
  ): Promise<Partial<NameProblem>> {
    if (records.length === 0) return {};
    const named = await candidatesOf(this.options, records.slice(0, MAX_CANDIDATES));
    return { hint: () => `${label}: ${named.map(({ id, name }) => `${name} (${id})`).join('; ')}` };
  }

  /** Returns the record on which this very call was done. The call may have changed its name, or archived it. */
  private async findRepeated(word: string, prefixes: readonly string[]): Promise<string | null> {
    const { wasDoneOn } = this.options;
    if (wasDoneOn === undefined) return null;
    const families = prefixes.map((prefix) => FAMILY_QUERIES[prefix]!);
    for (const id of await idsWithPastName(this.options, families, word)) if (await wasDoneOn(id)) return id;
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

/**
 * Returns the finder of the records that a call names.
 * @param key the call's idempotency_key
 */
export function recordNamesFor(
  { handler, reader }: ToolService,
  { name }: Pick<Tool, 'name'>,
  organizationId: string,
  { scope, key }: { scope: RecordScope; key: string | undefined },
): RecordNames {
  const source = { models: reader.snapshot().models, organizationId };
  const call = [organizationId, name];
  // In the form that the schema of inputs gives it.
  const normalizedKey = key?.normalize('NFC').trim();
  if (!normalizedKey) return new RecordNames({ ...source, scope });
  const wasDoneOn = async (id: string) => {
    const { commands } = await handler.load(recordAggregate(id), true);
    const amongOthers = itemCommandId(commandId(call, normalizedKey), id);
    return commands.has(commandId([...call, id], normalizedKey)) || commands.has(amongOthers);
  };
  return new RecordNames({ ...source, scope, wasDoneOn });
}
