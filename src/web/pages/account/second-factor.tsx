import { z } from 'zod';
import type { Factor } from '../../../identity/accounts/account.ts';
import type { Session } from '../../../identity/sign-in/sessions.ts';
import type { SignInStep } from '../../../identity/sign-in/sign-in.ts';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { PASSKEY_BUTTON_ID, PasskeyForm } from '../../components/passkey-form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, jsonObject, singleField } from '../../server/form-state.ts';
import {
  type PageRequest,
  publicGet,
  publicPost,
  type Reply,
  type Route,
  redirect,
} from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';
import { finishSignInStep, withNext } from '../../server/sign-in-redirects.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'people'>;

const PATH = '/sign-in/second-factor';
const CODE_FIELDS = {
  code: singleField(z.string().trim().min(1, 'Enter the code.').max(100, 'This is too long for a code.')),
};
const RECOVERY_FIELDS = {
  recovery_code: singleField(
    z.string().trim().min(1, 'Enter a recovery code.').max(100, 'This is too long for a code.'),
  ),
};
const PASSKEY_FIELDS = { credential: singleField(jsonObject('The passkey did not respond. Try again.')) };

/** The second sign-in step, for accounts with a second factor: a code, a passkey or a recovery code. */
export const secondFactorPage = (context: Collaborators): Route[] => {
  const { signIn, sessions } = context.people;

  /** A route for one kind of second factor. It shows errors at its own field. */
  const stepRoute = <S extends z.ZodRawShape>(
    path: string,
    shape: S,
    take: (request: PageRequest, value: z.output<z.ZodObject<S>>) => Promise<SignInStep>,
  ): Route =>
    publicPost(path, async (request): Promise<Reply> => {
      const next = safeNext(request.query.get('next'));
      const pending = await sessions.findPending(request.sessionSecret ?? undefined);
      if (pending === null) return startAgain(request, next);
      const { result, form } = await submitForm(request.formValues, shape, (value) => take(request, value));
      if (form === null) return finishSignInStep(request, result, next);
      // Too many wrong codes end the session.
      const stillPending = await sessions.findPending(request.sessionSecret ?? undefined);
      if (stillPending === null) return startAgain(request, next);
      return page(context, stillPending, withErrorAtField(Object.keys(shape)[0]!, form), next);
    });

  return [
    publicGet(PATH, async (request) => {
      const next = safeNext(request.query.get('next'));
      const pending = await sessions.findPending(request.sessionSecret ?? undefined);
      return pending === null ? startAgain(request, next) : page(context, pending, BLANK_FORM, next);
    }),
    stepRoute(PATH, CODE_FIELDS, ({ sessionSecret, clientInfo }, { code }) =>
      signIn.withTotp(sessionSecret ?? undefined, code, clientInfo),
    ),
    stepRoute(`${PATH}/recovery-code`, RECOVERY_FIELDS, ({ sessionSecret, clientInfo }, { recovery_code }) =>
      signIn.withRecoveryCode(sessionSecret ?? undefined, recovery_code, clientInfo),
    ),
    stepRoute(`${PATH}/passkey`, PASSKEY_FIELDS, ({ sessionSecret, clientInfo }, { credential }) =>
      signIn.withPasskey(sessionSecret ?? undefined, credential, clientInfo),
    ),
  ];
};

/** Redirects a person who is signed in already to `next`, and others to the sign-in page. */
function startAgain({ person }: PageRequest, next: string): Reply {
  return redirect(person === null ? withNext('/sign-in', next) : next);
}

/** Moves the form's error to its field: each of these forms has only one. */
function withErrorAtField(field: string, state: FormState): FormState {
  return state.formError === null ? state : { ...state, formError: null, errors: new Map([[field, state.formError]]) };
}

async function page(context: Collaborators, pending: Session, form: FormState, next: string): Promise<WebPage> {
  const factors = await context.people.signIn.factorsOf(pending);
  const options = factors.includes('PASSKEY') ? await context.people.passkeys.authenticationOptions(pending) : null;
  return {
    title: 'One more step',
    plain: true,
    form,
    body: (
      <>
        <FormError form={form} ids={{ credential: PASSKEY_BUTTON_ID }} />
        {options !== null && (
          <PasskeyForm
            action={withNext(`${PATH}/passkey`, next)}
            options={options}
            form={form}
            isOnlyWay={factors.length === 1}
          />
        )}
        {factors.includes('TOTP') && <CodeForm form={form} next={next} />}
        {factors.includes('RECOVERY_CODE') && <RecoveryForm form={form} next={next} factors={factors} />}
        <Form action="/sign-out">
          <button type="submit" class="quiet">
            Cancel
          </button>
        </Form>
      </>
    ),
  };
}

function CodeForm({ form, next }: { form: FormState; next: string }) {
  return (
    <Form action={withNext(PATH, next)} class="card">
      <TextField
        form={form}
        name="code"
        label="Code"
        hint="The six digits that your authenticator app shows."
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={20}
      />
      <button type="submit">Sign in</button>
    </Form>
  );
}

function RecoveryForm({ form, next, factors }: { form: FormState; next: string; factors: readonly Factor[] }) {
  const open = factors.length === 1 || form.errors.has('recovery_code');
  return (
    <details open={open}>
      <summary>Use a recovery code</summary>
      <Form action={withNext(`${PATH}/recovery-code`, next)} class="card">
        <TextField
          form={form}
          name="recovery_code"
          label="Recovery code"
          hint="One of the codes that you stored when you set up the second factor. Each works once."
          maxLength={100}
        />
        <button type="submit">Sign in with this code</button>
      </Form>
    </details>
  );
}
