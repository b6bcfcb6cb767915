/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { attempt } from '../attempt.ts';
import { CONFIRM } from '../confirmed.ts';
import { Form } from '../context.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, checkForm, type FormState, one } from '../forms.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import type { WebParts } from '../parts.ts';
import { get, post, Redirect, type Route, type SignedInVisit } from '../visit.ts';

const BACK = '/settings/security';
const FIELDS = { current: one(z.string().min(1, 'Give your password.')), next: one(z.string()) };

/** Asks for the password again before something that matters. */
export const confirmPage = ({ people: { proof } }: WebParts): Route[] => [
  get(CONFIRM, ({ person, query }) => {
    const next = safeNext(query.get('next'), BACK);
    return proof.isRecent(person.session) ? new Redirect(next) : page(person, next, BLANK);
  }),
  post(CONFIRM, async ({ person, sent, visitor }) => {
    const { value, state } = checkForm(FIELDS, sent);
    const next = safeNext(sent.get('next')?.[0], BACK);
    if (value === null) return page(person, next, state);
    const tried = await attempt(sent, ['current'], () => proof.confirm(person.session, value.current, visitor));
    return tried.state === null ? new Redirect(next) : page(person, next, tried.state);
  }),
];

function page({ account }: SignedInVisit['person'], next: string, form: FormState): Page {
  return {
    title: 'Confirm that it is you',
    plain: true,
    status: form === BLANK ? 200 : 400,
    body:
      account.password === null ? (
        <p>
          You signed in a while ago, and your account has no password. Sign out and in again, then go on within a
          quarter of an hour.
        </p>
      ) : (
        <Form action={CONFIRM} class="card">
          <FormFault form={form} />
          <p>This changes how your account is protected, so it asks for your password once more.</p>
          <input type="hidden" name="next" value={next} />
          <TextField form={form} name="current" label="Password" type="password" autocomplete="current-password" />
          <div class="row">
            <button type="submit">Go on</button>
            <a href={BACK}>Cancel</a>
          </div>
        </Form>
      ),
  };
}
