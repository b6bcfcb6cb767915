import { z } from 'zod';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { type ProposalState, STATE_WORDS } from '../../../commands/proposal.ts';
import { notFound } from '../../../http/http-errors.ts';
import { findProposal, listProposals, type Proposal, proposedChanges } from '../../../queries/proposals.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { codeWords } from '../../../texts/words.ts';
import type { ProposalPreview } from '../../../tools/proposals/proposals.ts';
import { LongDay, MomentTime, Table, Timestamp } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { PageLinks } from '../../components/paging.tsx';
import type { ChipTone } from '../../register/displayed-state.ts';
import { StateChip } from '../../register/field-content.tsx';
import {
  mayChange,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import {
  effectAddress,
  lastEventText,
  ProposalEffects,
  proposalTitle,
  readEffectNames,
  resultText,
} from '../../register/proposals/proposal-effects.tsx';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callerOfSession } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

const LIST = '/organizations/:id/proposals';
const ONE = `${LIST}/:proposal`;

/** Proposals of a page. Each can hold 700 KB. */
const PROPOSALS_PER_PAGE = 20;

/** The tones of the states. What waits for somebody has a colour. */
const STATE_TONES: Readonly<Record<keyof typeof STATE_WORDS, ChipTone>> = {
  OPEN: 'warning',
  APPROVED: 'warning',
  CARRIED_OUT: 'done',
  DECLINED: 'plain',
  WITHDRAWN: 'plain',
  EXPIRED: 'plain',
};

const SEEN_FIELDS = { seen: singleField(z.string().min(1, 'Look at the proposal again, then approve it.')) };
const DECLINE_FIELDS = {
  reason: singleField(z.string().trim().min(1, 'Give a reason: why you decline it.').max(2_000)),
};

type Collaborators = RegisterCollaborators & Pick<WebContext, 'proposals' | 'readNames'>;

/** Shows proposals of assistants, and takes the decisions of people. */
export const proposalPages = (context: Collaborators): Route[] => [
  get(LIST, async (request) => listPage(context, await openRegister(context, request))),
  get(ONE, async (request) => onePage(context, request, BLANK_FORM)),
  post(`${ONE}/approve`, async (request) => {
    const { result, form } = await submitForm(request.formValues, SEEN_FIELDS, async ({ seen }) =>
      context.proposals.approve(idOf(request), await callerOfSession(context, request), { seen }),
    );
    if (form !== null) return onePage(context, request, form);
    return approvedRedirect(await openRegister(context, request), result);
  }),
  post(`${ONE}/decline`, async (request) => {
    const { form } = await submitForm(request.formValues, DECLINE_FIELDS, async ({ reason }) =>
      context.proposals.decline(idOf(request), await callerOfSession(context, request), reason),
    );
    return form === null
      ? redirect(listAddress(request), 'Declined. Nothing was changed.')
      : onePage(context, request, form);
  }),
  post(`${ONE}/withdraw`, async (request) => {
    const { form } = await submitForm(request.formValues, {}, async () =>
      context.proposals.withdraw(idOf(request), await callerOfSession(context, request)),
    );
    return form === null
      ? redirect(listAddress(request), 'Withdrawn. Nothing was changed.')
      : onePage(context, request, form);
  }),
];

const idOf = ({ params }: SignedInRequest): string => params.proposal ?? '';
const listAddress = ({ params }: SignedInRequest): string => `/organizations/${params.id}/proposals`;

/** Says what an approval did, with the record if there is one, and offers to undo it. */
async function approvedRedirect(view: RegisterView, { effects, done, refused, call_id }: ProposalState) {
  const { changes = [] } = proposedChanges(effects);
  const undo = done ? undoOfCall(view, { call_id: call_id ?? undefined, changes }) : undefined;
  const [effect] = effects;
  const address = organizationAddress(view.organization.id, '/proposals');
  const name = effect && (await readEffectNames(view, effects)).get(effect.record_id);
  if (name !== undefined && effects.length === 1 && done === 1) {
    return redirect(address, `Approved. ${lastEventText(effect!)}:`, undo, {
      address: effectAddress(view, effect!),
      name,
    });
  }
  const left = refused.length === 0 ? '' : ` ${refused.length} refused: ${refused[0]!.message}`;
  return redirect(address, `Approved. ${resultText(effects, done ?? 0)}${left}`, undo);
}

