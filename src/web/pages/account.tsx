/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { Account } from '../../identity/account.ts';
import type { Membership } from '../../identity/members.ts';
import { attempt, doThere } from '../attempt.ts';
import { proofOf } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, hidden, one } from '../forms.ts';
import type { Page } from '../page.ts';
import { Table } from '../pieces.tsx';
import { roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

const ACCOUNT = '/settings/account';
/** What has to be typed before an account is erased. */
const SAID = 'erase my account';

const NAME = { name: one(z.string().trim().min(1, 'Give your name.')) };
const LEAVING = { organization: hidden() };
const ERASING = {
  confirmation: one(z.string().refine((text) => text.trim().toLowerCase() === SAID, `Type “${SAID}”.`)),
  current: one(z.string()),
};

type Which = 'NAME' | 'ERASING';

/** Who somebody is here, where they belong, and how they go. */
export const accountPage = (context: WebContext): Route[] => {
  const { people, members } = context;
  return [
    get(ACCOUNT, (visit) => page(context, visit, 'NAME', BLANK)),
    post(`${ACCOUNT}/name`, async (visit) => {
      const { state } = await attempt(visit.sent, NAME, ({ name }) =>
        people.accounts.rename(visit.person.session, name),
      );
      return state === null ? redirect(ACCOUNT, 'Your name is changed.') : page(context, visit, 'NAME', state);
    }),
    post(`${ACCOUNT}/leave`, ({ person: { account }, sent }) =>
      doThere(ACCOUNT, 'You are no member there any more.', sent, LEAVING, ({ organization }) =>
        members.leave(organization, account.id),
      ),
    ),
    post(`${ACCOUNT}/erase`, async (visit) => {
      const { state } = await attempt(visit.sent, ERASING, async ({ current }) => {
        const proof = proofOf(context, visit, current, ACCOUNT);
        return people.accounts.erase(visit.person.session, proof, visit.visitor);
      });
      if (state !== null) return page(context, visit, 'ERASING', state);
      visit.cookies.clearSession(visit.ctx);
      return redirect('/', 'Your account is erased.');
    }),
  ];
};

/** @param which the form that `form` is of */
async function page(context: WebContext, visit: SignedInVisit, which: Which, form: FormState): Promise<Page> {
  const { account } = visit.person;
  const organizations = await context.members.organizationsOf(account.id);
  const of = (one: Which) => (which === one ? form : BLANK);
  return {
    title: 'Account',
    section: ACCOUNT,
    form,
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
        <EmailCard email={account.email} />
        <OrganizationsPart organizations={organizations} />
        <ErasingCard account={account} organizations={organizations} form={of('ERASING')} />
      </>
    ),
  };
}

/** No form: whoever could take any address that is free would learn which are not. */
function EmailCard({ email }: { email: string | null }) {
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">E-mail address</h2>
      <p>
        You sign in with <strong class="long">{email ?? 'no address'}</strong>. No e-mail is sent to it. Whoever runs
        this service can change it.
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

function ErasingCard(props: { account: Account; organizations: readonly Membership[]; form: FormState }) {
  const { account, organizations, form } = props;
  const onlyOwner = organizations.filter(({ role, owners }) => role === 'OWNER' && owners === 1);
  if (onlyOwner.length > 0) {
    return (
      <section class="card" aria-labelledby="erasing-title">
        <h2 id="erasing-title">Erase the account</h2>
        <FormFault form={form} />
        <p>
          You are the only owner of {onlyOwner.map(({ name }) => name).join(', ')}. Make another member owner there
          first.
        </p>
      </section>
    );
  }
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
