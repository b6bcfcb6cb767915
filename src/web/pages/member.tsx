/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { ROLES } from '../../commands/caller.ts';
import { notFound } from '../../http/errors.ts';
import type { Member } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import { Form } from '../context.tsx';
import { FormFault, SelectField, TextField } from '../fields.tsx';
import { BLANK, checkForm, type FormState, one } from '../forms.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { roleChoices, roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';

const MEMBER = '/organizations/:id/members/:account';
const MOST_REASON = 2_000;
const reason = one(z.string().trim().max(MOST_REASON, `Keep the reason within ${MOST_REASON} characters.`));
const ROLE = { role: one(z.enum(ROLES, 'Choose a role.')), reason };
const REMOVAL = { reason };

type Which = 'ROLE' | 'REMOVAL';

/** One member, for an OWNER: another role, or none. */
export const memberPage = (parts: WebParts): Route[] => [
  get(MEMBER, async (visit) => page(await find(parts, visit), 'ROLE', BLANK)),
  post(`${MEMBER}/role`, async (visit) => {
    const found = await find(parts, visit);
    const { organization, path, actor, member } = found;
    const { value, state } = checkForm(ROLE, visit.sent);
    if (value === null) return page(found, 'ROLE', state);
    const change = () =>
      parts.members.changeRole(organization.id, member.account_id, value.role, actor, value.reason || undefined);
    const tried = await attempt(visit.sent, ['role', 'reason'], change);
    if (tried.state !== null) return page(found, 'ROLE', tried.state);
    return redirect(`${path}/members`, `${member.name} is ${roleName(value.role)} now.`);
  }),
  post(`${MEMBER}/remove`, async (visit) => {
    const found = await find(parts, visit);
    const { organization, path, actor, member } = found;
    const { value, state } = checkForm(REMOVAL, visit.sent);
    if (value === null) return page(found, 'REMOVAL', state);
    const remove = () => parts.members.remove(organization.id, member.account_id, actor, value.reason || undefined);
    const tried = await attempt(visit.sent, ['reason'], remove);
    if (tried.state !== null) return page(found, 'REMOVAL', tried.state);
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
    status: form === BLANK ? 200 : 400,
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
            <Reason form={of('ROLE')} id="role-reason" />
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
            <Reason form={of('REMOVAL')} id="removal-reason" />
            <button type="submit" class="danger">
              Remove {member.name}
            </button>
          </Form>
        </section>
      </>
    ),
  };
}

function Reason({ form, id }: { form: FormState; id: string }) {
  return (
    <TextField
      form={form}
      name="reason"
      id={id}
      label="Reason"
      hint="Kept in the history. May be left empty."
      maxLength={MOST_REASON}
      required={false}
    />
  );
}
