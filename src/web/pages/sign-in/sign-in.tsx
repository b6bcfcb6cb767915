import { z } from 'zod';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { OpenIdSignInForm } from '../../components/provider-form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, singleField } from '../../server/form-state.ts';
import { publicGet, publicPost, type Route, redirect } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';
import { finishSignInStep, withNext } from '../../server/sign-in-redirects.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'people' | 'openId'>;

const SIGN_IN_FIELDS = {
  email: singleField(z.string().trim().min(1, 'Enter your e-mail address.')),
  password: singleField(z.string().min(1, 'Enter your password.')),
};

/** Sign-in with e-mail address and password, and sign-out. */
export const signInPage = (context: Collaborators): Route[] => [
  publicGet('/sign-in', ({ person, query }) => {
    const next = safeNext(query.get('next'));
    return person === null ? page(context, BLANK_FORM, next) : redirect(next);
  }),
  publicPost('/sign-in', async (request) => {
    const next = safeNext(request.query.get('next'));
    const { result, form } = await submitForm(request.formValues, SIGN_IN_FIELDS, ({ email, password }) =>
      context.people.signIn.withPassword(email, password, request.clientInfo),
    );
    return form === null ? finishSignInStep(request, result, next) : page(context, form, next);
  }),
  publicPost('/sign-out', async ({ ctx, cookies, sessionSecret, clientInfo }) => {
    await context.people.signIn.signOut(sessionSecret ?? undefined, clientInfo);
    cookies.clearSession(ctx);
    return redirect('/', 'You are signed out.');
  }),
];

function page({ openId, people }: Collaborators, form: FormState, next: string): WebPage {
  return {
    title: 'Sign in',
    plain: true,
    form,
    body: (
      <>
        {people.demo.isOpen && (
          <p class="lead">
            The people of the demo have no passwords. Open the link that the start of the service printed.
          </p>
        )}
        <Form action={withNext('/sign-in', next)} class="card">
          <FormError form={form} />
          <TextField form={form} name="email" label="E-mail address" type="email" autocomplete="username" />
          <TextField form={form} name="password" label="Password" type="password" autocomplete="current-password" />
          <button type="submit">Sign in</button>
        </Form>
        {openId !== null && <OpenIdSignInForm host={openId.host} next={next} />}
        <p class="muted">
          No account yet, or forgot your password? Ask an owner of your organization for a link. Only the operator of
          this service can help if you lost your second factor, or are also a member of organizations that the owner
          does not own. veritrail sends no e-mail.
        </p>
      </>
    ),
  };
}