async function listPage({ readNames }: Collaborators, view: RegisterView): Promise<WebPage> {
  const { organization, snapshot, query } = view;
  const isAll = query.get('show') === 'all';
  const section = organizationAddress(organization.id, '/proposals');
  const listAt = (show: 'all' | undefined, after?: string) => registerAddress(view, '/proposals', { show, after });
  const from = await findProposal(snapshot, organization.id, query.get('after') ?? '');
  const found = await listProposals(snapshot, organization.id, {
    limit: PROPOSALS_PER_PAGE + 1,
    ...(isAll ? {} : { only: 'OPEN' }),
    ...(from === null ? {} : { after: from }),
  });
  const rows = found.slice(0, PROPOSALS_PER_PAGE);
  const show = isAll ? 'all' : undefined;
  const targets = {
    first: from === null ? null : listAt(show),
    next: found.length > rows.length ? listAt(show, rows.at(-1)!.id) : null,
  };
  const people = await readNames(
    organization.id,
    rows.flatMap(({ proposed_by, decided_by }) => [proposed_by, ...(decided_by === null ? [] : [decided_by])]),
  );
  const names = await readEffectNames(
    view,
    rows.flatMap(({ effects }) => effects.slice(0, 1)),
  );
  return {
    title: 'Proposals',
    section,
    organization,
    ...pastMoment(view),
    body: (
      <>
        <TodayNotice view={view} />
        <p class="sub">
          What assistants may not change alone, and what needs a second person. Nothing is changed before somebody
          approves it.
        </p>
        <ul class="plain row">
          {[
            { text: 'Open', href: listAt(undefined), isShown: !isAll },
            { text: 'All', href: listAt('all'), isShown: isAll },
          ].map(({ text, href, isShown }) => (
            <li key={text}>
              <a class="button quiet" href={href} aria-current={isShown ? 'true' : undefined}>
                {text}
              </a>
            </li>
          ))}
        </ul>
        {rows.length === 0 ? (
          <p>{isAll ? 'Nobody has proposed anything yet.' : 'No proposal waits for a decision.'}</p>
        ) : (
          <Table
            caption="Proposals"
            head={['Proposal', 'By', 'Proposed', 'State']}
            rows={rows.map((proposal) => ({
              key: proposal.id,
              cells: [
                <>
                  <a href={registerAddress(view, `/proposals/${proposal.id}`)} data-row>
                    {proposalTitle(proposal, names)}
                  </a>
                  {proposal.reason !== null && (
                    <small>
                      <br />
                      <q>{proposal.reason}</q>
                    </small>
                  )}
                </>,
                byline(people.of(proposal.proposed_by), proposal),
                <Timestamp at={proposal.created_at} />,
                <StateChip
                  key="state"
                  tone={STATE_TONES[proposal.state]}
                  text={codeWords(STATE_WORDS[proposal.state])}
                />,
              ],
            }))}
          />
        )}
        {targets.next !== null && <p class="muted">Older ones are not on this page.</p>}
        <PageLinks label="Pages of proposals" targets={targets} />
      </>
    ),
  };
}

/** Shows the past moment in the frame. Today has no control for choosing one: proposals are never read as of the past. */
const pastMoment = (view: RegisterView): Pick<WebPage, 'moment'> => (view.past === null ? {} : { moment: view });

/** Says on a page opened from the past that it shows today, and leads back to the past. */
function TodayNotice({ view }: { view: RegisterView }) {
  if (view.past === null) return null;
  return (
    <p class="notice">
      This page shows proposals as they are today, and takes no decisions while you view the past.{' '}
      <a href={registerAddress(view, '')}>
        Back to the register at <MomentTime at={view.past.time} />
      </a>
    </p>
  );
}

