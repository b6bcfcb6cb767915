/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { ROLES } from '../../commands/caller.ts';
import { notFound } from '../../http/errors.ts';
import type { Member } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import { Form } from '../context.tsx';
import { FormFault, SelectField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { REASON, ReasonField } from '../reason-field.tsx';
import { roleChoices, roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';

const MEMBER = '/organizations/:id/members/:account';
const ROLE = { role: one(z.enum(ROLES, 'Choose a role.')), ...REASON };
const REMOVAL = REASON;

type Which = 'ROLE' | 'REMOVAL';

/** One member, for an OWNER: another role, or none. */
export const memberPage = (parts: WebParts): Route[] => [
  get(MEMBER, async (visit) => page(await find(parts, visit), 'ROLE', BLANK)),
  post(`${MEMBER}/role`, async (visit) => {
    const found = await find(parts, visit);
    const { organization, path, actor, member } = found;
    const { done, state } = await attempt(visit.sent, ROLE, async ({ role, reason }) => {
      await parts.members.changeRole(organization.id, member.account_id, role, actor, reason);
      return role;
    });
    if (state !== null) return page(found, 'ROLE', state);
    return redirect(`${path}/members`, `${member.name} is ${roleName(done)} now.`);
  }),
  post(`${MEMBER}/remove`, async (visit) => {
    const found = await find(parts, visit);
    const { organization, path, actor, member } = found;
    const { state } = await attempt(visit.sent, REMOVAL, ({ reason }) =>
      parts.members.remove(organization.id, member.account_id, actor, reason),
    );
    if (state !== null) return page(found, 'REMOVAL', state);
    if (member.account_id === visit.person.account.id)
      return redirect('/organizations', `You left ${organization.name}.`);
    return redirect(`${path}/members`, `${member.name} is no member any more.`);
  }),
];

type Found = Within & { member: Member };

async function find(parts: WebParts, visit: SignedInVisit): Promise<Found> {
  const place = await within(parts, visit, 'changeMembers');
  const members = await parts.members.membersOf(place.organization.id);
  const member = members.find(({ account_id }) => account_id === visit.params.account);
  if (member === undefined) throw notFound('There is no such member: look at the list of members.');
  return { ...place, member };
}

/** @param which the form that `form` is of */
function page({ organization, path, member }: Found, which: Which, form: FormState): Page {
  const here = `${path}/members/${member.account_id}`;
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
        <section class="card" aria-labelledby="role-title">
          <h2 id="role-title">Another role</h2>
          <Form action={`${here}/role`}>
            <FormFault form={of('ROLE')} />
            <SelectField
              form={of('ROLE')}
              name="role"
              label="Role"
              choices={roleChoices('OWNER')}
              value={member.role}
            />
            <ReasonField form={of('ROLE')} id="role-reason" />
            <button type="submit">Change the role</button>
          </Form>
        </section>
        <section class="card" aria-labelledby="removal-title">
          <h2 id="removal-title">Remove</h2>
          <p>
            {member.name} loses access at once, with every token and assistant that reaches {organization.name}. What
            they did stays in the history.
          </p>
          <Form action={`${here}/remove`}>
            <FormFault form={of('REMOVAL')} />
            <ReasonField form={of('REMOVAL')} id="removal-reason" />
            <button type="submit" class="danger">
              Remove {member.name}
            </button>
          </Form>
        </section>
      </>
    ),
  };
}
