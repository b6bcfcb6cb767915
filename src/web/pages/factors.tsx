/** @jsxRuntime automatic @jsxImportSource preact */
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { TotpEnrolment } from '../../identity/totp.ts';
import { attempt, doThere } from '../attempt.ts';
import { confirmFirst } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { reviewOr } from '../credential-table.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, hidden, jsonObject, one } from '../forms.ts';
import type { Page } from '../page.ts';
import { CopyBlock } from '../pieces.tsx';
import { get, post, type Reply, type Route, redirect, type SignedInVisit } from '../visit.ts';
import { SECURITY } from './security.tsx';

const APP = `${SECURITY}/app`;
const PASSKEYS = `${SECURITY}/passkeys`;

const CODE = { code: one(z.string().min(1, 'Give the code that the app shows.')) };
const CREDENTIAL = {
  name: one(z.string()),
  credential: one(jsonObject('The browser gave no passkey: try again.')),
};
const PASSKEY = { passkey: hidden() };

/** Adding and taking away what is asked for after the password. Each needs a recent proof of who it is. */
export const factorPages = (context: WebContext): Route[] => {
  const { totp, passkeys, recovery } = context.people;
  const afterCodes = ({ person }: SignedInVisit) => reviewOr(context.tokens, person.account.id, SECURITY);
  return [
    get(APP, async (visit) => {
      if (visit.person.account.totp !== null) return redirect(SECURITY, 'There is an app already.');
      confirmFirst(context, visit, APP);
      return appPage(await totp.enrol(visit.person.session), BLANK);
    }),
    post(APP, async (visit) => {
      confirmFirst(context, visit, APP);
      const { session } = visit.person;
      const { done, state } = await attempt(visit.sent, CODE, ({ code }) => totp.add(session, code, visit.visitor));
      if (state !== null) return appPage(await totp.enrol(session), state);
      return added(await afterCodes(visit), done, 'The authenticator app is set up.');
    }),
    post(`${APP}/remove`, async (visit) => {
      confirmFirst(context, visit, SECURITY);
      await totp.remove(visit.person.session, null, visit.visitor);
      return redirect(SECURITY, 'The authenticator app is removed.');
    }),
    get(PASSKEYS, (visit) => {
      confirmFirst(context, visit, PASSKEYS);
      return passkeyPage(context, visit, BLANK);
    }),
    post(PASSKEYS, async (visit) => {
      confirmFirst(context, visit, PASSKEYS);
      const { done, state } = await attempt(visit.sent, CREDENTIAL, ({ name, credential }) =>
        // Its shape is checked by whoever verifies it.
        passkeys.register(visit.person.session, name, credential as unknown as RegistrationResponseJSON, visit.visitor),
      );
      if (state !== null) return passkeyPage(context, visit, state);
      return added(await afterCodes(visit), done, 'The passkey is added.');
    }),
    post(`${PASSKEYS}/remove`, async (visit) => {
      confirmFirst(context, visit, SECURITY);
      return doThere(SECURITY, 'The passkey is removed.', visit.sent, PASSKEY, ({ passkey }) =>
        passkeys.remove(visit.person.session, passkey, null, visit.visitor),
      );
    }),
    post(`${SECURITY}/recovery-codes`, async (visit) => {
      confirmFirst(context, visit, SECURITY);
      return codesPage(SECURITY, await recovery.regenerate(visit.person.session, null, visit.visitor));
    }),
  ];
};

/** With the first factor come recovery codes, and other browsers have to sign in anew. */
const added = (next: string, codes: readonly string[] | null, done: string): Reply =>
  codes === null ? redirect(SECURITY, done) : codesPage(next, codes, `${done} All other browsers are signed out.`);

function appPage({ secret, qr }: TotpEnrolment, form: FormState): Page {
  return {
    title: 'Add an authenticator app',
    section: SECURITY,
    form,
    body: (
      <div class="card">
        <p>Scan this with the app, or type the key into it by hand.</p>
        <div class="qr" role="img" aria-label="The key below as a QR code" dangerouslySetInnerHTML={{ __html: qr }} />
        <CopyBlock id="totp-secret" text={secret} secret />
        <Form action={APP}>
          <FormFault form={form} />
          <TextField
            form={form}
            name="code"
            label="Code that the app shows now"
            hint="Six digits."
            inputMode="numeric"
            autocomplete="one-time-code"
          />
          <div class="row">
            <button type="submit">Add the app</button>
            <a href={SECURITY}>Cancel</a>
          </div>
        </Form>
      </div>
    ),
  };
}

async function passkeyPage({ people }: WebContext, { person }: SignedInVisit, form: FormState): Promise<Page> {
  const options = JSON.stringify(await people.passkeys.registrationOptions(person.session));
  return {
    title: 'Add a passkey',
    section: SECURITY,
    form,
    body: (
      <div class="card">
        <p>A passkey is kept by this device, by your password manager or by a security key, and cannot be phished.</p>
        <p class="notice warning" data-without-passkeys>
          This browser makes no passkeys here: they need a recent browser, with JavaScript turned on.
        </p>
        <Form action={PASSKEYS} passkey="create" options={options}>
          <FormFault form={form} />
          <input type="hidden" name="credential" value="" />
          <TextField form={form} name="name" label="Name" hint="What you know it by, such as: work laptop." />
          <p class="fault" role="alert" data-fault hidden>
            The browser made no passkey. Try again, or choose another device.
          </p>
          <button type="submit">Add a passkey</button>
        </Form>
        <a class="button quiet" href={SECURITY}>
          Back to Security
        </a>
      </div>
    ),
  };
}

/** @param next the page that follows once the codes are kept */
function codesPage(next: string, codes: readonly string[], done?: string): Page {
  return {
    title: 'Recovery codes',
    section: SECURITY,
    body: (
      <div class="card">
        {done !== undefined && (
          <p class="notice done" role="status">
            {done}
          </p>
        )}
        <p>
          Keep these codes where you find them when your device is lost. Each lets you in once, after your password.
          They are shown only now; codes that you had before are void.
        </p>
        <CopyBlock id="codes" text={codes.join('\n')} secret />
        <a class="button" href={next}>
          I have kept them
        </a>
      </div>
    ),
  };
}
