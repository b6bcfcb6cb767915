import { z } from 'zod';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { ApprovalPolicy } from '../../../commands/organization/approval-policy.ts';
import { FAMILY_DECISIONS } from '../../../register/decisions.ts';
import { AUTONOMIES } from '../../../register/proposal.ts';
import { ChoiceField, FormError, SelectField, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { callerOfSession } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import { type FormState, repeatedField, singleField } from '../../server/form-state.ts';
import { post, type Route, redirect } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';
import { withFormInput } from '../../server/require-reauthentication.ts';
import { redirectWithErrors, submitForm } from '../../server/submit-form.ts';
import { AUTONOMY_CHOICES } from '../../texts/access-text.ts';
import { decisionText, isDecision } from '../../texts/event-words.ts';

/** The fields of the form. */
const FIELDS = {
  ceiling: singleField(z.enum(AUTONOMIES, 'Choose what they may do.')),
  four_eyes: repeatedField(z.string()),
  hourly_changes: singleField(
    z
      .string()
      .trim()
      .regex(/^\d{1,6}$/, 'Enter a whole number, from 1 to 100000.')
      .transform(Number),
  ),
};
/** The fields that keep their input. */
export const APPROVAL_FORM_FIELDS = Object.keys(FIELDS);
const FORM = { page: '/settings', fields: APPROVAL_FORM_FIELDS };

/** The form by which an owner says what assistants may do alone, and which decisions need a second person. */
export const approvalSetting = (context: Pick<WebContext, 'members' | 'proposals'>): Route[] => [
  post('/organizations/:id/approvals', async (request) => {
    const { organization, path } = await requireMembership(context, request, 'changeApprovalPolicy', FORM);
    const { result, form } = await submitForm(request.formValues, FIELDS, async (policy) => {
      const caller = await callerOfSession(context, request);
      return context.proposals.changePolicy({ organization_id: organization.id, ...policy }, caller);
    });
    const settings = `${path}/settings`;
    if (form !== null)
      return redirectWithErrors(withFormInput(request, settings, FORM.fields), withDecisionTexts(form));
    if (result === null) return redirect(settings, 'Approvals changed.');
    const proposal = organizationAddress(organization.id, `/proposals/${result}`);
    return redirect(proposal, 'Proposed. Another owner must approve this before it is done.');
  }),
];

/** Returns a form in whose errors decisions have their names on pages: “Risk accepted” instead of RISK_ACCEPT. */
function withDecisionTexts(form: FormState): FormState {
  const inWords = (message: string) =>
    message.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (code) => (isDecision(code) ? `“${decisionText(code)}”` : code));
  return { ...form, errors: new Map([...form.errors].map(([field, message]) => [field, inWords(message)])) };
}

/** The policy of approvals, and the form by which an owner changes it. */
export function ApprovalPart(props: {
  path: string;
  policy: ApprovalPolicy;
  suspended: readonly string[];
  form: FormState;
}) {
  const { path, policy, suspended, form } = props;
  return (
    <section>
      <h2>Approvals</h2>
      <p>
        <ApprovalText policy={policy} suspended={suspended} />
      </p>
      <Form action={`${path}/approvals`} class="card">
        <FormError form={form} />
        <SelectField
          form={form}
          name="ceiling"
          label="Assistants and tokens, without a person"
          hint="The most that any of them may do here. Each may have less."
          choices={AUTONOMY_CHOICES}
          value={policy.ceiling}
        />
        <ChoiceField
          form={form}
          name="four_eyes"
          label="Four eyes: another account must approve"
          hint="This holds for people too. Each needs two members who may approve it and whose access has no end, and the organization needs two owners: another one must approve that four eyes end. An owner who is left alone adds one first."
          choices={FAMILY_DECISIONS.map(({ name }) => ({ value: name, label: decisionText(name) }))}
          chosen={policy.four_eyes}
        />
        <TextField
          form={form}
          name="hourly_changes"
          label="Existing records that an assistant may change in an hour"
          hint="It holds for those that may not do everything alone."
          type="number"
          inputMode="numeric"
          min={1}
          max={100_000}
          value={String(policy.hourly_changes)}
        />
        <button type="submit">Change approvals</button>
      </Form>
    </section>
  );
}

/** The policy in words, such as `Another account must approve: Risk accepted, Risk closed.` */
export function ApprovalText({ policy, suspended }: { policy: ApprovalPolicy; suspended: readonly string[] }) {
  const inForce = policy.four_eyes.filter((name) => !suspended.includes(name));
  const alone = policy.four_eyes.filter((name) => suspended.includes(name));
  return (
    <>
      {CEILING_TEXTS[policy.ceiling]}{' '}
      {inForce.length > 0 && `Another account must approve: ${decisionsText(inForce)}. `}
      {alone.length > 0 && `Suspended, because only one member may approve it: ${decisionsText(alone)}. `}
    </>
  );
}

const CEILING_TEXTS = {
  ALL: 'Each assistant may do alone what its person chose.',
  DECISIONS_PROPOSED: 'Decisions of assistants wait for a person.',
  PROPOSE_ONLY: 'All changes by assistants wait for a person.',
} as const;

const decisionsText = (names: readonly string[]): string =>
  FAMILY_DECISIONS.filter(({ name }) => names.includes(name))
    .map(({ name }) => decisionText(name).toLowerCase())
    .join(', ');
