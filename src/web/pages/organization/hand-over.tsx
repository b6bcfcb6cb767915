import { z } from 'zod';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { Refusal, type RefusalCode } from '../../../commands/engine/refusal.ts';
import { notFound } from '../../../http/http-errors.ts';
import { familyQueryFor } from '../../../queries/family-query.ts';
import { readAllMembersOf } from '../../../queries/records/member-names.ts';
import { Table } from '../../components/components.tsx';
import { type Choice, FormError, SelectField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { REASON_FIELDS, ReasonField } from '../../components/reason-field.tsx';
import { countOwnedRecords, type OwnedCount, OwnedRecords, ownedTotalText } from '../../register/owned-records.tsx';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callTool } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, filledForm, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'members' | 'tools' | 'reader' | 'readNames'>;

const HAND_OVER = '/organizations/:id/members/:account/hand-over';
const FIELDS = {
  owner_id: singleField(z.string().min(1, 'Choose a member.')),
  /** The selection of the dry run that the page shows; empty before it. */
  selection: singleField(z.string()),
  ...REASON_FIELDS,
};
/** Events contain no names of people, so neither does this. */
const DEFAULT_REASON = 'Hand-over of everything of one person';

/** The records that a hand-over would change, as the dry run answers them. */
interface Plan {
  call_id?: string;
  updated: number;
  remaining?: number;
  selection?: string;
  rows: readonly { id: string; name: string; errors?: readonly { message: string }[] }[];
}

/** Hands over the unfinished records of a present or former member: shows them first, then changes their owner. */
export const handOverPage = (context: Collaborators): Route[] => [
  get(HAND_OVER, async (request) => page(await readHandOver(context, request), BLANK_FORM, null)),
  post(HAND_OVER, async (request) => {
    const handOver = await readHandOver(context, request);
    const { organization, account, path, choices } = handOver;
    const { result, form } = await submitForm(request.formValues, FIELDS, async ({ owner_id, selection, reason }) => {
      const { answer, error } = await callTool(context, request, 'importRecords', {
        organization_id: organization.id,
        set: { owner_id },
        filter: { owner_id: [account], unfinished: true },
        reason: reason ?? DEFAULT_REASON,
        ...(selection === '' ? { dry_run: true } : { selection }),
      });
      if (error !== null) throw new Refusal(error.code as RefusalCode, error.message, { field: 'owner_id' });
      return { owner_id, isDone: selection !== '', reason: reason ?? '', plan: answer as unknown as Plan };
    });
    if (form !== null) return page(handOver, form, null);
    const { owner_id, isDone, reason, plan } = result;
    if (!isDone) return page(handOver, filledForm({ owner_id, reason }), plan);
    const done = `${recordsText(plan.updated)} handed over to ${choices.find(({ value }) => value === owner_id)?.label ?? owner_id}.`;
    // The records of a former member would stay with the new owner.
    const undo = handOver.isMember ? undoOfCall(handOver, { ...plan }) : undefined;
    if (plan.remaining === undefined) return redirect(`${path}/members`, done, undo);
    return redirect(`${path}/members/${account}/hand-over`, `${done} ${recordsText(plan.remaining)} left.`, undo);
  }),
];

const recordsText = (count: number): string => (count === 1 ? '1 record' : `${count} records`);

type HandOver = MembershipContext & {
  account: string;
  /** The name of the person who owns the records. */
  name: string;
  owned: readonly OwnedCount[];
  /** False for a former member. */
  isMember: boolean;
  /** The members who can own them. */
  choices: readonly Choice[];
};

/** @throws HttpError 404 for an account that neither is nor was a member */
async function readHandOver(context: Collaborators, request: SignedInRequest): Promise<HandOver> {
  const membership = await requireMembership(context, request, 'changeRecords');
  const { id } = membership.organization;
  const { account = '' } = request.params;
  const { members, reader } = context;
  if (!(await readAllMembersOf(reader.snapshot(), id)).has(account))
    throw notFound('No such member. Choose one from the list of members.');
  const caller = await members.callerOf(request.person.account.id);
  const present = (await members.membersOf(id)).filter(({ ended }) => !ended);
  const others = present.filter(({ account_id }) => account_id !== account);
  return {
    ...membership,
    account,
    name: (await context.readNames(id, [account])).of(account),
    owned: await countOwnedRecords(reader, caller, id, account),
    isMember: present.length > others.length,
    choices: others.map(({ account_id, name }) => ({ value: account_id, label: name })),
  };
}

/** @param plan what the chosen hand-over would change; null before it is known */
function page(handOver: HandOver, form: FormState, plan: Plan | null): WebPage {
  const { organization, path, account, name, owned } = handOver;
  return {
    title: `Hand over the records of ${name}`,
    section: `${path}/members`,
    organization,
    form,
    body: (
      <>
        <p>
          {name} owns {ownedTotalText(owned)}. <a href={`${path}/members`}>All members</a>
        </p>
        <OwnedRecords owned={owned} organizationId={organization.id} account={account} />
        {plan === null ? (
          <ChooseCard handOver={handOver} form={form} />
        ) : (
          <PlanCard handOver={handOver} form={form} plan={plan} />
        )}
      </>
    ),
  };
}

interface CardProps {
  handOver: HandOver;
  form: FormState;
}

function ChooseCard({ handOver: { path, account, choices }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="hand-over-title">
      <h2 id="hand-over-title">New owner</h2>
      <Form action={`${path}/members/${account}/hand-over`}>
        <FormError form={form} />
        <p>Finished records, such as closed risks, keep their owner. You see the others before anything changes.</p>
        <SelectField form={form} name="owner_id" label="New owner" choices={choices} prompt="Choose a member" />
        <ReasonField form={form} />
        <button type="submit">Show what changes</button>
      </Form>
    </section>
  );
}

function PlanCard({ handOver: { organization, path, account }, form, plan }: CardProps & { plan: Plan }) {
  const { updated, remaining, selection, rows } = plan;
  const [owner_id = '', reason = ''] = ['owner_id', 'reason'].map((name) => form.values.get(name)?.[0]);
  if (selection === undefined || updated === 0) return <p>Nothing to hand over: all of these records are finished.</p>;
  return (
    <section class="card" aria-labelledby="hand-over-title">
      <h2 id="hand-over-title">{recordsText(updated)} get the new owner</h2>
      <Table
        caption="Records"
        head={['Record', 'Problem']}
        rows={rows.map(({ id, name, errors = [] }) => ({
          key: id,
          cells: [
            <a key="record" href={organizationAddress(organization.id, `/${familyQueryFor(id).plural}/${id}`)}>
              {name}
            </a>,
            errors.map(({ message }) => message).join(' '),
          ],
        }))}
      />
      {remaining !== undefined && <p>{recordsText(remaining)} more follow: hand over again after this.</p>}
      <Form action={`${path}/members/${account}/hand-over`}>
        <input type="hidden" name="owner_id" value={owner_id} />
        <input type="hidden" name="reason" value={reason} />
        <input type="hidden" name="selection" value={selection} />
        <button type="submit">Hand over {recordsText(updated)}</button>{' '}
        <a href={`${path}/members/${account}/hand-over`}>Choose another owner</a>
      </Form>
    </section>
  );
}
