import { instantOf } from '../../commands/engine/dates.ts';
import { logTimeOfMoment } from '../../queries/moments/moment.ts';
import {
  isImportedName,
  type MemberNames,
  readAllMembersOf,
  readMemberNames,
} from '../../queries/records/member-names.ts';
import type { ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';

/**
 * Finds people's names for a report. The key is an account id for the name at the report's moment. If the person had
 * another name when they acted, the key for that name is `id@time`. A name at a past time changes only when the person
 * is erased.
 */
export class ReportPeople {
  private logTime: Promise<string | null> | undefined;
  private members: Promise<ReadonlySet<string>> | undefined;

  constructor(private readonly context: Pick<ReportContext, 'snapshot' | 'organizationId' | 'moment'>) {}

  /**
   * Returns names by key. A key with a time is left out if the name was the same at the report's moment. Only present
   * and former members are named, because anybody can write another account's id into a text.
   */
  async namesFor(allKeys: readonly string[]): Promise<Map<string, string>> {
    if (allKeys.length === 0) return new Map();
    const { snapshot, organizationId } = this.context;
    this.members ??= readAllMembersOf(snapshot, organizationId);
    const members = await this.members;
    const keys = allKeys.filter((key) => members.has(accountIdOf(key)) || isImportedName(key));
    this.logTime ??= logTimeOfMoment(this.context);
    const at = await this.logTime;
    const names = await readMemberNames(snapshot, organizationId, keys.map(accountIdOf));
    return new Map([...new Set(keys)].flatMap((key) => nameEntry(names, key, at)));
  }
}

const accountIdOf = (key: string): string => key.split('@')[0]!;

function nameEntry(names: MemberNames, key: string, at: string | null): [string, string][] {
  const [id = '', time] = key.split('@');
  const nameAtMoment = names.of(id, at);
  if (time === undefined) return [[key, nameAtMoment]];
  const nameAtAct = names.of(id, instantOf(time));
  return nameAtAct === nameAtMoment ? [] : [[key, nameAtAct]];
}

/** Returns the ids of accounts, and of names from imported files, anywhere in a JSON value. */
export function accountIdsIn(value: unknown): string[] {
  const ids: string[] = [];
  addAccountIds(value, ids);
  return ids;
}

function addAccountIds(value: unknown, ids: string[]): void {
  if (typeof value === 'string') {
    if (value.startsWith('acc_') || isImportedName(value)) ids.push(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const name in value) addAccountIds(value[name as keyof typeof value], ids);
}

/** Returns the name keys in a row: every account id, and `id@time` for columns that know when the person acted. */
export function nameKeysIn({ columns }: Pick<ReportSection, 'columns'>, row: ReportRow): string[] {
  const keys = accountIdsIn(row);
  for (const { field, timeField } of columns) {
    const time = timeField === undefined ? undefined : valueAt(row, timeField);
    if (time === undefined) continue;
    for (const id of accountIdsIn(valueAt(row, field))) keys.push(`${id}@${String(time)}`);
  }
  return keys;
}
