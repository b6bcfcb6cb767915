/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { ReauthenticationWay } from '../../identity/reauthentication.ts';
import { attempt } from '../attempt.ts';
import { CONFIRM } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, jsonObject, one } from '../forms.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import { PasskeyForm } from '../passkey-form.tsx';
import { withNext } from '../signing-in.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

const BACK = '/settings/security';
const PASSWORD = { current: one(z.string().min(1, 'Give your password.')) };
const CODE = { code: one(z.string().trim().min(1, 'Give the code.').max(100, 'That is too long for a code.')) };
const PASSKEY = { credential: one(jsonObject('The passkey did not answer: try again.')) };

/** Said on the page that somebody comes back to. */
export const CONFIRMED = 'Thank you. You can go on now.';

/** Asks who it is once more before something that matters: by password, authenticator app, passkey or provider. */
export const confirmPage = (context: WebContext): Route[] => {
  const { proof, reauthentication } = context.people;

  /** One way to prove it. */
  const way = <S extends z.ZodRawShape>(
    path: string,
    shape: S,
    confirm: (visit: SignedInVisit, value: z.output<z.ZodObject<S>>) => Promise<void>,
  ): Route =>
    post(path, async (visit) => {
      const next = nextOf(visit);
      const { state } = await attempt(visit.sent, shape, (value) => confirm(visit, value));
      return state === null ? redirect(next, CONFIRMED) : page(context, visit, next, state);
    });

  return [
    get(CONFIRM, (visit) => {
      const next = nextOf(visit);
      return proof.isRecent(visit.person.session) ? redirect(next) : page(context, visit, next, BLANK);
    }),
    way(CONFIRM, PASSWORD, ({ person, visitor }, { current }) =>
      reauthentication.withPassword(person.session, current, visitor),
    ),
    way(`${CONFIRM}/code`, CODE, ({ person, visitor }, { code }) =>
      reauthentication.withTotp(person.session, code, visitor),
    ),
    way(`${CONFIRM}/passkey`, PASSKEY, ({ person }, { credential }) =>
      reauthentication.withPasskey(person.session, credential),
    ),
  ];
};

const nextOf = ({ query }: SignedInVisit) => safeNext(query.get('next'), BACK);

async function page(context: WebContext, { person }: SignedInVisit, next: string, form: FormState): Promise<Page> {
  const { account, session } = person;
  const { passkeys, reauthentication } = context.people;
  const ways = await reauthentication.waysOf(account);
  const options = ways.includes('PASSKEY') ? await passkeys.authenticationOptions(session) : null;
  const provider = account.password === null && account.subject !== null ? context.openId : null;
  return {
    title: 'Confirm that it is you',
    plain: true,
    form,
    body: (
      <>
        <p>You signed in more than 15 minutes ago. Confirm once more that it is you, then go on where you were.</p>
        {ways.includes('PASSWORD') && <PasswordForm form={form} next={next} />}
        {options !== null && (
          <PasskeyForm
            action={withNext(`${CONFIRM}/passkey`, next)}
            options={options}
            form={form}
            alone={ways.length === 1}
            quiet={ways.length > 1}
          />
        )}
        {ways.includes('TOTP') && <CodeForm form={form} next={next} />}
        {provider !== null && <NewSignIn host={provider.host} next={next} />}
        {ways.length === 0 && provider === null && (
          <p>Your account has no password. Sign out and in again, then go on within 15 minutes.</p>
        )}
        <p>
          <a href={cancelTo(next)}>Cancel</a>
        </p>
      </>
    ),
  };
}

/** The page that somebody came from by a form. Pages below Security ask for this themselves. */
const cancelTo = (next: string): string => (next.startsWith(BACK) ? BACK : next.split('?', 1)[0]!);

interface FormProps {
  form: FormState;
  next: string;
}

/** The form that was sent, as this way's own; blank for the others. */
const ofWay = (way: ReauthenticationWay, form: FormState): FormState =>
  form.sent.has({ PASSWORD: 'current', TOTP: 'code', PASSKEY: 'credential' }[way]) ? form : BLANK;

function PasswordForm({ form, next }: FormProps) {
  const own = ofWay('PASSWORD', form);
  return (
    <Form action={withNext(CONFIRM, next)} class="card">
      <FormFault form={own} />
      <TextField form={own} name="current" label="Password" type="password" autocomplete="current-password" />
      <button type="submit">Go on</button>
    </Form>
  );
}

function CodeForm({ form, next }: FormProps) {
  const own = ofWay('TOTP', form);
  return (
    <Form action={withNext(`${CONFIRM}/code`, next)} class="card">
      <FormFault form={own} />
      <TextField
        form={own}
        name="code"
        label="Code"
        hint="The six digits that your authenticator app shows now."
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={20}
      />
      <button type="submit" class="quiet">
        Go on with the code
      </button>
    </Form>
  );
}

function NewSignIn({ host, next }: { host: string; next: string }) {
  return (
    <Form action={withNext(`${CONFIRM}/provider`, next)} class="card">
      <button type="submit">Sign in again with {host}</button>
    </Form>
  );
}
