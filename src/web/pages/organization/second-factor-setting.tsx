import { z } from 'zod';
import { isRealDate } from '../../../commands/engine/dates.ts';
import { LongDay } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { type FormState, singleField } from '../../server/form-state.ts';
import { post, type Route, redirect } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';
import { withFormInput } from '../../server/require-reauthentication.ts';
import { redirectWithErrors, submitAndRedirect, submitForm } from '../../server/submit-form.ts';

type Collaborators = Pick<WebContext, 'members'>;

const PATH = '/organizations/:id/second-factor';
const FIELDS = {
  from: singleField(z.string().trim().refine(isRealDate, 'Enter a date such as 2026-11-30.')),
};
/** The fields that keep their input. */
export const SECOND_FACTOR_FORM_FIELDS = Object.keys(FIELDS);
const FORM = { page: '/settings', fields: SECOND_FACTOR_FORM_FIELDS };

/** The forms by which an owner requires a second factor of all members, or makes it optional again. */
export const secondFactorSetting = (context: Collaborators): Route[] => [
  post(PATH, async (request) => {
    const { organization, path, actor } = await requireMembership(context, request, 'requireSecondFactor', FORM);
    const { form } = await submitForm(request.formValues, FIELDS, ({ from }) =>
      context.members.requireSecondFactor(organization.id, from, actor),
    );
    const settings = `${path}/settings`;
    if (form !== null) return redirectWithErrors(withFormInput(request, settings, FORM.fields), form);
    return redirect(settings, 'Second factor required.');
  }),
  post(`${PATH}/optional`, async (request) => {
    const { organization, path, actor } = await requireMembership(context, request, 'requireSecondFactor', FORM);
    return submitAndRedirect(`${path}/settings`, 'The second factor is optional again.', request.formValues, {}, () =>
      context.members.makeSecondFactorOptional(organization.id, actor),
    );
  }),
];

/** @param props.from the date from which it is required; null if it is optional. @param props.lacking members without one */
export function SecondFactorPart(props: {
  path: string;
  from: string | null;
  today: string;
  lacking: number;
  form: FormState;
}) {
  const { path, from, today, lacking, form } = props;
  const members = lacking === 1 ? '1 member has' : `${lacking} members have`;
  return (
    <section>
      <h2>Second factor</h2>
      <p>
        <SecondFactorText from={from} today={today} />{' '}
        {lacking === 0 ? 'All members have one.' : `${members} none yet.`}
      </p>
      <Form action={`${path}/second-factor`} class="card">
        <FormError form={form} />
        <TextField
          form={form}
          name="from"
          label="Require it from"
          type="date"
          hint="From this day (UTC), members without one see only how to add it. Their tokens and assistants stop here."
          value={from !== null && from > today ? from : today}
        />
        <button type="submit">Require a second factor</button>
      </Form>
      {from !== null && (
        <Form action={`${path}/second-factor/optional`}>
          <button type="submit" class="danger">
            Make it optional
          </button>
        </Form>
      )}
    </section>
  );
}

/** The requirement in words, such as `Required since 1 Dec 2026.` */
export function SecondFactorText({ from, today }: { from: string | null; today: string }) {
  if (from === null) return <>Optional: each member decides.</>;
  return (
    <>
      Required {from <= today ? 'since' : 'from'} <LongDay at={from} />.
    </>
  );
}