const byline = (name: string, { client }: Proposal): string => (client === null ? name : `${name}, with ${client}`);

/** A proposal as its page shows it. */
interface ProposalDetails {
  view: RegisterView;
  proposal: Proposal;
  /** Null for a reader who may not decide, and for one that is decided. */
  preview: ProposalPreview | null;
  nameOf: (accountId: string) => string;
  /** The names of the records and people in its effects. */
  names: NamesByKey;
  /** The reader's account made it. */
  isOwn: boolean;
  /** The reader approved it, and what it says wasn't all done. */
  isInterrupted: boolean;
}

async function readDetails(context: Collaborators, request: SignedInRequest): Promise<ProposalDetails> {
  const view = await openRegister(context, request);
  const { organization, snapshot } = view;
  const proposal = await findProposal(snapshot, organization.id, idOf(request));
  if (proposal === null) throw notFound('There is no such proposal here. Choose one from the list of proposals.');
  const { id, state, proposed_by, decided_by } = proposal;
  const mayDecide = state === 'OPEN' && mayChange(view, 'changeRecords');
  const preview = mayDecide ? await context.proposals.preview(id, await callerOfSession(context, request)) : null;
  const people = await context.readNames(organization.id, peopleOf(proposal));
  const names = await readEffectNames(view, [...(preview?.effects ?? []), ...proposal.effects]);
  const reader = request.person.account.id;
  const isInterrupted = state === 'APPROVED' && decided_by === reader && view.past === null;
  return {
    view,
    proposal,
    preview,
    nameOf: (account) => people.of(account),
    names,
    isOwn: proposed_by === reader,
    isInterrupted,
  };
}

/** Returns the accounts that made a proposal and decided on it. */
const peopleOf = ({ proposed_by, decided_by }: Proposal): string[] =>
  decided_by === null ? [proposed_by] : [proposed_by, decided_by];

async function onePage(context: Collaborators, request: SignedInRequest, form: FormState): Promise<WebPage> {
  const details = await readDetails(context, request);
  const { view, proposal, preview, nameOf, names, isInterrupted } = details;
  const { organization } = view;
  const section = `/organizations/${organization.id}/proposals`;
  return {
    title: proposalTitle(proposal, names),
    section,
    organization,
    form,
    ...pastMoment(view),
    body: (
      <>
        <TodayNotice view={view} />
        <p class="sub">
          Proposed by {byline(nameOf(proposal.proposed_by), proposal)}, <Timestamp at={proposal.created_at} />.{' '}
          {proposal.state === 'OPEN' && (
            <>
              It expires on <LongDay at={proposal.expires_at} />.{' '}
            </>
          )}
          <a href={registerAddress(view, '/proposals')}>All proposals</a>
        </p>
        <FormError form={form} ids={{ seen: 'approve' }} />
        {proposal.state !== 'OPEN' && <Outcome proposal={proposal} nameOf={nameOf} />}
        {isInterrupted && <Interrupted address={`${section}/${proposal.id}`} />}
        {proposal.reason !== null && (
          <section class="card" aria-label="Reason">
            <p class="muted">The reason, as {proposal.client ?? 'the proposer'} wrote it:</p>
            <p>
              <q>{proposal.reason}</q>
            </p>
          </section>
        )}
        <Effects details={details} />
        {preview !== null && <Decisions details={details} form={form} address={`${section}/${proposal.id}`} />}
        {preview === null && proposal.state === 'OPEN' && view.past === null && (
          <p>Editors, admins and owners decide on proposals, each on what their role may do.</p>
        )}
      </>
    ),
  };
}

