/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { DOMAIN_ROLES } from '../../commands/organization-members.ts';
import { type Domain, MOST_DOMAINS } from '../../identity/domains.ts';
import { doThere } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { SelectField } from '../fields.tsx';
import { BLANK, hidden, one } from '../forms.ts';
import { Table } from '../pieces.tsx';
import { roleChoices, roleName } from '../roles.ts';
import { post, type Route } from '../visit.ts';
import { within } from '../within.ts';

const DOMAINS = '/organizations/:id/members/domains';
const ADMITTED = {
  domain: one(z.string().trim().min(1, 'Give a domain.')),
  domain_role: one(z.enum(DOMAIN_ROLES, 'Choose a role.')),
};
const WITHDRAWN = { domain: hidden() };

/** Whose people become members when they sign in by the OpenID provider. */
export const domainPages = (context: WebContext): Route[] => [
  post(DOMAINS, async (visit) => {
    const { organization, path, actor } = await within(context, visit, 'changeMembers');
    const done = 'People of this domain are let in from now on.';
    return doThere(`${path}/members`, done, visit.sent, ADMITTED, ({ domain, domain_role }) =>
      context.members.domains.admit(organization.id, domain, domain_role, actor),
    );
  }),
  post(`${DOMAINS}/withdraw`, async (visit) => {
    const { organization, path, actor } = await within(context, visit, 'changeMembers');
    const done = 'Nobody else is let in by that domain. Those who came stay.';
    return doThere(`${path}/members`, done, visit.sent, WITHDRAWN, ({ domain }) =>
      context.members.domains.withdraw(organization.id, domain, actor),
    );
  }),
];

/** @param props.vouched the domain of the reader's own address, as the provider vouches for it: they can let in no other */
export function DomainsPart(props: { path: string; domains: readonly Domain[]; vouched: string | null }) {
  const { path, domains, vouched } = props;
  const isFull = domains.length >= MOST_DOMAINS && !domains.some(({ domain }) => domain === vouched);
  const rows = domains.map(({ domain, role }) => ({
    key: domain,
    cells: [
      domain,
      roleName(role),
      <Form key="withdraw" action={`${path}/members/domains/withdraw`}>
        <input type="hidden" name="domain" value={domain} />
        <button type="submit" class="danger" aria-label={`Withdraw ${domain}`}>
          Withdraw
        </button>
      </Form>,
    ],
  }));
  return (
    <section class="card" aria-labelledby="domains-title">
      <h2 id="domains-title">Domains</h2>
      <p>
        Whoever signs in by the OpenID provider with a verified address of one of these domains becomes a member by
        themselves. An OWNER lets in the domain of the address that they have there themselves.
      </p>
      {domains.length > 0 && <Table caption="Domains let in" head={['Domain', 'Role', 'Withdraw']} rows={rows} />}
      {vouched !== null && !isFull && (
        <Form action={`${path}/members/domains`}>
          <input type="hidden" name="domain" value={vouched} />
          <SelectField
            form={BLANK}
            name="domain_role"
            label={`Role of those who come by ${vouched}`}
            choices={roleChoices('ADMIN')}
            value="VIEWER"
          />
          <button type="submit">Let {vouched} in</button>
        </Form>
      )}
      {vouched === null && (
        <p>To let in the domain of your own address, first connect the provider under Settings, Security.</p>
      )}
      {vouched !== null && isFull && <p>These are {MOST_DOMAINS}, the most that there can be. Withdraw one first.</p>}
    </section>
  );
}
