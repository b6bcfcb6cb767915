/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { type Membership, MOST_OWNED } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import type { Page } from '../page.ts';
import { Table } from '../pieces.tsx';
import { roleName, roleText } from '../roles.ts';
import { get, post, type Route, redirect } from '../visit.ts';

const PATH = '/organizations';
export const NAMED = { name: one(z.string().trim().min(1, 'Give the organization a name.')) };

/** One's organizations, and beginning another. */
export const organizationsPage = ({ members }: WebContext): Route[] => [
  get(PATH, async ({ person }) => page(await members.organizationsOf(person.account.id), BLANK)),
  post(PATH, async ({ person, sent }) => {
    const { id } = person.account;
    const { done, state } = await attempt(sent, NAMED, ({ name }) => members.createOrganization(name, id));
    if (state !== null) return page(await members.organizationsOf(id), state);
    return redirect(`${PATH}/${done.id}`, `${done.name} is begun, and you are its owner.`);
  }),
];

function page(organizations: readonly Membership[], form: FormState): Page {
  const owned = organizations.filter(({ role }) => role === 'OWNER').length;
  return {
    title: 'Organizations',
    section: PATH,
    form,
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
        {owned > 0 && owned < MOST_OWNED ? <BeginForm form={form} /> : <FormFault form={form} />}
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
