import { z } from 'zod';
import type { Account } from '../../../identity/accounts/account.ts';
import type { ReauthenticationMethod } from '../../../identity/second-factor/reauthentication.ts';
import type { CreatedSession } from '../../../identity/sign-in/sessions.ts';
import { DEMO_PATH } from '../../components/demo-line.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { PASSKEY_BUTTON_ID, PasskeyForm } from '../../components/passkey-form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, jsonObject, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { REAUTHENTICATION_PATH } from '../../server/require-reauthentication.ts';
import { safeNext } from '../../server/safe-next.ts';
import { withNext } from '../../server/sign-in-redirects.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'people' | 'openId'>;

const BACK = '/settings/security';
const PASSWORD_FIELDS = { current: singleField(z.string().min(1, 'Enter your password.')) };
const CODE_FIELDS = {
  code: singleField(z.string().trim().min(1, 'Enter the code.').max(100, 'This is too long for a code.')),
};
const PASSKEY_FIELDS = { credential: singleField(jsonObject('The passkey did not respond. Try again.')) };

/** The notice on the page that the person comes back to. */
export const CONFIRMED_TEXT = 'Identity confirmed. You can continue.';

/** Reauthentication before a sensitive action: by password, authenticator app, passkey or OpenID provider. */
export const confirmPage = (context: Collaborators): Route[] => {
  const { reauthentication } = context.people;

  /** A route for one method of reauthentication. */
  const confirmRoute = <S extends z.ZodRawShape>(
    path: string,
    shape: S,
    confirm: (request: SignedInRequest, value: z.output<z.ZodObject<S>>) => Promise<CreatedSession>,
  ): Route =>
    post(path, async (request) => {
      const next = nextOf(request);
      const { result, form } = await submitForm(request.formValues, shape, (value) => confirm(request, value));
      if (form !== null) return page(context, request, next, form);
      request.cookies.setSession(request.ctx, result.cookie);
      return redirect(next, CONFIRMED_TEXT);
    });

  return [
    get(REAUTHENTICATION_PATH, (request) => {
      const next = nextOf(request);
      return request.person.isRecent ? redirect(next) : page(context, request, next, BLANK_FORM);
    }),
    confirmRoute(REAUTHENTICATION_PATH, PASSWORD_FIELDS, ({ person, clientInfo }, { current }) =>
      reauthentication.withPassword(person.session, current, clientInfo),
    ),
    confirmRoute(`${REAUTHENTICATION_PATH}/code`, CODE_FIELDS, ({ person, clientInfo }, { code }) =>
      reauthentication.withTotp(person.session, code, clientInfo),
    ),
    confirmRoute(`${REAUTHENTICATION_PATH}/passkey`, PASSKEY_FIELDS, ({ person }, { credential }) =>
      reauthentication.withPasskey(person.session, credential),
    ),
  ];
};

const nextOf = ({ query }: SignedInRequest) => safeNext(query.get('next'), BACK);

async function page(
  context: Collaborators,
  { person }: SignedInRequest,
  next: string,
  form: FormState,
): Promise<WebPage> {
  const { account, session } = person;
  const { passkeys, reauthentication } = context.people;
  const targets = await reauthentication.methodsOf(account);
  const options = targets.includes('PASSKEY') ? await passkeys.authenticationOptions(session) : null;
  const provider = account.password === null && account.subject !== null ? context.openId : null;
  const isDemo = context.people.demo.includes(account.id);
  return {
    title: 'Confirm that it’s you',
    plain: true,
    form,
    body: (
      <>
        <FormError form={form} ids={{ credential: PASSKEY_BUTTON_ID }} />
        <p>You signed in more than 15 minutes ago. Confirm that it’s you to continue.</p>
        {targets.includes('PASSWORD') && <PasswordForm form={form} next={next} />}
        {options !== null && (
          <PasskeyForm
            action={withNext(`${REAUTHENTICATION_PATH}/passkey`, next)}
            options={options}
            form={form}
            isOnlyWay={targets.length === 1}
            quiet={targets.length > 1}
          />
        )}
        {targets.includes('TOTP') && <CodeForm form={form} next={next} />}
        {provider !== null && <NewSignIn host={provider.host} next={next} />}
        {targets.length === 0 && provider === null && <NoMethod account={account} isDemo={isDemo} next={next} />}
        <p>
          <a href={cancelTo(next)}>Cancel</a>
        </p>
      </>
    ),
  };
}

/** Returns the page for Cancel. Pages below Security would ask for reauthentication again, so it is Security for them. */
const cancelTo = (next: string): string => (next.startsWith(BACK) ? BACK : next.split('?', 1)[0]!);

interface FormProps {
  form: FormState;
  next: string;
}

/** Returns the form that was sent if it belongs to this method; otherwise a blank form. */
const formOfWay = (way: ReauthenticationMethod, form: FormState): FormState =>
  form.values.has({ PASSWORD: 'current', TOTP: 'code', PASSKEY: 'credential' }[way]) ? form : BLANK_FORM;

function PasswordForm({ form, next }: FormProps) {
  const formState = formOfWay('PASSWORD', form);
  return (
    <Form action={withNext(REAUTHENTICATION_PATH, next)} class="card">
      <TextField form={formState} name="current" label="Password" type="password" autocomplete="current-password" />
      <button type="submit">Continue</button>
    </Form>
  );
}

function CodeForm({ form, next }: FormProps) {
  const formState = formOfWay('TOTP', form);
  return (
    <Form action={withNext(`${REAUTHENTICATION_PATH}/code`, next)} class="card">
      <TextField
        form={formState}
        name="code"
        label="Code"
        hint="The six digits that your authenticator app shows."
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={20}
      />
      <button type="submit" class="quiet">
        Continue with the code
      </button>
    </Form>
  );
}

/** Signs in a person of the demo again, who has no other way. */
function NoMethod({ account, isDemo, next }: { account: Account; isDemo: boolean; next: string }) {
  if (!isDemo) return <p>Your account has no password. Sign out, sign in again, and continue within 15 minutes.</p>;
  return (
    <Form action={withNext(DEMO_PATH, next)} class="card">
      <input type="hidden" name="account" value={account.id} />
      <p>The people of the demo have no passwords.</p>
      <button type="submit">Look as {account.name} again</button>
    </Form>
  );
}

function NewSignIn({ host, next }: { host: string; next: string }) {
  return (
    <Form action={withNext(`${REAUTHENTICATION_PATH}/provider`, next)} class="card">
      <button type="submit">Sign in again with {host}</button>
    </Form>
  );
}
