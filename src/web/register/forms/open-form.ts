import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { Caller } from '../../../commands/organization/caller.ts';
import type { Permission } from '../../../commands/organization/permissions.ts';
import type { WebContext } from '../../server/context.ts';
import type { SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import type { FormField } from './form-fields.ts';

/** The parameter, and the field, with the page to come back to. */
export const BACK = 'back';

export type FormCollaborators = Pick<WebContext, 'members' | 'reader' | 'scanReaderOf' | 'tools'>;

/** The organization in which a form changes something, always today. */
export interface FormView {
  organization: MembershipContext['organization'];
  caller: Caller;
  path: string;
  /** The page from which the form was opened, as its address says; null if it doesn't. */
  back: string | null;
  /** Returns the ids that the form sent in a field, and those in the address. */
  namedIds(field: string): readonly string[];
}

/**
 * Opens a form that needs this permission.
 * @throws HttpError 404 if the person is not a member; Refusal forbidden if their role doesn't have the permission
 */
export async function openForm(
  context: FormCollaborators,
  request: SignedInRequest,
  permission: Permission,
): Promise<FormView> {
  const { organization } = await requireMembership(context, request, permission);
  const caller = await context.members.callerOf(request.person.account.id);
  const { formValues, query, ctx } = request;
  const namedIds = (field: string) => [...(formValues.get(field) ?? []), ...query.getAll(field)];
  return { organization, caller, path: ctx.path, back: query.get(BACK), namedIds };
}

/** Returns fields of which those that take a record's number or name suggest some while it is typed. */
export function withSuggestions(
  fields: readonly FormField[],
  { organization }: FormView,
  recordField?: string,
): FormField[] {
  const suggestFrom = organizationAddress(organization.id, '/search');
  return fields.map((input) =>
    input.field.kind === 'ids' || input.name === recordField ? { ...input, suggestFrom } : input,
  );
}

/** Returns the address of a record's page. */
export function recordPageAddress(
  { organization }: Pick<FormView, 'organization'>,
  { plural }: { plural: string },
  id: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return organizationAddress(organization.id, `/${plural}/${id}`, parameters);
}
