import { needsAnotherApprover } from '../../../commands/autonomy.ts';
import { effectsLeftOut, STATE_WORDS } from '../../../commands/proposal.ts';
import { notFound } from '../../../http/http-errors.ts';
import { findProposal, type Proposal } from '../../../queries/proposals.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { hasRows, type ProposalPreview } from '../../../tools/proposals/proposals.ts';
import { LongDay, MomentTime, Timestamp } from '../../components/components.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { callerOfSession, throughText } from '../../server/call-tool.ts';
import type { FormState } from '../../server/form-state.ts';
import type { SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { mayChange, openRegister, type RegisterView, registerAddress } from '../open-register.ts';
import { isChangeable } from './changes-form.tsx';
import { type Dependents, effectsOf, readDependents } from './dependents.ts';
import type { ProposalCollaborators } from './proposal-collaborators.ts';
import {
  IN_ROWS,
  ProposalEffects,
  proposalTitle,
  readEffectNames,
  refusedText,
  resultText,
  severalAddress,
} from './proposal-effects.tsx';
import { type QuotedText, RecordTexts, readRecordTexts } from './record-texts.tsx';

export const idOf = ({ params }: SignedInRequest): string => params.proposal ?? '';

/** Shows the past moment in the frame. Today has no control for choosing one: proposals are never read as of the past. */
export const pastMoment = (view: RegisterView): Pick<WebPage, 'moment'> => (view.past === null ? {} : { moment: view });

/** Says on a page opened from the past that it shows today, and leads back to the past. */
export function TodayNotice({ view }: { view: RegisterView }) {
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

export const byline = (name: string, { client }: Proposal): string => throughText(name, client);

/** Returns true if an approval would do something now. */
export const isApprovable = ({ refusal, effects }: ProposalPreview): boolean => refusal === null && effects.length > 0;

/** Proposals before one that its page names. Each can hold 700 KB. */
const MAX_FIRSTS = 10;

/** The id of the form that approves. */
const APPROVE_FORM = 'approval';

/** A proposal as its page shows it. */
interface ProposalDetails {
  view: RegisterView;
  proposal: Proposal;
  /** Null for a reader who may not decide, and for one that is decided. */
  preview: ProposalPreview | null;
  nameOf: (accountId: string) => string;
  /** The names of the records and people in its effects. */
  names: NamesByKey;
  /** The proposals that it depends on, of which the page names some. */
  firsts: readonly Proposal[];
  /** The proposals that end with it if the reader declines it. */
  dependents: Dependents;
  /** The reader's account made it. */
  isOwn: boolean;
  /** The reader approved it, and what it says wasn't all done. */
  isInterrupted: boolean;
  /** Texts of the records that it would change, for a reader who decides. */
  texts: readonly QuotedText[];
}

async function readDetails(context: ProposalCollaborators, request: SignedInRequest): Promise<ProposalDetails> {
  const view = await openRegister(context, request);
  const { organization, snapshot } = view;
  const proposal = await findProposal(snapshot, organization.id, idOf(request));
  if (proposal === null) throw notFound('There is no such proposal here. Choose one from the list of proposals.');
  const { id, state, proposed_by, decided_by } = proposal;
  const mayDecide = state === 'OPEN' && mayChange(view, 'changeRecords');
  const preview = mayDecide ? await context.proposals.preview(id, await callerOfSession(context, request)) : null;
  const people = await context.readNames(organization.id, peopleOf(proposal));
  const { effects, approved_effects, depends_on } = proposal;
  const firsts: Proposal[] = [];
  for (const first of depends_on.slice(0, MAX_FIRSTS))
    firsts.push((await findProposal(snapshot, organization.id, first))!);
  const named = new Set(effects.flatMap(({ record_id, linked_id }) => [record_id, linked_id]));
  const dependents = preview === null ? { named: [], total: 0 } : await readDependents(view, id);
  const shown = [
    ...effectsOf(dependents),
    ...(preview?.effects ?? []),
    ...effects,
    ...(approved_effects ?? []),
    ...firsts.flatMap((first) => first.effects.filter(({ record_id }, index) => index === 0 || named.has(record_id))),
  ];
  const names = await readEffectNames(view, shown);
  const reader = request.person.account.id;
  const isInterrupted = state === 'APPROVED' && decided_by === reader && view.past === null;
  return {
    view,
    proposal,
    preview,
    nameOf: (account) => people.of(account),
    names,
    firsts,
    dependents,
    isOwn: proposed_by === reader,
    isInterrupted,
    texts: preview === null ? [] : await readRecordTexts(view, proposal.effects),
  };
}

/** Returns the accounts that made a proposal and decided on it. */
const peopleOf = ({ proposed_by, decided_by }: Proposal): string[] =>
  decided_by === null ? [proposed_by] : [proposed_by, decided_by];

export async function proposalPage(
  context: ProposalCollaborators,
  request: SignedInRequest,
  form: FormState,
): Promise<WebPage> {
  const details = await readDetails(context, request);
  const { view, proposal, preview, nameOf, names, firsts, isInterrupted, texts } = details;
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
        {proposal.state !== 'OPEN' && <Outcome details={details} />}
        {isInterrupted && <Interrupted address={`${section}/${proposal.id}`} />}
        {proposal.reason !== null && (
          <section class="card" aria-label="Reason">
            <p class="muted">The reason, as {proposal.client ?? 'the proposer'} wrote it:</p>
            <p>
              <q>{proposal.reason}</q>
            </p>
          </section>
        )}
        {firsts.length > 0 && (
          <p class="muted">
            It depends on <ProposalLinks view={view} proposals={firsts} names={names} />
            {proposal.depends_on.length > firsts.length && ` and ${proposal.depends_on.length - firsts.length} more`}.
          </p>
        )}
        <Effects details={details} />
        {preview !== null && <Decisions details={details} form={form} address={`${section}/${proposal.id}`} />}
        <RecordTexts texts={texts} />
        {preview === null && proposal.state === 'OPEN' && view.past === null && (
          <p>Editors, admins and owners decide on proposals, each on what their role may do.</p>
        )}
      </>
    ),
  };
}

