/** @jsxRuntime automatic @jsxImportSource preact */
import { may } from '../../commands/roles.ts';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { type FormState, filled } from '../forms.ts';
import { organizationLinks } from '../organization-links.ts';
import type { Page } from '../page.ts';
import { CopyBlock, Facts } from '../pieces.tsx';
import { roleText } from '../roles.ts';
import { get, post, type Route, redirect } from '../visit.ts';
import { type Within, within } from '../within.ts';
import { NAMED } from './organizations.tsx';

/** One organization at a glance. */
export const organizationPage = (context: WebContext): Route[] => [
  get('/organizations/:id', async (visit) => {
    const place = await within(context, visit);
    return page(context, place, filled({ name: place.organization.name }));
  }),
  post('/organizations/:id/name', async (visit) => {
    const place = await within(context, visit, 'renameOrganization');
    const { organization, actor, path } = place;
    const deed = ({ name }: { name: string }) => context.members.rename(organization.id, name, actor);
    const { state } = await attempt(visit.sent, NAMED, deed);
    return state === null ? redirect(path, 'The organization has its new name.') : page(context, place, state);
  }),
];

async function page(context: WebContext, { organization, actor, path }: Within, form: FormState): Promise<Page> {
  const members = await context.members.membersOf(organization.id);
  return {
    title: organization.name,
    section: path,
    organization,
    form,
    body: (
      <>
        <Facts
          facts={[
            ['Your role', roleText(actor.role)],
            ['Members', <a href={`${path}/members`}>{members.length}</a>],
            ['Id', <code>{organization.id}</code>],
          ]}
        />
        <section class="card">
          <h2>Connect an assistant</h2>
          <p>Add this address to an assistant that signs in by itself, and choose this organization when it asks.</p>
          <CopyBlock id="address" text={context.endpoint} />
          <p>
            For all others, <a href="/settings/tokens">make an API token</a>.
          </p>
        </section>
        <section>
          <h2>What you find here</h2>
          <ul>
            {organizationLinks(organization).map(({ href, title, about }) => (
              <li key={href}>
                <a href={href}>{title}</a>: {about}
              </li>
            ))}
          </ul>
        </section>
        {may(actor.role, 'renameOrganization') && <RenameForm path={path} form={form} />}
      </>
    ),
  };
}

function RenameForm({ path, form }: { path: string; form: FormState }) {
  return (
    <section>
      <h2>Name</h2>
      <Form action={`${path}/name`} class="card">
        <FormFault form={form} />
        <TextField form={form} name="name" label="Name of the organization" maxLength={200} />
        <button type="submit">Rename</button>
      </Form>
    </section>
  );
}
