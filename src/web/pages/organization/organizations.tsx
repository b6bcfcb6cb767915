import { z } from 'zod';
import { MAX_OWNED_ORGANIZATIONS, type Membership } from '../../../identity/memberships/members.ts';
import { Table } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { type FormState, singleField } from '../../server/form-state.ts';
import { actorOf, get, post, type Route, redirect } from '../../server/page-request.ts';
import { formFromQuery, requireReauthenticationFor } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeRole, roleName } from '../../texts/role-labels.ts';

const PATH = '/organizations';
export const NAME_FIELDS = { name: singleField(z.string().trim().min(1, 'Enter a name for the organization.')) };
const FIELD_NAMES = Object.keys(NAME_FIELDS);

/** A person's organizations, and a form to create another. */
export const organizationsPage = ({ members }: Pick<WebContext, 'members'>): Route[] => [
  get(PATH, async (request) =>
    page(await members.organizationsOf(request.person.account.id), formFromQuery(request, FIELD_NAMES)),
  ),
  post(PATH, async (request) => {
    requireReauthenticationFor('createOrganizations', request, PATH, FIELD_NAMES);
    const { id } = request.person.account;
    const { result, form } = await submitForm(request.formValues, NAME_FIELDS, ({ name }) =>
      members.createOrganization(name, id, actorOf(request)),
    );
    if (form !== null) return page(await members.organizationsOf(id), form);
    return redirect(`${PATH}/${result.id}`, `${result.name} created. You are the owner.`);
  }),
];

function page(organizations: readonly Membership[], form: FormState): WebPage {
  const owned = organizations.filter(({ role }) => role === 'OWNER').length;
  return {
    title: 'Organizations',
    section: PATH,
    form,
    body: (
      <>
        {organizations.length === 0 ? (
          <p>
            You are not a member of any organization. Ask an owner for an invitation link and open it in this browser.
          </p>
        ) : (
          <Table
            caption="Your organizations"
            head={['Name', 'Your role']}
            rows={organizations.map(({ id, name, role }) => ({
              key: id,
              cells: [<a href={`${PATH}/${id}`}>{name}</a>, <span title={describeRole(role)}>{roleName(role)}</span>],
            }))}
          />
        )}
        {owned > 0 && owned < MAX_OWNED_ORGANIZATIONS ? <CreateForm form={form} /> : <FormError form={form} />}
      </>
    ),
  };
}

function CreateForm({ form }: { form: FormState }) {
  return (
    <section>
      <h2>Create another organization</h2>
      <p>
        Each organization has its own register, members and history. If parts of a company are audited separately,
        create one for each.
      </p>
      <Form action={PATH} class="card">
        <FormError form={form} />
        <TextField form={form} name="name" label="Name" maxLength={200} />
        <button type="submit">Create</button>
      </Form>
    </section>
  );
}
