/** @jsxRuntime automatic @jsxImportSource preact */
import { may } from '../../commands/roles.ts';
import { attempt } from '../attempt.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { type FormState, filled } from '../forms.ts';
import { organizationLinks } from '../organization-links.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { CopyBlock, Facts } from '../pieces.tsx';
import { roleText } from '../roles.ts';
import { get, post, type Route, redirect } from '../visit.ts';
import { type Within, within } from '../within.ts';
import { NAMED } from './organizations.tsx';

/** One organization at a glance. */
export const organizationPage = (parts: WebParts): Route[] => [
  get('/organizations/:id', async (visit) => {
    const place = await within(parts, visit);
    return page(parts, place, filled({ name: place.organization.name }));
  }),
  post('/organizations/:id/name', async (visit) => {
    const place = await within(parts, visit, 'renameOrganization');
    const { organization, actor, path } = place;
    const deed = ({ name }: { name: string }) => parts.members.rename(organization.id, name, actor);
    const { state } = await attempt(visit.sent, NAMED, deed);
    return state === null ? redirect(path, 'The organization has its new name.') : page(parts, place, state);
  }),
];

async function page(parts: WebParts, { organization, actor, path }: Within, form: FormState): Promise<Page> {
  const members = await parts.members.membersOf(organization.id);
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
          <CopyBlock id="address" text={parts.endpoint} />
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
