/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import { ProviderForm } from '../provider-form.tsx';
import { finishStep, withNext } from '../signing-in.ts';
import { openGet, openPost, type Route, redirect } from '../visit.ts';

const FORM = {
  email: one(z.string().trim().min(1, 'Give your e-mail address.')),
  password: one(z.string().min(1, 'Give your password.')),
};

/** Signing in by e-mail address and password, and signing out. */
export const signInPage = ({ people: { signIn }, openId }: WebContext): Route[] => [
  openGet('/sign-in', ({ person, query }) => {
    const next = safeNext(query.get('next'));
    return person === null ? page(openId, BLANK, next) : redirect(next);
  }),
  openPost('/sign-in', async (visit) => {
    const next = safeNext(visit.query.get('next'));
    const { done, state } = await attempt(visit.sent, FORM, ({ email, password }) =>
      signIn.withPassword(email, password, visit.visitor),
    );
    return state === null ? finishStep(visit, done, next) : page(openId, state, next);
  }),
  openPost('/sign-out', async ({ ctx, cookies, cookie, visitor }) => {
    await signIn.signOut(cookie ?? undefined, visitor);
    cookies.clearSession(ctx);
    return redirect('/', 'You are signed out.');
  }),
];

function page(openId: WebContext['openId'], form: FormState, next: string): Page {
  return {
    title: 'Sign in',
    plain: true,
    form,
    body: (
      <>
        <Form action={withNext('/sign-in', next)} class="card">
          <FormFault form={form} />
          <TextField form={form} name="email" label="E-mail address" type="email" autocomplete="username" />
          <TextField form={form} name="password" label="Password" type="password" autocomplete="current-password" />
          <button type="submit">Sign in</button>
        </Form>
        {openId !== null && <ProviderForm host={openId.host} next={next} />}
        <p class="muted">
          No account yet, or the password is forgotten? Ask an owner of your organization for a link. An owner cannot
          make one if you are also in organizations of others, or have lost your second factor: then ask whoever runs
          this service. veritrail sends no e-mail.
        </p>
      </>
    ),
  };
}
