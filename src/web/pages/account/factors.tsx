import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { TotpEnrolment } from '../../../identity/second-factor/totp.ts';
import { CopyBlock } from '../../components/components.tsx';
import { credentialReviewOr } from '../../components/credential-table.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, hiddenField, jsonObject, singleField } from '../../server/form-state.ts';
import { get, post, type Reply, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { requireReauthentication } from '../../server/require-reauthentication.ts';
import { submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { SECURITY_PATH } from './security.tsx';

type Collaborators = Pick<WebContext, 'people' | 'tokens'>;

const APP = `${SECURITY_PATH}/app`;
const PASSKEYS = `${SECURITY_PATH}/passkeys`;

const CODE_FIELDS = { code: singleField(z.string().min(1, 'Enter the code that the app shows.')) };
const PASSKEY_FIELDS = {
  name: singleField(z.string()),
  credential: singleField(jsonObject('The browser did not create a passkey. Try again.')),
};
const REMOVE_PASSKEY_FIELDS = { passkey: hiddenField() };

/** Adds and removes second factors. Each step needs recent reauthentication. */
export const factorPages = (context: Collaborators): Route[] => {
  const { totp, passkeys, recovery } = context.people;
  const pageAfterCodes = ({ person }: SignedInRequest) =>
    credentialReviewOr(context.tokens, person.account.id, SECURITY_PATH);
  return [
    get(APP, async (request) => {
      if (request.person.account.totp !== null)
        return redirect(SECURITY_PATH, 'You already have an authenticator app. Remove it before you add another.');
      requireReauthentication(request, APP);
      return appPage(await totp.enrol(request.person.session), BLANK_FORM);
    }),
    post(APP, async (request) => {
      requireReauthentication(request, APP);
      const { session } = request.person;
      const { result, form } = await submitForm(request.formValues, CODE_FIELDS, ({ code }) =>
        totp.add(session, code, request.clientInfo),
      );
      if (form !== null) return appPage(await totp.enrol(session), form);
      return factorAdded(await pageAfterCodes(request), result, 'Authenticator app added.');
    }),
    post(`${APP}/remove`, async (request) => {
      requireReauthentication(request, SECURITY_PATH);
      await totp.remove(request.person.session, null, request.clientInfo);
      return redirect(SECURITY_PATH, 'Authenticator app removed.');
    }),
    get(PASSKEYS, (request) => {
      requireReauthentication(request, PASSKEYS);
      return passkeyPage(context, request, BLANK_FORM);
    }),
    post(PASSKEYS, async (request) => {
      requireReauthentication(request, PASSKEYS);
      const { result, form } = await submitForm(request.formValues, PASSKEY_FIELDS, ({ name, credential }) =>
        // The verification checks its shape.
        passkeys.register(
          request.person.session,
          name,
          credential as unknown as RegistrationResponseJSON,
          request.clientInfo,
        ),
      );
      if (form !== null) return passkeyPage(context, request, form);
      return factorAdded(await pageAfterCodes(request), result, 'Passkey added.');
    }),
    post(`${PASSKEYS}/remove`, async (request) => {
      requireReauthentication(request, SECURITY_PATH);
      return submitAndRedirect(
        SECURITY_PATH,
        'Passkey removed.',
        request.formValues,
        REMOVE_PASSKEY_FIELDS,
        ({ passkey }) => passkeys.remove(request.person.session, passkey, null, request.clientInfo),
      );
    }),
    post(`${SECURITY_PATH}/recovery-codes`, async (request) => {
      requireReauthentication(request, SECURITY_PATH);
      return codesPage(SECURITY_PATH, await recovery.regenerate(request.person.session, null, request.clientInfo));
    }),
  ];
};

/** Replies after a factor was added. The first factor brings recovery codes and signs out other browsers. */
const factorAdded = (next: string, codes: readonly string[] | null, result: string): Reply =>
  codes === null
    ? redirect(SECURITY_PATH, result)
    : codesPage(next, codes, `${result} All other browsers are signed out.`);

function appPage({ secret, qr }: TotpEnrolment, form: FormState): WebPage {
  return {
    title: 'Add an authenticator app',
    section: SECURITY_PATH,
    form,
    body: (
      <div class="card">
        <p>Scan this with the app, or enter the key by hand.</p>
        <div class="qr" role="img" aria-label="The key below as a QR code" dangerouslySetInnerHTML={{ __html: qr }} />
        <CopyBlock id="totp-secret" text={secret} secret />
        <Form action={APP}>
          <FormError form={form} />
          <TextField
            form={form}
            name="code"
            label="Code from the app"
            hint="Six digits."
            inputMode="numeric"
            autocomplete="one-time-code"
          />
          <div class="row">
            <button type="submit">Add app</button>
            <a href={SECURITY_PATH}>Cancel</a>
          </div>
        </Form>
      </div>
    ),
  };
}

async function passkeyPage({ people }: Collaborators, { person }: SignedInRequest, form: FormState): Promise<WebPage> {
  const options = JSON.stringify(await people.passkeys.registrationOptions(person.session));
  return {
    title: 'Add a passkey',
    section: SECURITY_PATH,
    form,
    body: (
      <div class="card">
        <p>A passkey is stored on this device, in your password manager or on a security key. It can’t be phished.</p>
        <p class="notice warning" data-without-passkeys>
          This browser can’t create passkeys here. They need a recent browser with JavaScript.
        </p>
        <Form action={PASSKEYS} passkey="create" options={options}>
          <FormError form={form} ids={{ credential: 'name' }} />
          <input type="hidden" name="credential" value="" />
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="A name that you will recognize, such as “work laptop”."
          />
          <p class="fault" role="alert" data-fault hidden>
            The browser did not create a passkey. Try again, or choose another device.
          </p>
          <button type="submit">Add a passkey</button>
        </Form>
        <a class="button quiet" href={SECURITY_PATH}>
          Back to Security
        </a>
      </div>
    ),
  };
}

/** @param next the page that the button leads to */
function codesPage(next: string, codes: readonly string[], result?: string): WebPage {
  return {
    title: 'Recovery codes',
    section: SECURITY_PATH,
    body: (
      <div class="card">
        {result !== undefined && (
          <p class="notice done" role="status">
            {result}
          </p>
        )}
        <p>
          Store these codes where you can find them if you lose your device. Each works once, after your password. They
          are shown only once. Earlier codes no longer work.
        </p>
        <CopyBlock id="codes" text={codes.join('\n')} secret />
        <a class="button" href={next}>
          I have stored them
        </a>
      </div>
    ),
  };
}
