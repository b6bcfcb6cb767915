import { z } from 'zod';
import { Refusal } from '../../../commands/engine/refusal.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { Account } from '../../../identity/accounts/account.ts';
import { linkNotFound, type OneTimeLink } from '../../../identity/accounts/one-time-links.ts';
import { isSystem } from '../../../identity/memberships/actor.ts';
import type { Membership } from '../../../identity/memberships/members.ts';
import { AccessEnd } from '../../components/access-end.tsx';
import { Facts } from '../../components/components.tsx';
import { credentialReviewOr } from '../../components/credential-table.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { OpenIdSignInForm } from '../../components/provider-form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, singleField } from '../../server/form-state.ts';
import {
  type PageRequest,
  publicGet,
  publicPost,
  RefusedPage,
  type Route,
  redirect,
  type SignedInPerson,
} from '../../server/page-request.ts';
import { finishSignInStep, withNext } from '../../server/sign-in-redirects.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeRole } from '../../texts/role-labels.ts';

type Collaborators = Pick<WebContext, 'people' | 'members' | 'tokens' | 'openId' | 'organizationNameOf'>;

const PASSWORD_FIELDS = { password: singleField(z.string().min(1, 'Choose a password.')) };
const NEWCOMER_FIELDS = {
  name: singleField(z.string().trim().min(1, 'Enter your name.')),
  email: singleField(z.string().trim().min(1, 'Enter your e-mail address.')),
  ...PASSWORD_FIELDS,
};

interface LinkDetails {
  secret: string;
  link: OneTimeLink;
  account: Account | null;
  /** The name of the organization; only for an invitation. */
  organization: string | null;
}

/** The page behind each kind of link: set up an account, accept an invitation, or choose a new password. */
export const welcomePage = (context: Collaborators): Route[] => {
  const { welcome } = context.people;

  const describeLink = async (secret: string): Promise<LinkDetails> => {
    const { link, account } = await welcome.describe(secret);
    if (link.organization_id === null) return { secret, link, account, organization: null };
    await requireInviter(context, link.organization_id, link.made_by);
    return { secret, link, account, organization: await context.organizationNameOf(link.organization_id) };
  };

  /** Reads the link with a secret. @throws RefusedPage if it no longer works */
  const readLink = async (secret: string, { person }: PageRequest): Promise<LinkDetails> => {
    try {
      return await describeLink(secret);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
      throw new RefusedPage(endedLinkPage(error.message, person));
    }
  };

  const secretIn = ({ formValues }: PageRequest) => formValues.get('key')?.[0] ?? '';

  return [
    publicGet('/welcome', async (request) =>
      page(context, await readLink(request.query.get('key') ?? '', request), request, BLANK_FORM),
    ),
    publicPost('/welcome/new', async (request) => {
      const details = await readLink(secretIn(request), request);
      const begin = details.link.kind === 'SETUP' ? welcome.setUp : welcome.join;
      const { result, form } = await submitForm(request.formValues, NEWCOMER_FIELDS, (value) =>
        begin.call(welcome, details.secret, value, request.clientInfo),
      );
      // If the address has an account, the invitation now belongs to that account.
      return form === null
        ? finishSignInStep(request, result, '/')
        : page(context, await readLink(details.secret, request), request, form);
    }),
    publicPost('/welcome/accept', async (request) => {
      const secret = secretIn(request);
      if (request.person === null) return redirect(signInFirst(secret));
      const details = await readLink(secret, request);
      const { session } = request.person;
      const { result, form } = await submitForm(request.formValues, {}, () => welcome.accept(secret, session));
      if (form !== null) return page(context, details, request, form);
      return redirect(`/organizations/${result}`, `You are now a member of ${details.organization}.`);
    }),
    publicPost('/welcome/reset', async (request) => {
      const details = await readLink(secretIn(request), request);
      const { result, form } = await submitForm(request.formValues, PASSWORD_FIELDS, ({ password }) =>
        welcome.reset(details.secret, password, request.clientInfo),
      );
      if (form !== null) return page(context, details, request, form);
      return finishSignInStep(
        request,
        result,
        await credentialReviewOr(context.tokens, result.session.account_id, '/'),
      );
    }),
  ];
};

/** Refuses an invitation whose maker may no longer invite, before anybody fills in the form. @throws Refusal */
async function requireInviter({ members }: Collaborators, organizationId: string, inviter: string): Promise<void> {
  if (isSystem({ actor_id: inviter })) return;
  const membership = await members.membership(inviter, organizationId);
  if (membership === null || !roleAllows(membership.role, 'changeMembers')) throw linkNotFound();
}

