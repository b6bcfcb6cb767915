/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { Membership } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, checkForm, type FormState, one } from '../forms.ts';
import { again, type Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { Table } from '../pieces.tsx';
import { roleName, roleText } from '../roles.ts';
import { get, post, type Route, redirect } from '../visit.ts';

const PATH = '/organizations';
const FORM = { name: one(z.string().trim().min(1, 'Give the organization a name.')) };

/** One's organizations, and beginning another. */
export const organizationsPage = ({ members }: WebParts): Route[] => [
  get(PATH, async ({ person }) => page(await members.organizationsOf(person.account.id), BLANK)),
  post(PATH, async ({ person, sent }) => {
    const { id } = person.account;
    const { value, state } = checkForm(FORM, sent);
    if (value === null) return again(page(await members.organizationsOf(id), state));
    const tried = await attempt(sent, ['name'], () => members.createOrganization(value.name, id));
    if (tried.state !== null) return again(page(await members.organizationsOf(id), tried.state));
    return redirect(`${PATH}/${tried.done.id}`, `${tried.done.name} is begun, and you are its owner.`);
  }),
];

function page(organizations: readonly Membership[], form: FormState): Page {
  return {
    title: 'Organizations',
    section: PATH,
    body: (
      <>
        {organizations.length === 0 ? (
          <p>You are a member of none. Ask an owner of yours for an invitation link, and open it in this browser.</p>
        ) : (
          <Table
            caption="Organizations that you are a member of"
            head={['Name', 'Your role']}
            rows={organizations.map(({ id, name, role }) => ({
              key: id,
              cells: [<a href={`${PATH}/${id}`}>{name}</a>, <span title={roleText(role)}>{roleName(role)}</span>],
            }))}
          />
        )}
        {organizations.some(({ role }) => role === 'OWNER') ? <BeginForm form={form} /> : <FormFault form={form} />}
      </>
    ),
  };
}

function BeginForm({ form }: { form: FormState }) {
  return (
    <section>
      <h2>Begin another organization</h2>
      <p>It has a register, members and a history of its own. A company with separate audits needs one for each.</p>
      <Form action={PATH} class="card">
        <FormFault form={form} />
        <TextField form={form} name="name" label="Name" maxLength={200} />
        <button type="submit">Begin it</button>
      </Form>
    </section>
  );
}
