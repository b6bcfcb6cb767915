import { logTimeAt } from '../moment.ts';
import { membersEverIn, type Names, namesIn } from '../names.ts';
import { valueAt } from './columns.ts';
import type { People } from './page.ts';
import type { ReportContext, Row, Section } from './report-type.ts';

/**
 * Names for a report: an account's id stands for the name at the report's moment, `id@time` for the one that it had when
 * it acted, where that was another. Neither changes later, unless the person is erased.
 */
export class ReportPeople {
  private at: Promise<string | null> | undefined;
  private members: Promise<ReadonlySet<string>> | undefined;

  constructor(private readonly context: Pick<ReportContext, 'reader' | 'organizationId' | 'moment'>) {}

  /**
   * Returns names by key, without those of acts that are the same as at the report's moment. Anybody may write an id into
   * a text: who never was a member is not named.
   */
  async named(all: readonly string[]): Promise<Map<string, string>> {
    if (all.length === 0) return new Map();
    const { reader, organizationId, moment } = this.context;
    this.members ??= membersEverIn(reader, organizationId);
    const members = await this.members;
    const keys = all.filter((key) => members.has(idIn(key)));
    this.at ??= logTimeAt(reader, organizationId, moment);
    const at = await this.at;
    const names = await namesIn(reader, organizationId, keys.map(idIn));
    return new Map([...new Set(keys)].flatMap((key) => nameOf(names, key, at)));
  }
}

const idIn = (key: string): string => key.split('@')[0]!;

function nameOf(names: Names, key: string, at: string | null): [string, string][] {
  const [id = '', time] = key.split('@');
  const now = names.of(id, at);
  if (time === undefined) return [[key, now]];
  const then = names.of(id, time);
  return then === now ? [] : [[key, then]];
}

/** Ids of accounts anywhere in a JSON value. */
export function accountsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('acc_') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(accountsIn);
}

/** Returns the keys of everybody in a row: by id, and by id and time in columns that tell of an act. */
export function peopleIn({ columns }: Pick<Section, 'columns'>, row: Row): string[] {
  const acts = columns.flatMap((column) => {
    const time = column.at === undefined ? undefined : valueAt(row, column.at);
    return time === undefined ? [] : accountsIn(valueAt(row, column.field)).map((id) => `${id}@${String(time)}`);
  });
  return [...accountsIn(row), ...acts];
}

/** Returns the name that stands for an account's id; undefined for a text that is no such id. */
export function personIn(people: People, text: string, time?: unknown): string | undefined {
  return people.get(`${text}@${String(time)}`) ?? people.get(text);
}