/** Shows what an approval would do. If something changed since, that comes first, and what was proposed is folded. */
function Effects({ details }: { details: ProposalDetails }) {
  const { view, proposal, preview, names } = details;
  const isNow = preview !== null && preview.refusal === null;
  const chosenBy = isNow && hasRows(proposal, preview.effects) ? APPROVE_FORM : undefined;
  const title = proposal.state === 'OPEN' ? 'What it would do' : 'What it was to do';
  return (
    <>
      {preview?.isChanged && <Changed {...{ proposal, preview }} isOwn={details.isOwn} />}
      {preview !== null && preview.waitsFor.length > 0 && <WaitsFor details={details} proposals={preview.waitsFor} />}
      <section class="card" aria-label={title}>
        <h2>{title}</h2>
        {chosenBy !== undefined && <p class="muted">Clear the boxes of rows to leave out.</p>}
        <ProposalEffects
          view={view}
          effects={isNow ? preview.effects : proposal.effects}
          names={names}
          chosenBy={chosenBy}
        />
      </section>
      <Approved details={details} />
      {isNow && preview.isChanged && (
        <details class="card">
          <summary>What it would have done when it was proposed</summary>
          <ProposalEffects view={view} effects={proposal.effects} names={names} />
        </details>
      )}
    </>
  );
}

/** Shows what was approved, where that is not all that was proposed, or something else. */
function Approved({ details: { view, proposal, names } }: { details: ProposalDetails }) {
  const { state, approved_effects } = proposal;
  if (state !== 'APPROVED' && state !== 'CARRIED_OUT') return null;
  const leftOut = effectsLeftOut(proposal);
  return (
    <>
      {approved_effects !== null && (
        <section class="card" aria-label="What was approved">
          <h2>What was approved</h2>
          <ProposalEffects view={view} effects={approved_effects} names={names} />
        </section>
      )}
      {leftOut.length > 0 && (
        <section class="card" aria-label="What was left out">
          <h2>What was left out</h2>
          <ProposalEffects view={view} effects={leftOut} names={names} />
        </section>
      )}
    </>
  );
}

