/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { Account } from '../../identity/account.ts';
import type { Membership } from '../../identity/members.ts';
import { attempt, doThere } from '../attempt.ts';
import { confirmFirst } from '../confirmed.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, checkForm, type FormState, one } from '../forms.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { Table } from '../pieces.tsx';
import { roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

const ACCOUNT = '/settings/account';
/** What has to be typed before an account is erased. */
const SAID = 'erase my account';

const NAME = { name: one(z.string().trim().min(1, 'Give your name.')) };
const EMAIL = { email: one(z.string().trim().min(1, 'Give your e-mail address.')), current: one(z.string()) };
const LEAVING = { organization: one(z.string().min(1)) };
const ERASING = {
  confirmation: one(z.string().refine((text) => text.trim().toLowerCase() === SAID, `Type “${SAID}”.`)),
  current: one(z.string()),
};

type Which = 'NAME' | 'EMAIL' | 'ERASING';

/** Who somebody is here, where they belong, and how they go. */
export const accountPage = (parts: WebParts): Route[] => {
  const { people, members } = parts;
  return [
    get(ACCOUNT, (visit) => page(parts, visit, 'NAME', BLANK)),
    post(`${ACCOUNT}/name`, async (visit) => {
      const { value, state } = checkForm(NAME, visit.sent);
      if (value === null) return page(parts, visit, 'NAME', state);
      const rename = () => people.accounts.rename(visit.person.session, value.name);
      const tried = await attempt(visit.sent, ['name'], rename);
      return tried.state === null
        ? redirect(ACCOUNT, 'Your name is changed.')
        : page(parts, visit, 'NAME', tried.state);
    }),
    post(`${ACCOUNT}/email`, async (visit) => {
      const { value, state } = checkForm(EMAIL, visit.sent);
      if (value === null) return page(parts, visit, 'EMAIL', state);
      const asked = askInstead(parts, visit);
      if (asked !== null) return asked;
      const password = visit.person.account.password === null ? null : value.current;
      const change = () => people.accounts.changeEmail(visit.person.session, value.email, password, visit.visitor);
      const tried = await attempt(visit.sent, ['email', 'current'], change);
      return tried.state === null
        ? redirect(ACCOUNT, 'Your e-mail address is changed. Sign in with the new one from now on.')
        : page(parts, visit, 'EMAIL', tried.state);
    }),
    post(`${ACCOUNT}/leave`, ({ person: { account }, sent }) => {
      const { value } = checkForm(LEAVING, sent);
      const leave = async () => value && members.leave(value.organization, account.id);
      return doThere(ACCOUNT, 'You are no member there any more.', leave);
    }),
    post(`${ACCOUNT}/erase`, async (visit) => {
      const { value, state } = checkForm(ERASING, visit.sent);
      if (value === null) return page(parts, visit, 'ERASING', state);
      const asked = askInstead(parts, visit);
      if (asked !== null) return asked;
      const password = visit.person.account.password === null ? null : value.current;
      const tried = await attempt(visit.sent, ['current'], () =>
        people.accounts.erase(visit.person.session, password, visit.visitor),
      );
      if (tried.state !== null) return page(parts, visit, 'ERASING', tried.state);
      visit.cookies.clearSession(visit.ctx);
      return redirect('/', 'Your account is erased.');
    }),
  ];
};

/** Whoever has no password proves who they are in another way. */
function askInstead(parts: WebParts, visit: SignedInVisit) {
  return visit.person.account.password === null ? confirmFirst(parts, visit, ACCOUNT) : null;
}

/** @param which the form that `form` is of */
async function page(parts: WebParts, visit: SignedInVisit, which: Which, form: FormState): Promise<Page> {
  const { account } = visit.person;
  const organizations = await parts.members.organizationsOf(account.id);
  const of = (one: Which) => (which === one ? form : BLANK);
  return {
    title: 'Account',
    section: ACCOUNT,
    status: form === BLANK ? 200 : 400,
    body: (
      <>
        <section class="card" aria-labelledby="name-title">
          <h2 id="name-title">Name</h2>
          <Form action={`${ACCOUNT}/name`}>
            <FormFault form={of('NAME')} />
            <TextField
              form={of('NAME')}
              name="name"
              label="Your name"
              hint="Members of your organizations see it, in the history too."
              value={account.name ?? ''}
              autocomplete="name"
              maxLength={200}
            />
            <button type="submit">Change the name</button>
          </Form>
        </section>
        <EmailCard account={account} form={of('EMAIL')} />
        <OrganizationsPart organizations={organizations} />
        <ErasingCard account={account} form={of('ERASING')} />
      </>
    ),
  };
}

function EmailCard({ account, form }: { account: Account; form: FormState }) {
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">E-mail address</h2>
      <Form action={`${ACCOUNT}/email`}>
        <FormFault form={form} />
        <TextField
          form={form}
          name="email"
          label="E-mail address"
          hint="You sign in with it. No e-mail is sent to it."
          type="email"
          value={account.email ?? ''}
          autocomplete="email"
        />
        {account.password !== null && <Password form={form} id="email-password" />}
        <button type="submit">Change the address</button>
      </Form>
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
        <span class="muted">You are its only owner</span>
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
  return <Table caption="Organizations that you are a member of" head={['Name', 'Role', 'Leave']} rows={rows} />;
}

function ErasingCard({ account, form }: { account: Account; form: FormState }) {
  return (
    <section class="card" aria-labelledby="erasing-title">
      <h2 id="erasing-title">Erase the account</h2>
      <p>
        Your name, e-mail address, password and devices are erased, and your tokens and assistants lose access. What you
        did stays in the history of your organizations, as done by a former member. Nobody can undo this.
      </p>
      <Form action={`${ACCOUNT}/erase`}>
        <FormFault form={form} />
        <TextField form={form} name="confirmation" label={`Type “${SAID}”`} />
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
