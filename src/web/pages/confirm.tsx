/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { attempt } from '../attempt.ts';
import { CONFIRM } from '../confirmed.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, one } from '../forms.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { withNext } from '../signing-in.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

const BACK = '/settings/security';
const PASSWORD = { current: one(z.string().min(1, 'Give your password.')) };

/** Asks for the password again before something that matters. */
export const confirmPage = ({ people: { proof } }: WebParts): Route[] => [
  get(CONFIRM, ({ person, query }) => {
    const next = safeNext(query.get('next'), BACK);
    return proof.isRecent(person.session) ? redirect(next) : page(person, next, BLANK);
  }),
  post(CONFIRM, async ({ person, query, sent, visitor }) => {
    const next = safeNext(query.get('next'), BACK);
    const { state } = await attempt(sent, PASSWORD, ({ current }) => proof.confirm(person.session, current, visitor));
    return state === null ? redirect(next) : page(person, next, state);
  }),
];

function page({ account }: SignedInVisit['person'], next: string, form: FormState): Page {
  return {
    title: 'Confirm that it is you',
    plain: true,
    form,
    body:
      account.password === null ? (
        <p>
          You signed in a while ago, and your account has no password. Sign out and in again, then go on within a
          quarter of an hour.
        </p>
      ) : (
        <Form action={withNext(CONFIRM, next)} class="card">
          <FormFault form={form} />
          <p>This changes how your account is protected, so it asks for your password once more.</p>
          <TextField form={form} name="current" label="Password" type="password" autocomplete="current-password" />
          <div class="row">
            <button type="submit">Go on</button>
            <a href={BACK}>Cancel</a>
          </div>
        </Form>
      ),
  };
}
