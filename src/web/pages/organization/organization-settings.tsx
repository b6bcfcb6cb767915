import { dateOf } from '../../../commands/engine/dates.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { Facts } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { type FormState, filledForm } from '../../server/form-state.ts';
import { settingsLinks } from '../../server/organization-links.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import { formFromQuery } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeRole } from '../../texts/role-labels.ts';
import { APPROVAL_FORM_FIELDS, ApprovalPart, ApprovalText, approvalSetting } from './approval-setting.tsx';
import { NAME_FIELDS } from './organizations.tsx';
import {
  SECOND_FACTOR_FORM_FIELDS,
  SecondFactorPart,
  SecondFactorText,
  secondFactorSetting,
} from './second-factor-setting.tsx';

type Collaborators = Pick<WebContext, 'members' | 'proposals' | 'now'>;

const RENAME_FORM = { page: '/settings', fields: Object.keys(NAME_FIELDS) };

/** An organization's settings: its name, its id, and cards that lead to the other settings. */
export const organizationSettingsPage = (context: Collaborators): Route[] => [
  get('/organizations/:id/settings', async (request) => {
    const membership = await requireMembership(context, request);
    const [name = membership.organization.name] = formFromQuery(request, RENAME_FORM.fields).values.get('name') ?? [];
    return page(context, request, membership, filledForm({ name }));
  }),
  post('/organizations/:id/name', async (request) => {
    const membership = await requireMembership(context, request, 'renameOrganization', RENAME_FORM);
    const { organization, actor, path } = membership;
    const rename = ({ name }: { name: string }) => context.members.rename(organization.id, name, actor);
    const { form } = await submitForm(request.formValues, NAME_FIELDS, rename);
    if (form !== null) return page(context, request, membership, form);
    return redirect(`${path}/settings`, 'Organization renamed.');
  }),
  ...secondFactorSetting(context),
  ...approvalSetting(context),
];

async function page(
  context: Collaborators,
  request: SignedInRequest,
  { organization, actor, path }: MembershipContext,
  form: FormState,
): Promise<WebPage> {
  const members = await context.members.membersOf(organization.id);
  const today = dateOf(context.now().toISOString());
  const from = await context.members.secondFactorFrom(organization.id);
  const approvals = await context.members.approvalsOf(organization.id);
  const requires = roleAllows(actor.role, 'requireSecondFactor');
  return {
    title: 'Settings',
    section: `${path}/settings`,
    organization,
    form,
    body: (
      <>
        <Facts
          facts={[
            ['Name', organization.name],
            ['Your role', describeRole(actor.role)],
            ['Members', <a href={`${path}/members`}>{members.filter(({ ended }) => !ended).length}</a>],
            ['Second factor', <SecondFactorText key="second-factor" from={from} today={today} />],
            ['Approvals', <ApprovalText key="approvals" {...approvals} />],
            ['ID', <code class="muted">{organization.id}</code>],
          ]}
        />
        <ul class="plain grid">
          {settingsLinks(organization)
            .slice(1)
            .map(({ href, title, about }) => (
              <li key={href} class="card">
                <h2>
                  <a href={href}>{title}</a>
                </h2>
                <p>{about}</p>
              </li>
            ))}
          {roleAllows(actor.role, 'changeRecords') && (
            <li class="card">
              <h2>
                <a href={`${path}/getting-started`}>Getting started</a>
              </h2>
              <p>How records come into the register: from a spreadsheet, or by an assistant.</p>
            </li>
          )}
          <li class="card">
            <h2>
              <a href="/settings/account">Your account</a>
            </h2>
            <p>Your name, password, second factor, API tokens and assistants.</p>
          </li>
        </ul>
        {roleAllows(actor.role, 'renameOrganization') && <RenameForm path={path} form={form} />}
        {requires && (
          <SecondFactorPart
            path={path}
            from={from}
            today={today}
            lacking={await context.members.countWithoutFactor(members)}
            form={formFromQuery(request, SECOND_FACTOR_FORM_FIELDS)}
          />
        )}
        {roleAllows(actor.role, 'changeApprovalPolicy') && (
          <ApprovalPart path={path} {...approvals} form={formFromQuery(request, APPROVAL_FORM_FIELDS)} />
        )}
      </>
    ),
  };
}

function RenameForm({ path, form }: { path: string; form: FormState }) {
  return (
    <section>
      <h2>Rename</h2>
      <Form action={`${path}/name`} class="card">
        <FormError form={form} />
        <TextField form={form} name="name" label="Organization name" maxLength={200} />
        <button type="submit">Rename</button>
      </Form>
    </section>
  );
}
