import { logTimeAt } from '../../queries/moments/moment.ts';
import { type MemberNames, readAllMembersOf, readMemberNames } from '../../queries/records/member-names.ts';
import type { ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import type { NamesByKey } from './report-page.ts';

/**
 * Finds people's names for a report. The key is an account id for the name at the report's moment. If the person had
 * another name when they acted, the key for that name is `id@time`. Names change later only when the person is erased.
 */
export class ReportPeople {
  private logTime: Promise<string | null> | undefined;
  private members: Promise<ReadonlySet<string>> | undefined;

  constructor(private readonly context: Pick<ReportContext, 'snapshot' | 'organizationId' | 'moment'>) {}

  /**
   * Returns names by key. An act's name is left out if it equals the one at the report's moment. Only people who were
   * members are named: anybody may write another account's id into a text.
   */
  async namesFor(allKeys: readonly string[]): Promise<Map<string, string>> {
    if (allKeys.length === 0) return new Map();
    const { snapshot, organizationId } = this.context;
    this.members ??= readAllMembersOf(snapshot, organizationId);
    const members = await this.members;
    const keys = allKeys.filter((key) => members.has(accountIdOf(key)));
    this.logTime ??= logTimeAt(this.context);
    const at = await this.logTime;
    const names = await readMemberNames(snapshot, organizationId, keys.map(accountIdOf));
    return new Map([...new Set(keys)].flatMap((key) => nameEntry(names, key, at)));
  }
}

const accountIdOf = (key: string): string => key.split('@')[0]!;

function nameEntry(names: MemberNames, key: string, at: string | null): [string, string][] {
  const [id = '', time] = key.split('@');
  const now = names.of(id, at);
  if (time === undefined) return [[key, now]];
  const then = names.of(id, time);
  return then === now ? [] : [[key, then]];
}

/** Returns the account ids anywhere in a JSON value. */
export function accountIdsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('acc_') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(accountIdsIn);
}

/** Returns the name keys in a row: account ids, and `id@time` in columns with a time of the act. */
export function nameKeysIn({ columns }: Pick<ReportSection, 'columns'>, row: ReportRow): string[] {
  const acts = columns.flatMap((column) => {
    const time = column.timeField === undefined ? undefined : valueAt(row, column.timeField);
    return time === undefined ? [] : accountIdsIn(valueAt(row, column.field)).map((id) => `${id}@${String(time)}`);
  });
  return [...accountIdsIn(row), ...acts];
}

/** Returns the name for an account id, if possible the one at this time. Undefined for any other text. */
export function personName(people: NamesByKey, text: string, time?: unknown): string | undefined {
  const nameThen = time === undefined ? undefined : people.get(`${text}@${String(time)}`);
  return nameThen ?? people.get(text);
}
