import type { Caller, Role } from '../../commands/organization/caller.ts';
import { memberRole } from '../../commands/organization/organization-state.ts';
import { hasPermission, TOOL_PERMISSIONS } from '../../commands/organization/permissions.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import type { Reader, Snapshot } from '../moments/snapshot.ts';
import { readMemberNames } from '../records/member-names.ts';
import { readCursor, writeCursor } from './cursor.ts';

export interface ListOrganizationsInput {
  size: number;
  cursor?: string | undefined;
  include_members: boolean;
}

interface OrganizationDocument {
  id: string;
  name: string;
  created_at: string;
  members: Record<string, Role>;
  membership_ends: Record<string, string>;
}

/** Lists the organizations that a credential can access, by name, with its role there and what it may do. */
export async function listOrganizations(
  reader: Reader,
  caller: Caller,
  input: ListOrganizationsInput,
): Promise<object> {
  const snapshot = reader.snapshot();
  const boundTo = ['listOrganizations', caller.account_id];
  const after = input.cursor === undefined ? null : readCursor(snapshot.cursorKey, boundTo, input.cursor);
  const documents = await readOrganizations(snapshot, caller.roles);
  const remaining =
    after === null
      ? documents
      : documents.filter((other) => byNameThenId({ name: String(after.key), id: after.id }, other) < 0);
  const page = remaining.slice(0, input.size);
  const organizations = await Promise.all(
    page.map((document) => presentOrganization(snapshot, caller, document, input.include_members)),
  );
  const last = page.at(-1);
  if (last === undefined || remaining.length <= page.length) return { organizations };
  const nextCursor = { isKeyEmpty: false, key: last.name, id: last.id, today: '', position: null };
  return { organizations, next_cursor: writeCursor(snapshot.cursorKey, boundTo, nextCursor) };
}

/** Returns the organizations that a credential reaches, by name. */
export async function readOrganizationNames(
  reader: Reader,
  { roles }: Caller,
): Promise<Pick<OrganizationDocument, 'id' | 'name'>[]> {
  return (await readOrganizations(reader.snapshot(), roles)).map(({ id, name }) => ({ id, name }));
}

/** Reads organizations by name. A credential can access few, so they are sorted here: the store can't sort across them. */
async function readOrganizations({ models }: Snapshot, roles: Caller['roles']): Promise<OrganizationDocument[]> {
  const rows = await models.get('organizations', [...roles.keys()]);
  return rows.map(({ doc }) => doc as unknown as OrganizationDocument).sort(byNameThenId);
}

function byNameThenId(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return compare(textKey(a.name) ?? '', textKey(b.name) ?? '') || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

async function presentOrganization(
  snapshot: Snapshot,
  caller: Caller,
  document: OrganizationDocument,
  withMembers: boolean,
) {
  const { id, name, created_at } = document;
  const organization = {
    id,
    name,
    role: caller.roles.get(id)!,
    read_only: !hasPermission(caller, id, 'changeRecords'),
    permissions: Object.entries(TOOL_PERMISSIONS).flatMap(([word, one]) =>
      hasPermission(caller, id, one) ? word : [],
    ),
    ...(caller.autonomy?.has(id) ? { autonomy: caller.autonomy.get(id) } : {}),
    account_id: caller.account_id,
    created_at,
  };
  if (!withMembers) return organization;
  const now = snapshot.now().toISOString();
  const currentMembers = Object.entries(document.members).filter(([account]) => memberRole(document, account, now));
  const names = await readMemberNames(
    snapshot,
    id,
    currentMembers.map(([account]) => account),
  );
  const members = currentMembers.map(([account, role]) => ({ id: account, name: names.of(account), role }));
  return { ...organization, members };
}
