import { z } from 'zod';
import type { Account } from '../../../identity/accounts/account.ts';
import type { Membership } from '../../../identity/memberships/members.ts';
import { Table } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { SecondFactorNotice } from '../../components/second-factor-notice.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, hiddenField, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { passwordOrReauthentication, requireReauthentication } from '../../server/require-reauthentication.ts';
import { submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { roleName } from '../../texts/role-labels.ts';

type Collaborators = Pick<WebContext, 'people' | 'members'>;

const ACCOUNT = '/settings/account';
/** Must be typed to erase an account. */
const ERASURE_PHRASE = 'erase my account';

const NAME_FIELDS = { name: singleField(z.string().trim().min(1, 'Enter your name.')) };
const LEAVE_FIELDS = { organization: hiddenField() };
const ERASE_FIELDS = {
  confirmation: singleField(
    z.string().refine((text) => text.trim().toLowerCase() === ERASURE_PHRASE, `Type “${ERASURE_PHRASE}”.`),
  ),
  current: singleField(z.string()),
};

type FormName = 'NAME' | 'ERASING';

/** A person's name and organizations, and erasing the account. */
export const accountPage = (context: Collaborators): Route[] => {
  const { people, members } = context;
  return [
    get(ACCOUNT, (request) => page(context, request, 'NAME', BLANK_FORM)),
    post(`${ACCOUNT}/name`, async (request) => {
      const { form } = await submitForm(request.formValues, NAME_FIELDS, ({ name }) =>
        people.accounts.rename(request.person.session, name),
      );
      return form === null ? redirect(ACCOUNT, 'Name changed.') : page(context, request, 'NAME', form);
    }),
    post(`${ACCOUNT}/leave`, (request) => {
      requireReauthentication(request, ACCOUNT);
      const leave = ({ organization }: { organization: string }) =>
        members.leave(organization, request.person.account.id);
      return submitAndRedirect(ACCOUNT, 'You left the organization.', request.formValues, LEAVE_FIELDS, leave);
    }),
    post(`${ACCOUNT}/erase`, async (request) => {
      const { form } = await submitForm(request.formValues, ERASE_FIELDS, async ({ current }) => {
        const proof = passwordOrReauthentication(request, current, ACCOUNT);
        return people.accounts.erase(request.person.session, proof, request.clientInfo);
      });
      if (form !== null) return page(context, request, 'ERASING', form);
      request.cookies.clearSession(request.ctx);
      return redirect('/', 'Your account has been erased.');
    }),
  ];
};

/** @param formName the form whose state `form` is */
async function page(
  context: Collaborators,
  request: SignedInRequest,
  formName: FormName,
  form: FormState,
): Promise<WebPage> {
  const { account } = request.person;
  const organizations = await context.members.organizationsOf(account.id);
  const formFor = (name: FormName) => (formName === name ? form : BLANK_FORM);
  return {
    title: 'Account',
    section: ACCOUNT,
    form,
    body: (
      <>
        {organizations.map(({ id, name, missingFactorFrom }) => (
          <SecondFactorNotice key={id} organization={name} from={missingFactorFrom} />
        ))}
        <section class="card" aria-labelledby="name-title">
          <h2 id="name-title">Name</h2>
          <Form action={`${ACCOUNT}/name`}>
            <FormError form={formFor('NAME')} />
            <TextField
              form={formFor('NAME')}
              name="name"
              label="Your name"
              hint="Visible to members of your organizations, also in the history."
              value={account.name ?? ''}
              autocomplete="name"
              maxLength={200}
            />
            <button type="submit">Change name</button>
          </Form>
        </section>
        <EmailCard email={account.email} />
        <OrganizationsPart organizations={organizations} />
        <EraseCard account={account} organizations={organizations} form={formFor('ERASING')} />
      </>
    ),
  };
}

/** Has no form: a person who could set any address would learn which ones are taken. */
function EmailCard({ email }: { email: string | null }) {
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">E-mail address</h2>
      <p>
        {email === null ? (
          'You have no e-mail address here.'
        ) : (
          <>
            You sign in with <strong class="long">{email}</strong>.
          </>
        )}{' '}
        This service sends no e-mail. Its operator can change the address.
      </p>
    </section>
  );
}

function OrganizationsPart({ organizations }: { organizations: readonly Membership[] }) {
  if (organizations.length === 0) return null;
  const rows = organizations.map(({ id, name, role, owners }) => ({
    key: id,
    cells: [
      <a key="name" href={`/organizations/${id}`}>
        {name}
      </a>,
      roleName(role),
      role === 'OWNER' && owners === 1 ? (
        <span class="muted">You are the only owner</span>
      ) : (
        <Form key="leave" action={`${ACCOUNT}/leave`}>
          <input type="hidden" name="organization" value={id} />
          <button type="submit" class="danger" aria-label={`Leave ${name}`}>
            Leave
          </button>
        </Form>
      ),
    ],
  }));
  return <Table caption="Your organizations" head={['Name', 'Role', 'Leave']} rows={rows} />;
}

function EraseCard(props: { account: Account; organizations: readonly Membership[]; form: FormState }) {
  const { account, organizations, form } = props;
  const onlyOwner = organizations.filter(({ role, owners }) => role === 'OWNER' && owners === 1);
  if (onlyOwner.length > 0) {
    return (
      <section class="card" aria-labelledby="erasing-title">
        <h2 id="erasing-title">Erase account</h2>
        <FormError form={form} />
        <p>
          You are the only owner of {onlyOwner.map(({ name }) => name).join(', ')}. Give another member the role Owner
          first.
        </p>
      </section>
    );
  }
  return (
    <section class="card" aria-labelledby="erasing-title">
      <h2 id="erasing-title">Erase account</h2>
      <p>
        Your name, e-mail address, password and second factors are erased. Your tokens and assistants lose access. Your
        changes stay in the history of your organizations, as those of a former member. This cannot be undone.
      </p>
      <Form action={`${ACCOUNT}/erase`}>
        <FormError form={form} ids={{ current: 'erasing-password' }} />
        <TextField form={form} name="confirmation" label={`Type “${ERASURE_PHRASE}”`} />
        {account.password !== null && <Password form={form} id="erasing-password" />}
        <button type="submit" class="danger">
          Erase my account
        </button>
      </Form>
    </section>
  );
}

function Password({ form, id }: { form: FormState; id: string }) {
  return (
    <TextField form={form} name="current" id={id} label="Password" type="password" autocomplete="current-password" />
  );
}
