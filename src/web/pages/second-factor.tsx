/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { Factor } from '../../identity/account.ts';
import type { Session } from '../../identity/sessions.ts';
import type { SignedIn } from '../../identity/sign-in.ts';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { TextField } from '../fields.tsx';
import { BLANK, type FormState, jsonObject, one } from '../forms.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import { PasskeyForm } from '../passkey-form.tsx';
import { finishStep, withNext } from '../signing-in.ts';
import { openGet, openPost, type Reply, type Route, redirect, type Visit } from '../visit.ts';

const PATH = '/sign-in/second-factor';
const CODE = { code: one(z.string().trim().min(1, 'Give the code.').max(100, 'That is too long for a code.')) };
const RECOVERY = {
  recovery_code: one(z.string().trim().min(1, 'Give a recovery code.').max(100, 'That is too long for a code.')),
};
const PASSKEY = { credential: one(jsonObject('The passkey did not answer: try again.')) };

/** The second step of signing in, for accounts that have one: a code, a passkey or a recovery code. */
export const secondFactorPage = (context: WebContext): Route[] => {
  const { signIn, sessions } = context.people;

  /** One way to take the step: what is wrong with it is said beside its own field. */
  const step = <S extends z.ZodRawShape>(
    path: string,
    shape: S,
    take: (visit: Visit, value: z.output<z.ZodObject<S>>) => Promise<SignedIn>,
  ): Route =>
    openPost(path, async (visit): Promise<Reply> => {
      const next = safeNext(visit.query.get('next'));
      const pending = await sessions.pending(visit.cookie ?? undefined);
      if (pending === null) return fromTheBeginning(visit, next);
      const { done, state } = await attempt(visit.sent, shape, (value) => take(visit, value));
      if (state === null) return finishStep(visit, done, next);
      // Too many wrong codes end the session.
      const still = await sessions.pending(visit.cookie ?? undefined);
      if (still === null) return fromTheBeginning(visit, next);
      return page(context, still, beside(Object.keys(shape)[0]!, state), next);
    });

  return [
    openGet(PATH, async (visit) => {
      const next = safeNext(visit.query.get('next'));
      const pending = await sessions.pending(visit.cookie ?? undefined);
      return pending === null ? fromTheBeginning(visit, next) : page(context, pending, BLANK, next);
    }),
    step(PATH, CODE, ({ cookie, visitor }, { code }) => signIn.withTotp(cookie ?? undefined, code, visitor)),
    step(`${PATH}/recovery-code`, RECOVERY, ({ cookie, visitor }, { recovery_code }) =>
      signIn.withRecoveryCode(cookie ?? undefined, recovery_code, visitor),
    ),
    step(`${PATH}/passkey`, PASSKEY, ({ cookie, visitor }, { credential }) =>
      signIn.withPasskey(cookie ?? undefined, credential, visitor),
    ),
  ];
};

/** For whoever is signed in already, or has to give the password again. */
function fromTheBeginning({ person }: Visit, next: string): Reply {
  return redirect(person === null ? withNext('/sign-in', next) : next);
}

/** Each of these forms has one field, so whatever is wrong is wrong with that. */
function beside(field: string, state: FormState): FormState {
  return state.fault === null ? state : { ...state, fault: null, errors: new Map([[field, state.fault]]) };
}

async function page(context: WebContext, pending: Session, form: FormState, next: string): Promise<Page> {
  const factors = await context.people.signIn.factorsOf(pending);
  const options = factors.includes('PASSKEY') ? await context.people.passkeys.authenticationOptions(pending) : null;
  return {
    title: 'One more step',
    plain: true,
    form,
    body: (
      <>
        {options !== null && (
          <PasskeyForm
            action={withNext(`${PATH}/passkey`, next)}
            options={options}
            form={form}
            alone={factors.length === 1}
          />
        )}
        {factors.includes('TOTP') && <CodeForm form={form} next={next} />}
        {factors.includes('RECOVERY_CODE') && <RecoveryForm form={form} next={next} factors={factors} />}
        <Form action="/sign-out">
          <button type="submit" class="quiet">
            Stop signing in
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
        hint="The six digits that your authenticator app shows now."
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
          hint="One of the codes that you kept when you set up the second factor. Each works once."
          maxLength={100}
        />
        <button type="submit">Sign in with it</button>
      </Form>
    </details>
  );
}