/** Says what became of a proposal. */
function Outcome({ details }: { details: ProposalDetails }) {
  const { proposal, nameOf } = details;
  const { state, decided_by, decision_reason, approved_input, done, refused, expires_at, effects } = proposal;
  const person = decided_by === 'SYSTEM' ? 'veritrail' : decided_by && nameOf(decided_by);
  return (
    <p class="notice">
      This proposal is{' '}
      {approved_input === null ? STATE_WORDS[state] : STATE_WORDS[state].replace('approved', 'approved with changes')}
      {person !== null && `, by ${person}`}
      {state === 'EXPIRED' && (
        <>
          , since <Timestamp at={expires_at} />
        </>
      )}
      .
      {decision_reason !== null && (
        <>
          {' '}
          <q>
            <DecisionReason details={details} />
          </q>
        </>
      )}
      {done !== null && ` ${resultText(effects, done)}`}
      {refused.map(({ record_id, message }) => (
        <span key={record_id ?? message} class="fault">
          {' '}
          Refused: {refusedText(message, proposal)}
        </span>
      ))}
    </p>
  );
}

/** The reason for a decision. The service's own names the proposal that this one depends on, by its id. */
function DecisionReason({ details: { view, proposal, firsts, names } }: { details: ProposalDetails }) {
  const text = proposal.decision_reason ?? '';
  const first = firsts.find(({ id }) => text.includes(id));
  if (first === undefined) return <>{text}</>;
  const at = text.indexOf(first.id);
  return (
    <>
      {text.slice(0, at)}
      <a href={registerAddress(view, `/proposals/${first.id}`)}>{proposalTitle(first, names)}</a>
      {text.slice(at + first.id.length)}
    </>
  );
}

/** Leads to the decision on a proposal together with those whose records it names. */
function WaitsFor({ details, proposals }: { details: ProposalDetails; proposals: readonly Proposal[] }) {
  const { view, proposal } = details;
  return (
    <p class="notice warning">
      This names records that other proposals would add. Decide on those first, or{' '}
      <a href={severalAddress(view, [...proposals, proposal])}>on all together</a>.
    </p>
  );
}

/** Names proposals and their states. */
function ProposalLinks(props: { view: RegisterView; proposals: readonly Proposal[]; names: NamesByKey }) {
  const { view, proposals, names } = props;
  return proposals.map((proposal, index) => (
    <span key={proposal.id}>
      {index > 0 && ', '}
      <a href={registerAddress(view, `/proposals/${proposal.id}`)}>{proposalTitle(proposal, names)}</a> (
      {STATE_WORDS[proposal.state]})
    </span>
  ));
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

/** Says that an approval would do something else than what was proposed, or why this reader's would do nothing. */
export function Changed(props: { proposal: Proposal; preview: ProposalPreview; isOwn: boolean }) {
  const { proposal, preview, isOwn } = props;
  const { refusal } = preview;
  const isForOthers = isOwn && refusal?.message === needsAnotherApprover().message;
  return (
    <p class="notice warning">
      {refusal === null
        ? 'Something changed since this was proposed. Below stands what approving would do now.'
        : isForOthers
          ? 'You proposed this. Somebody else must approve it.'
          : `Approving would do nothing now: ${refusedText(refusal.message, proposal)}`}
    </p>
  );
}

/** The buttons: approve first, then decline with a reason, and for its own account withdraw. */
function Decisions(props: { details: ProposalDetails; form: FormState; address: string }) {
  const { form, address: base } = props;
  const { isOwn, proposal } = props.details;
  const preview = props.details.preview!;
  const { view, names, dependents } = props.details;
  const more = dependents.total - dependents.named.length;
  const doesNothing = preview.refusal === null && !isApprovable(preview);
  return (
    <section class="card" aria-label="Decide">
      {isApprovable(preview) && (
        <Form class="field" id={APPROVE_FORM} action={`${base}/approve`}>
          <input type="hidden" name="seen" value={preview.seen} />
          {hasRows(proposal, preview.effects) && <input type="hidden" name={IN_ROWS} value="yes" />}
          <button type="submit" id="approve">
            Approve
          </button>
        </Form>
      )}
      {preview.refusal?.code !== 'forbidden' &&
        !doesNothing &&
        isChangeable(proposal) &&
        preview.waitsFor.length === 0 && (
          <p class="field">
            <a class="button quiet" href={`${base}/change`}>
              Approve with changes
            </a>
          </p>
        )}
      {dependents.total > 0 && (
        <p class="muted">
          If it is declined or withdrawn, those that depend on it end too:{' '}
          <ProposalLinks view={view} proposals={dependents.named} names={names} />
          {more > 0 && ` and ${more} more`}.
        </p>
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
