/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { may } from '../../commands/roles.ts';
import type { Account } from '../../identity/account.ts';
import { isSystem } from '../../identity/actor.ts';
import { type Link, noSuchLink } from '../../identity/links.ts';
import type { Membership } from '../../identity/members.ts';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { reviewOr } from '../credential-table.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import type { Page } from '../page.ts';
import { Facts } from '../pieces.tsx';
import { ProviderForm } from '../provider-form.tsx';
import { roleText } from '../roles.ts';
import { finishStep, withNext } from '../signing-in.ts';
import { openGet, openPost, type Route, redirect, type Visit } from '../visit.ts';

const PASSWORD = { password: one(z.string().min(1, 'Choose a password.')) };
const NEWCOMER = {
  name: one(z.string().trim().min(1, 'Give your name.')),
  email: one(z.string().trim().min(1, 'Give your e-mail address.')),
  ...PASSWORD,
};

interface Shown {
  secret: string;
  link: Link;
  account: Account | null;
  /** Of an invitation. */
  organization: string | null;
}

/** The kinds of link: an account to set up, an invitation, or a new password. */
export const welcomePage = (context: WebContext): Route[] => {
  const { welcome } = context.people;

  const look = async (secret: string): Promise<Shown> => {
    const { link, account } = await welcome.look(secret);
    if (link.organization_id === null) return { secret, link, account, organization: null };
    await requireInviter(context, link.organization_id, link.made_by);
    return { secret, link, account, organization: await context.organizationName(link.organization_id) };
  };

  const secretIn = ({ sent }: Visit) => sent.get('key')?.[0] ?? '';

  return [
    openGet('/welcome', async (visit) => page(context, await look(visit.query.get('key') ?? ''), visit, BLANK)),
    openPost('/welcome/new', async (visit) => {
      const shown = await look(secretIn(visit));
      const begin = shown.link.kind === 'SETUP' ? welcome.setUp : welcome.join;
      const { done, state } = await attempt(visit.sent, NEWCOMER, (value) =>
        begin.call(welcome, shown.secret, value, visit.visitor),
      );
      // An address that has an account makes the invitation that account's.
      return state === null ? finishStep(visit, done, '/') : page(context, await look(shown.secret), visit, state);
    }),
    openPost('/welcome/accept', async (visit) => {
      const secret = secretIn(visit);
      if (visit.person === null) return redirect(signInFirst(secret));
      const shown = await look(secret);
      const { session } = visit.person;
      const { done, state } = await attempt(visit.sent, {}, () => welcome.accept(secret, session));
      if (state !== null) return page(context, shown, visit, state);
      return redirect(`/organizations/${done}`, `You are now a member of ${shown.organization}.`);
    }),
    openPost('/welcome/reset', async (visit) => {
      const shown = await look(secretIn(visit));
      const { done, state } = await attempt(visit.sent, PASSWORD, ({ password }) =>
        welcome.reset(shown.secret, password, visit.visitor),
      );
      if (state !== null) return page(context, shown, visit, state);
      return finishStep(visit, done, await reviewOr(context.tokens, done.session.account_id, '/'));
    }),
  ];
};

/** An invitation is worth no more than its maker may do now: nobody fills in a form for nothing. */
async function requireInviter({ members }: WebContext, organizationId: string, inviter: string): Promise<void> {
  if (isSystem({ actor_id: inviter })) return;
  const membership = await members.membership(inviter, organizationId);
  if (membership === null || !may(membership.role, 'changeMembers')) throw noSuchLink();
}

const addressOf = (secret: string) => `/welcome?key=${encodeURIComponent(secret)}`;
const signInFirst = (secret: string) => withNext('/sign-in', addressOf(secret));

async function page({ openId, members }: WebContext, shown: Shown, visit: Visit, form: FormState): Promise<Page> {
  if (shown.link.kind === 'RESET') return resetPage(shown, form);
  if (shown.link.kind === 'SETUP') return setUpPage(shown, form);
  if (visit.person === null) return joinPage(openId, shown, form);
  const { account } = visit.person;
  const membership = await members.membership(account.id, shown.link.organization_id ?? '');
  return membership === null ? acceptPage(shown, account, form) : memberPage(membership, account);
}