/** Shows what an approval would do. If something changed since, that comes first, and what was proposed is folded. */
function Effects({ details: { view, proposal, preview, names } }: { details: ProposalDetails }) {
  const isNow = preview !== null && preview.refusal === null;
  const title = proposal.state === 'OPEN' ? 'What it would do' : 'What it was to do';
  return (
    <>
      {preview?.isChanged && <Changed preview={preview} />}
      {preview !== null && preview.waitsFor.length > 0 && (
        <WaitsFor view={view} proposals={preview.waitsFor} names={names} />
      )}
      <section class="card" aria-label={title}>
        <h2>{title}</h2>
        <ProposalEffects view={view} effects={isNow ? preview.effects : proposal.effects} names={names} />
      </section>
      {isNow && preview.isChanged && (
        <details class="card">
          <summary>What it would have done when it was proposed</summary>
          <ProposalEffects view={view} effects={proposal.effects} names={names} />
        </details>
      )}
    </>
  );
}

/** Says what became of a proposal. */
function Outcome({ proposal, nameOf }: Pick<ProposalDetails, 'proposal' | 'nameOf'>) {
  const { state, decided_by, decision_reason, done, refused, expires_at, effects } = proposal;
  return (
    <p class="notice">
      This proposal is {STATE_WORDS[state]}
      {decided_by !== null && `, by ${nameOf(decided_by)}`}
      {state === 'EXPIRED' && (
        <>
          , since <Timestamp at={expires_at} />
        </>
      )}
      .
      {decision_reason !== null && (
        <>
          {' '}
          <q>{decision_reason}</q>
        </>
      )}
      {done !== null && ` ${resultText(effects, done)}`}
      {refused.map(({ record_id, message }) => (
        <span key={record_id ?? message} class="fault">
          {' '}
          Refused: {message}
        </span>
      ))}
    </p>
  );
}

/** Leads to the proposals whose records this one names. */
function WaitsFor(props: { view: RegisterView; proposals: readonly Proposal[]; names: NamesByKey }) {
  const { view, proposals, names } = props;
  return (
    <p class="notice warning">
      This names records that other proposals would add. Decide on those first:{' '}
      {proposals.map((proposal, index) => (
        <span key={proposal.id}>
          {index > 0 && ', '}
          <a href={`/organizations/${view.organization.id}/proposals/${proposal.id}`}>
            {proposalTitle(proposal, names)}
          </a>
        </span>
      ))}
      .
    </p>
  );
}

/** Finishes an approval that was interrupted before everything was done. */
function Interrupted({ address }: { address: string }) {
  return (
    <section class="card" aria-label="Finish">
      <p>You approved this, and it was interrupted. Finish it: nothing is done twice.</p>
      <Form action={`${address}/approve`}>
        <input type="hidden" name="seen" value="approved" />
        <button type="submit">Finish</button>
      </Form>
    </section>
  );
}

function Changed({ preview: { refusal } }: { preview: ProposalPreview }) {
  return (
    <p class="notice warning">
      {refusal === null
        ? 'Something changed since this was proposed. Below stands what approving would do now.'
        : `Approving would do nothing now: ${refusal.message}`}
    </p>
  );
}

/** The buttons: approve first, then decline with a reason, and for its own account withdraw. */
function Decisions(props: { details: ProposalDetails; form: FormState; address: string }) {
  const { form, address: base } = props;
  const { isOwn } = props.details;
  const preview = props.details.preview!;
  return (
    <section class="card" aria-label="Decide">
      {preview.refusal === null && (
        <Form class="field" action={`${base}/approve`}>
          <input type="hidden" name="seen" value={preview.seen} />
          <button type="submit" id="approve">
            Approve
          </button>
        </Form>
      )}
      <Form class="field" action={`${base}/decline`}>
        <TextField
          form={form}
          name="reason"
          label="Reason for declining"
          hint="Required. Kept in the history."
          maxLength={2_000}
        />
        <button type="submit" class="quiet">
          Decline
        </button>
      </Form>
      {isOwn && (
        <Form action={`${base}/withdraw`}>
          <button type="submit" class="quiet">
            Withdraw
          </button>
        </Form>
      )}
    </section>
  );
}