const addressOf = (secret: string) => `/welcome?key=${encodeURIComponent(secret)}`;
const signInFirst = (secret: string) => withNext('/sign-in', addressOf(secret));

async function page(
  { openId, members }: Collaborators,
  details: LinkDetails,
  request: PageRequest,
  form: FormState,
): Promise<WebPage> {
  if (details.link.kind === 'RESET') return resetPage(details, form);
  if (details.link.kind === 'SETUP') return setUpPage(details, form);
  if (request.person === null) return joinPage(openId, details, form);
  const { account } = request.person;
  const membership = await members.membership(account.id, details.link.organization_id ?? '');
  return membership === null ? acceptPage(details, account, form) : memberPage(membership, account);
}

function endedLinkPage(message: string, person: SignedInPerson | null): WebPage {
  return {
    title: 'This link no longer works',
    status: 404,
    plain: true,
    body: (
      <>
        <p class="lead">{message}</p>
        {person === null ? (
          <>
            <p>If you have an account here already, sign in.</p>
            <p>
              <a class="button" href="/sign-in">
                Sign in
              </a>
            </p>
          </>
        ) : (
          <p>
            <a href="/">Go to the home page</a>
          </p>
        )}
      </>
    ),
  };
}

function setUpPage({ secret }: LinkDetails, form: FormState): WebPage {
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

function joinPage(openId: WebContext['openId'], { secret, link, organization }: LinkDetails, form: FormState): WebPage {
  return {
    title: `Join ${organization}`,
    plain: true,
    form,
    body: (
      <>
        <Invited link={link} organization={organization} />
        {link.account_id !== null ? (
          <>
            <FormError form={form} />
            <p>
              This invitation works only for a person who already has an account here. If that is not you, ask for a new
              link.
            </p>
            <p>
              <a class="button" href={signInFirst(secret)}>
                Sign in to accept it
              </a>
            </p>
          </>
        ) : (
          <p>
            Already have an account here? <a href={signInFirst(secret)}>Sign in</a> to accept the invitation with it.
          </p>
        )}
        {openId !== null && <OpenIdSignInForm host={openId.host} next={addressOf(secret)} />}
        {link.account_id === null && <NewcomerForm secret={secret} form={form} button="Create my account and join" />}
      </>
    ),
  };
}

function acceptPage({ secret, link, organization }: LinkDetails, account: Account, form: FormState): WebPage {
  return {
    title: `Join ${organization}`,
    plain: true,
    form,
    body: (
      <>
        <Invited link={link} organization={organization} />
        {link.account_id !== null && link.account_id !== account.id ? (
          <p>
            You are signed in as {account.name}, but this invitation is for another account. If that is not yours, ask
            for a new link.
          </p>
        ) : (
          <Form action="/welcome/accept" class="card">
            <FormError form={form} />
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

function memberPage({ id, name, role }: Membership, account: Account): WebPage {
  return {
    title: `Join ${name}`,
    plain: true,
    body: (
      <>
        <p>
          You are signed in as <strong>{account.name}</strong>. You are already a member: {describeRole(role)}.
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

function resetPage({ secret, account }: LinkDetails, form: FormState): WebPage {
  return {
    title: 'Choose a new password',
    plain: true,
    form,
    body: (
      <>
        <p>For the account {account?.email ?? account?.name}. This signs out all browsers.</p>
        <Form action="/welcome/reset" class="card">
          <FormError form={form} />
          <Key secret={secret} />
          {/* Password managers store the new password under this name. */}
          <input type="hidden" name="username" autocomplete="username" value={account?.email ?? ''} />
          <NewPassword form={form} />
          <button type="submit">Save password</button>
        </Form>
      </>
    ),
  };
}

function Invited({ link, organization }: { link: OneTimeLink; organization: string | null }) {
  if (link.role === null) return null;
  return (
    <Facts
      facts={[
        ['Organization', organization],
        ['Your role', describeRole(link.role)],
        ...(link.until ? [['Your access', <AccessEnd key="access" until={link.until} />] as const] : []),
      ]}
    />
  );
}

function NewcomerForm({ secret, form, button }: { secret: string; form: FormState; button: string }) {
  return (
    <Form action="/welcome/new" class="card">
      <FormError form={form} />
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
      hint="At least 12 characters. A few unrelated words are easy to remember and hard to guess."
    />
  );
}
