import { allMembersOf } from '../commands/organization/organization-members.ts';
import { memberRole, type OrganizationState } from '../commands/organization/organization-state.ts';
import type { ReadModels } from '../stores/read-store.ts';
import type { Row, RowChange } from '../stores/reporting-store.ts';

/** Reads the current names of accounts, without erased ones. */
export type ReadNames = (accountIds: ReadonlySet<string>) => Promise<readonly { account_id: string; name: string }[]>;

/** Returns the rows of all people of these organizations. */
export async function readPeople(
  models: Pick<ReadModels, 'get'>,
  organizationIds: readonly string[],
  readNames: ReadNames,
  now: string,
): Promise<Row[]> {
  const people: Row[] = [];
  for (const { id: organization_id, doc } of await models.get('organizations', organizationIds)) {
    const state = { members: {}, membership_ends: {}, former: {}, ...doc } as unknown as OrganizationState;
    for (const { account_id: id, name } of await readNames(allMembersOf(state)))
      people.push({ organization_id, id, display_name: name, present: memberRole(state, id, now) !== null });
  }
  return people;
}

/** Returns the changes that turn some people's rows into others. */
export function peopleChanges(before: readonly Row[], after: readonly Row[]): RowChange[] {
  const keyOf = ({ organization_id, id }: Row) => `${organization_id} ${id}`;
  const isSame = (a: Row | undefined, b: Row) => a?.display_name === b.display_name && a?.present === b.present;
  const [rowsBefore, rowsAfter] = [before, after].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
  return [
    ...before.filter((row) => !rowsAfter!.has(keyOf(row))).map((remove) => ({ remove })),
    ...after.filter((row) => !isSame(rowsBefore!.get(keyOf(row)), row)).map((put) => ({ put })),
  ];
}