function setUpPage({ secret }: Shown, form: FormState): Page {
  return {
    title: 'Set up your account',
    plain: true,
    form,
    body: (
      <>
        <p class="lead">Choose how you will sign in.</p>
        <NewcomerForm secret={secret} form={form} button="Create my account" />
      </>
    ),
  };
}

function joinPage(openId: WebContext['openId'], { secret, link, organization }: Shown, form: FormState): Page {
  return {
    title: `Join ${organization}`,
    plain: true,
    form,
    body: (
      <>
        <Invited link={link} organization={organization} />
        {link.account_id !== null ? (
          <>
            <FormFault form={form} />
            <p>This invitation is for somebody who has an account here already.</p>
            <p>
              <a class="button" href={signInFirst(secret)}>
                Sign in to accept it
              </a>
            </p>
          </>
        ) : (
          <p>
            You have an account here already? <a href={signInFirst(secret)}>Sign in</a> and accept the invitation with
            it.
          </p>
        )}
        {openId !== null && <ProviderForm host={openId.host} next={addressOf(secret)} />}
        {link.account_id === null && <NewcomerForm secret={secret} form={form} button="Create my account and join" />}
      </>
    ),
  };
}

function acceptPage({ secret, link, organization }: Shown, account: Account, form: FormState): Page {
  return {
    title: `Join ${organization}`,
    plain: true,
    form,
    body: (
      <>
        <Invited link={link} organization={organization} />
        {link.account_id !== null && link.account_id !== account.id ? (
          <p>You are signed in as {account.name}, and this invitation is for another account.</p>
        ) : (
          <Form action="/welcome/accept" class="card">
            <FormFault form={form} />
            <Key secret={secret} />
            <p>
              You are signed in as <strong>{account.name}</strong>.
            </p>
            <button type="submit">Accept the invitation</button>
          </Form>
        )}
        <p class="muted">To use another account, sign out first, then open the link again.</p>
      </>
    ),
  };
}

function memberPage({ id, name, role }: Membership, account: Account): Page {
  return {
    title: `Join ${name}`,
    plain: true,
    body: (
      <>
        <p>
          You are signed in as <strong>{account.name}</strong>, and a member already: {roleText(role)}.
        </p>
        <p>
          <a class="button" href={`/organizations/${id}`}>
            Go to {name}
          </a>
        </p>
        <p class="muted">To use another account, sign out first, then open the link again.</p>
      </>
    ),
  };
}

function resetPage({ secret, account }: Shown, form: FormState): Page {
  return {
    title: 'Choose a new password',
    plain: true,
    form,
    body: (
      <>
        <p>For the account {account?.email ?? account?.name}. All browsers that are signed in to it are signed out.</p>
        <Form action="/welcome/reset" class="card">
          <FormFault form={form} />
          <Key secret={secret} />
          {/* Password managers keep the new password by this name. */}
          <input type="hidden" name="username" autocomplete="username" value={account?.email ?? ''} />
          <NewPassword form={form} />
          <button type="submit">Save the new password</button>
        </Form>
      </>
    ),
  };
}

function Invited({ link, organization }: { link: Link; organization: string | null }) {
  if (link.role === null) return null;
  return (
    <Facts
      facts={[
        ['Organization', organization],
        ['Your role', roleText(link.role)],
      ]}
    />
  );
}

function NewcomerForm({ secret, form, button }: { secret: string; form: FormState; button: string }) {
  return (
    <Form action="/welcome/new" class="card">
      <FormFault form={form} />
      <Key secret={secret} />
      <TextField form={form} name="name" label="Your name" autocomplete="name" maxLength={200} />
      <TextField form={form} name="email" label="E-mail address" type="email" autocomplete="username" maxLength={254} />
      <NewPassword form={form} />
      <button type="submit">{button}</button>
    </Form>
  );
}

const Key = ({ secret }: { secret: string }) => <input type="hidden" name="key" value={secret} />;

function NewPassword({ form }: { form: FormState }) {
  return (
    <TextField
      form={form}
      name="password"
      label="Password"
      type="password"
      autocomplete="new-password"
      hint="At least 12 characters. A few words that do not belong together are easy to remember and hard to guess."
    />
  );
}
