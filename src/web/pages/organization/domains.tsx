import { z } from 'zod';
import { DOMAIN_ROLES } from '../../../commands/organization/organization-members.ts';
import { type Domain, MAX_DOMAINS } from '../../../identity/memberships/domains.ts';
import { Table } from '../../components/components.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { type FormState, hiddenField, singleField } from '../../server/form-state.ts';
import { post, type Route, redirect } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';
import { withFormInput } from '../../server/require-reauthentication.ts';
import { redirectWithErrors, submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import { roleChoices, roleName } from '../../texts/role-labels.ts';

const DOMAINS = '/organizations/:id/members/domains';
const DOMAIN_FIELDS = {
  domain: singleField(z.string().trim().min(1, 'Enter a domain.')),
  domain_role: singleField(z.enum(DOMAIN_ROLES, 'Choose a role.')),
};
/** The fields that keep their input. */
export const DOMAIN_FORM_FIELDS = ['domain_role'];
const FORM = { page: '/members', fields: DOMAIN_FORM_FIELDS };
const WITHDRAW_FIELDS = { domain: hiddenField() };

/** Domains whose people become members when they sign in with the OpenID provider. */
export const domainPages = (context: Pick<WebContext, 'members'>): Route[] => [
  post(DOMAINS, async (request) => {
    const { organization, path, actor } = await requireMembership(context, request, 'changeMembers', FORM);
    const result = 'Domain added. People with an address of this domain can now join.';
    const { form } = await submitForm(request.formValues, DOMAIN_FIELDS, ({ domain, domain_role }) =>
      context.members.domains.admit(organization.id, domain, domain_role, actor),
    );
    if (form === null) return redirect(`${path}/members`, result);
    return redirectWithErrors(withFormInput(request, `${path}/members`, DOMAIN_FORM_FIELDS), form);
  }),
  post(`${DOMAINS}/withdraw`, async (request) => {
    const { organization, path, actor } = await requireMembership(context, request, 'changeMembers', FORM);
    const result = 'Domain removed. Nobody else can join by it; existing members stay.';
    return submitAndRedirect(`${path}/members`, result, request.formValues, WITHDRAW_FIELDS, ({ domain }) =>
      context.members.domains.withdraw(organization.id, domain, actor),
    );
  }),
];

/** @param props.vouched the domain of the person's own address, verified by the provider: the only one that they can add */
export function DomainsPart(props: {
  path: string;
  domains: readonly Domain[];
  vouched: string | null;
  form: FormState;
}) {
  const { path, domains, vouched: vouchedDomain, form } = props;
  const isFull = domains.length >= MAX_DOMAINS && !domains.some(({ domain }) => domain === vouchedDomain);
  const rows = domains.map(({ domain, role }) => ({
    key: domain,
    cells: [
      domain,
      roleName(role),
      <Form key="withdraw" action={`${path}/members/domains/withdraw`}>
        <input type="hidden" name="domain" value={domain} />
        <button type="submit" class="danger" aria-label={`Remove ${domain}`}>
          Remove
        </button>
      </Form>,
    ],
  }));
  return (
    <section class="card" aria-labelledby="domains-title">
      <h2 id="domains-title">Domains</h2>
      <p>
        People who sign in with the OpenID provider and have a verified address of one of these domains become members
        automatically. An owner can add the domain of their own address.
      </p>
      {domains.length > 0 && (
        <Table caption="Domains whose people can join" head={['Domain', 'Role', 'Remove']} rows={rows} />
      )}
      {vouchedDomain !== null && !isFull && (
        <Form action={`${path}/members/domains`}>
          <input type="hidden" name="domain" value={vouchedDomain} />
          <SelectField
            form={form}
            name="domain_role"
            label={`Role for people from ${vouchedDomain}`}
            choices={roleChoices('ADMIN')}
            prompt="Choose a role"
          />
          <button type="submit">Add {vouchedDomain}</button>
        </Form>
      )}
      {vouchedDomain === null && (
        <p>To add the domain of your own address, first connect the provider under Your account → Security.</p>
      )}
      {vouchedDomain !== null && isFull && (
        <p>You have the maximum of {MAX_DOMAINS} domains. Remove one to add another.</p>
      )}
    </section>
  );
}
