/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { ROLES } from '../../commands/caller.ts';
import { notFound } from '../../http/http-errors.ts';
import type { Account } from '../../identity/account.ts';
import type { Member } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import { confirmFirst } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, SelectField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import { handOverPage } from '../hand-over.tsx';
import type { Page } from '../page.ts';
import { Moment } from '../pieces.tsx';
import { REASON, ReasonField } from '../reason-field.tsx';
import { roleChoices, roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';

const MEMBER = '/organizations/:id/members/:account';
const ROLE = { role: one(z.enum(ROLES, 'Choose a role.')), ...REASON };
const REMOVAL = REASON;

type Which = 'ROLE' | 'REMOVAL' | 'LINK';

/** One member, for an OWNER: another role, a way back in, or removal. */
export const memberPage = (context: WebContext): Route[] => [
  get(MEMBER, async (visit) => page(await find(context, visit), 'ROLE', BLANK)),
  post(`${MEMBER}/role`, async (visit) => {
    const found = await find(context, visit);
    const { organization, path, actor, member } = found;
    const { done, state } = await attempt(visit.sent, ROLE, async ({ role, reason }) => {
      await context.members.changeRole(organization.id, member.account_id, role, actor, reason);
      return role;
    });
    if (state !== null) return page(found, 'ROLE', state);
    return redirect(`${path}/members`, `${member.name} is ${roleName(done)} now.`);
  }),
  post(`${MEMBER}/link`, async (visit) => {
    const found = await find(context, visit);
    confirmFirst(context, visit, found.here);
    const { done, state } = await attempt(visit.sent, {}, () =>
      context.people.accountLinks.create(found.member.account_id, visit.person.account.id),
    );
    if (state !== null) return page(found, 'LINK', state);
    const about = (
      <>
        {found.member.name} opens it to choose {done.record.kind === 'SETUP' && 'an e-mail address and '}a password. It
        works once, until <Moment at={done.record.expires_at} />.
      </>
    );
    const url = `${context.baseUrl}/welcome?key=${done.secret}`;
    return handOverPage(found, { id: 'account-link', url, about });
  }),
  post(`${MEMBER}/remove`, async (visit) => {
    const found = await find(context, visit);
    const { organization, path, actor, member } = found;
    const { state } = await attempt(visit.sent, REMOVAL, ({ reason }) =>
      context.members.remove(organization.id, member.account_id, actor, reason),
    );
    if (state !== null) return page(found, 'REMOVAL', state);
    if (member.account_id === visit.person.account.id)
      return redirect('/organizations', `You left ${organization.name}.`);
    return redirect(`${path}/members`, `${member.name} is no member any more.`);
  }),
];

type Found = Within & {
  member: Member;
  /** This page's address. */
  here: string;
  /** The organization would have no OWNER without them. */
  isOnlyOwner: boolean;
  account: Account;
  /** Why no link can be made for them here; null where one can. */
  linkObstacle: string | null;
};

async function find(context: WebContext, visit: SignedInVisit): Promise<Found> {
  const place = await within(context, visit, 'changeMembers');
  const members = await context.members.membersOf(place.organization.id);
  const member = members.find(({ account_id }) => account_id === visit.params.account);
  const account = member && (await context.people.accounts.get(member.account_id));
  if (!member || !account) throw notFound('There is no such member: look at the list of members.');
  const self = visit.person.account.id;
  return {
    ...place,
    ...{ member, account },
    here: `${place.path}/members/${member.account_id}`,
    isOnlyOwner: member.role === 'OWNER' && members.filter(({ role }) => role === 'OWNER').length === 1,
    linkObstacle: await context.people.accountLinks.obstacle(account, self),
  };
}

/** @param which the form that `form` is of */
function page(found: Found, which: Which, form: FormState): Page {
  const { organization, path, member, isOnlyOwner } = found;
  const of = (one: Which) => (which === one ? form : BLANK);
  return {
    title: member.name,
    section: `${path}/members`,
    organization,
    form,
    body: (
      <>
        <p>
          {roleName(member.role)} of {organization.name}. <a href={`${path}/members`}>All members</a>
        </p>
        {isOnlyOwner ? (
          <section class="card">
            <FormFault form={which === 'LINK' ? BLANK : form} />
            <p>
              {member.name} is the only owner of {organization.name}. To change the role or remove {member.name}, make
              another member owner first.
            </p>
          </section>
        ) : (
          <RoleCard found={found} form={of('ROLE')} />
        )}
        <LinkCard found={found} form={of('LINK')} />
        {!isOnlyOwner && <RemovalCard found={found} form={of('REMOVAL')} />}
      </>
    ),
  };
}

interface CardProps {
  found: Found;
  form: FormState;
}

function RoleCard({ found: { here, member }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="role-title">
      <h2 id="role-title">Another role</h2>
      <Form action={`${here}/role`}>
        <FormFault form={form} />
        <SelectField form={form} name="role" label="Role" choices={roleChoices('OWNER')} value={member.role} />
        <ReasonField form={form} id="role-reason" />
        <button type="submit">Change the role</button>
      </Form>
    </section>
  );
}

function LinkCard({ found: { here, member, account, linkObstacle }, form }: CardProps) {
  const isSetUp = account.email !== null;
  return (
    <section class="card" aria-labelledby="link-title">
      <h2 id="link-title">{isSetUp ? 'Forgotten password' : 'First sign-in'}</h2>
      {linkObstacle !== null ? (
        <>
          <FormFault form={form} />
          <p>{linkObstacle}</p>
        </>
      ) : (
        <Form action={`${here}/link`}>
          <FormFault form={form} />
          {isSetUp ? (
            <p>
              Create a link by which {member.name} chooses a new password. It works once, for an hour, and signs them
              out everywhere else. A second factor is still asked for.
            </p>
          ) : (
            <p>
              {member.name} has no way to sign in yet. Create a link by which they choose an e-mail address and a
              password. It works once, for a day.
            </p>
          )}
          <p>No e-mail is sent: you hand it over yourself. The access log keeps that you created it.</p>
          <button type="submit">Create a link</button>
        </Form>
      )}
    </section>
  );
}

function RemovalCard({ found: { here, member, organization }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="removal-title">
      <h2 id="removal-title">Remove</h2>
      <p>
        {member.name} loses access at once, with every token and assistant that reaches {organization.name}. What they
        did stays in the history.
      </p>
      <Form action={`${here}/remove`}>
        <FormFault form={form} />
        <ReasonField form={form} id="removal-reason" />
        <button type="submit" class="danger">
          Remove {member.name}
        </button>
      </Form>
    </section>
  );
}
