import { organizationAddress } from '../../addresses/page-addresses.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { listSource } from '../../queries/lists/list-source.ts';
import { countMatches } from '../../queries/lists/match-records.ts';
import { currentMoment } from '../../queries/moments/moment.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import { readFormerMembers } from '../../queries/records/former-members.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { countText } from '../texts/counts.ts';
import { familyHeading, ORDERED_FAMILIES } from './rail-links.ts';

/** The number of a family's records that one person owns. */
export interface OwnedCount {
  family: FamilyDescription;
  total: number;
}

/** Counts the records that a person owns today, by family. Families without one are left out. */
export async function countOwnedRecords(
  reader: Reader,
  caller: Caller,
  organizationId: string,
  account: string,
): Promise<OwnedCount[]> {
  const snapshot = reader.snapshot();
  const context = { snapshot, organizationId, moment: currentMoment(snapshot) };
  const counts = await Promise.all(
    ORDERED_FAMILIES.map(async (family) => {
      const filter = { owner_id: [account] };
      return { family, total: await countMatches(context, familyQueryOfType(family.type), caller, filter) };
    }),
  );
  return counts.filter(({ total }) => total > 0);
}

/** Counts the records of each person who is no longer a member, by account. */
export async function countRecordsOfFormerMembers(
  reader: Reader,
  caller: Caller,
  organizationId: string,
): Promise<ReadonlyMap<string, number>> {
  const snapshot = reader.snapshot();
  const context = { snapshot, organizationId, moment: currentMoment(snapshot) };
  const owner_id = await readFormerMembers(context);
  const totals = new Map<string, number>();
  for (const { type } of owner_id.length === 0 ? [] : ORDERED_FAMILIES) {
    const source = await listSource(context, familyQueryOfType(type), caller, { owner_id });
    for (const { values, total } of await snapshot.models.count(source, ['owner_id'])) {
      const account = String(values[0]);
      totals.set(account, (totals.get(account) ?? 0) + total);
    }
  }
  return totals;
}

const sumOf = (owned: readonly OwnedCount[]): number => owned.reduce((sum, { total }) => sum + total, 0);

/** Returns `1 record` or `1,234 records`. */
export function ownedTotalText(owned: readonly OwnedCount[]): string {
  const total = sumOf(owned);
  return `${countText(total)} ${total === 1 ? 'record' : 'records'}`;
}

/** Says what a removed member still owns. */
export function stillOwnedText(owned: readonly OwnedCount[]): string {
  const [name, them] = sumOf(owned) === 1 ? ['names', 'it'] : ['name', 'them'];
  return `${ownedTotalText(owned)} still ${name} them as the owner. You can hand ${them} over here.`;
}

/** The numbers of records that a person owns, each with a link to the list of them. */
export function OwnedRecords(props: { owned: readonly OwnedCount[]; organizationId: string; account: string }) {
  return (
    <ul class="plain row">
      {props.owned.map(({ family, total }) => (
        <li key={family.type}>
          <a href={organizationAddress(props.organizationId, `/${family.plural}`, { owner_id: props.account })}>
            {familyHeading(family)}: {countText(total)}
          </a>
        </li>
      ))}
    </ul>
  );
}
