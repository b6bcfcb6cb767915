import { type AddressParameters, organizationAddress } from '../../addresses/page-addresses.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { type Permission, roleAllows } from '../../commands/organization/permissions.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import type { WebContext } from '../server/context.ts';
import { RefusedPage, type SignedInRequest } from '../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../server/require-membership.ts';
import { readCompletedAudits } from './moments/completed-audits.ts';
import type { MomentChoice } from './moments/moment-choice.ts';
import { refusedMomentPage } from './moments/refused-moment.tsx';
import { readPastMoment } from './page-moment.ts';

export type RegisterCollaborators = Pick<WebContext, 'members' | 'reader' | 'scanReaderOf'>;

/** The register as one page shows it: an organization at one moment, read by one member. */
export interface RegisterView extends MomentChoice {
  organization: MembershipContext['organization'];
  missingFactorFrom: MembershipContext['missingFactorFrom'];
  caller: Caller;
  snapshot: Snapshot;
}

/**
 * Opens the register that a page's path and `as_of` name.
 * @throws HttpError 404 if the person is not a member; RefusedPage for a moment that can't be read
 */
export async function openRegister(context: RegisterCollaborators, request: SignedInRequest): Promise<RegisterView> {
  const { organization, missingFactorFrom } = await requireMembership(context, request);
  const caller = await context.members.callerOf(request.person.account.id);
  const snapshot = context.reader.snapshot();
  const view: RegisterView = {
    organization,
    missingFactorFrom,
    caller,
    snapshot,
    past: null,
    path: request.ctx.path,
    query: request.query,
    today: snapshot.today(),
    audits: await readCompletedAudits(context.reader, caller, organization.id),
  };
  const asOf = request.query.get('as_of');
  try {
    return { ...view, past: await readPastMoment(snapshot, organization.id, asOf) };
  } catch (thrown) {
    const page = refusedMomentPage(view, organization, asOf ?? '', thrown);
    throw page === null ? thrown : new RefusedPage(page);
  }
}

/** Returns true if the page may offer what needs a permission. It shows today, and the reader's role has the permission. */
export function mayChange(
  { past, organization }: Pick<RegisterView, 'past' | 'organization'>,
  permission: Permission,
): boolean {
  return past === null && roleAllows(organization.role, permission);
}

/** Returns the address of another page of the register at the same moment. @param page its path below the organization's */
export function registerAddress(
  { organization, past }: Pick<RegisterView, 'organization' | 'past'>,
  page: string,
  parameters: AddressParameters = {},
): string {
  return organizationAddress(organization.id, page, { as_of: past?.asOf, ...parameters });
}

/** Returns the input `as_of` of queries, if the page shows a past moment. */
export function asOfInput({ past }: Pick<RegisterView, 'past'>): { as_of?: string } {
  return past === null ? {} : { as_of: past.asOf };
}
