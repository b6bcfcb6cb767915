import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { Caller } from '../../../commands/organization/caller.ts';
import { type ProposalState, STATE_WORDS } from '../../../commands/proposal.ts';
import { findProposal, listProposals, type Proposal, proposedChanges } from '../../../queries/proposals.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { codeWords } from '../../../texts/words.ts';
import { Table, Timestamp } from '../../components/components.tsx';
import { PageLinks } from '../../components/paging.tsx';
import type { ChipTone } from '../../register/displayed-state.ts';
import { StateChip } from '../../register/field-content.tsx';
import { openForm } from '../../register/forms/open-form.ts';
import { mayChange, openRegister, type RegisterView, registerAddress } from '../../register/open-register.ts';
import { approveChanged, changedCallPage } from '../../register/proposals/changes-form.tsx';
import { endingText } from '../../register/proposals/dependents.ts';
import type { ProposalCollaborators } from '../../register/proposals/proposal-collaborators.ts';
import {
  CHOSEN,
  effectAddress,
  IN_ROWS,
  lastEventText,
  proposalTitle,
  ROW,
  readEffectNames,
  resultText,
  severalAddress,
} from '../../register/proposals/proposal-effects.tsx';
import { byline, idOf, pastMoment, proposalPage, TodayNotice } from '../../register/proposals/proposal-page.tsx';
import { chosenIds, seenApprovals, severalPage, severalRedirect } from '../../register/proposals/several-page.tsx';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callerOfSession } from '../../server/call-tool.ts';
import { BLANK_FORM, checkboxField, repeatedField, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { requireReauthenticationFor } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

const LIST = '/organizations/:id/proposals';
const SEVERAL = `${LIST}/several`;
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

const APPROVE_FIELDS = {
  seen: singleField(z.string().min(1, 'Look at the proposal again, then approve it.')),
  [ROW]: repeatedField(z.string()),
  [IN_ROWS]: checkboxField(),
};
const DECLINE_FIELDS = {
  reason: singleField(z.string().trim().min(1, 'Give a reason: why you decline it.').max(2_000)),
};

/** Shows proposals of assistants, and takes the decisions of people. */
export const proposalPages = (context: ProposalCollaborators): Route[] => [
  get(LIST, async (request) => listPage(context, request, await openRegister(context, request))),
  get(SEVERAL, async (request) => severalPage(context, request, BLANK_FORM)),
  post(`${SEVERAL}/approve`, async (request) => {
    await openForm(context, request, 'changeRecords');
    const approvals = seenApprovals(request);
    const caller = await mayApprove(context, request, [...approvals.keys()], listAddress(request));
    const decided = await context.proposals.approveAll(approvals, caller);
    return severalRedirect(listAddress(request), 'Approved', decided);
  }),
  post(`${SEVERAL}/decline`, async (request) => {
    await openForm(context, request, 'changeRecords');
    const { result, form } = await submitForm(request.formValues, DECLINE_FIELDS, async ({ reason }) =>
      context.proposals.declineAll(chosenIds(request), await callerOfSession(context, request), reason),
    );
    return form === null
      ? severalRedirect(listAddress(request), 'Declined', result)
      : severalPage(context, request, form);
  }),
  get(ONE, async (request) => proposalPage(context, request, BLANK_FORM)),
  post(`${ONE}/approve`, async (request) => {
    const { result, form } = await submitForm(request.formValues, APPROVE_FIELDS, async (fields) => {
      const id = idOf(request);
      const caller = await mayApprove(context, request, [id], `${listAddress(request)}/${id}`);
      const rows = fields[IN_ROWS] ? fields[ROW] : undefined;
      return context.proposals.approve(id, caller, { seen: fields.seen, rows });
    });
    if (form !== null) return proposalPage(context, request, form);
    return approvedRedirect(await openRegister(context, request), result);
  }),
  get(`${ONE}/change`, (request) => changedCallPage(context, request)),
  post(`${ONE}/change`, async (request) => {
    const outcome = await approveChanged(context, request);
    if ('page' in outcome) return outcome.page;
    return approvedRedirect(await openRegister(context, request), outcome.approved);
  }),
  post(`${ONE}/decline`, async (request) => {
    const { result: ending, form } = await submitForm(request.formValues, DECLINE_FIELDS, async ({ reason }) => {
      const text = await endingText(await openRegister(context, request), idOf(request));
      await context.proposals.decline(idOf(request), await callerOfSession(context, request), reason);
      return text;
    });
    return form === null
      ? redirect(listAddress(request), `Declined${ending}. Nothing was changed.`)
      : proposalPage(context, request, form);
  }),
  post(`${ONE}/withdraw`, async (request) => {
    const { result: ending, form } = await submitForm(request.formValues, {}, async () => {
      const text = await endingText(await openRegister(context, request), idOf(request));
      await context.proposals.withdraw(idOf(request), await callerOfSession(context, request));
      return text;
    });
    return form === null
      ? redirect(listAddress(request), `Withdrawn${ending}. Nothing was changed.`)
      : proposalPage(context, request, form);
  }),
];

const listAddress = ({ params }: SignedInRequest): string => `/organizations/${params.id}/proposals`;

/**
 * Returns the person who approves proposals. For a call that gives or takes access, such as another policy, it asks again who
 * it is, as the form of that call does.
 * @throws Redirect to the reauthentication page, to come back to `page`
 */
async function mayApprove(
  context: ProposalCollaborators,
  request: SignedInRequest,
  ids: readonly string[],
  page: string,
): Promise<Caller> {
  const caller = await callerOfSession(context, request);
  for (const permission of await context.proposals.permissionsOf(ids, caller)) {
    requireReauthenticationFor(permission, request, page);
  }
  return caller;
}

/** Says what an approval did, with the record if there is one, and offers to undo it. */
async function approvedRedirect(
  view: RegisterView,
  { effects: proposed, approved_effects, done, refused, call_id }: ProposalState,
) {
  const effects = approved_effects ?? proposed;
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

/** The parts of the list, by the parameter `show`. */
const PARTS = [
  { show: undefined, text: 'Open', only: 'OPEN', none: 'No proposal waits for a decision.' },
  { show: 'done', text: 'Done', only: 'DONE', none: 'Nothing was approved yet.' },
  { show: 'declined', text: 'Declined', only: 'DECLINED', none: 'Nothing was declined or withdrawn yet.' },
  { show: 'expired', text: 'Expired', only: 'EXPIRED', none: 'Nothing has expired yet.' },
  { show: 'all', text: 'All', only: undefined, none: 'Nobody has proposed anything yet.' },
] as const;

async function listPage(
  { readNames }: ProposalCollaborators,
  request: SignedInRequest,
  view: RegisterView,
): Promise<WebPage> {
  const { organization, snapshot, query } = view;
  const part = PARTS.find(({ show }) => show === query.get('show')) ?? PARTS[0];
  const by = query.get('by') === 'me' ? 'me' : undefined;
  const section = organizationAddress(organization.id, '/proposals');
  const listAt = (more: { show?: string | undefined; by?: string | undefined; after?: string }) =>
    registerAddress(view, '/proposals', { show: part.show, by, ...more });
  const from = await findProposal(snapshot, organization.id, query.get('after') ?? '');
  const found = await listProposals(snapshot, organization.id, {
    limit: PROPOSALS_PER_PAGE + 1,
    only: part.only,
    proposedBy: by && request.person.account.id,
    ...(from === null ? {} : { after: from }),
  });
  const rows = found.slice(0, PROPOSALS_PER_PAGE);
  const targets = {
    first: from === null ? null : listAt({}),
    next: found.length > rows.length ? listAt({ after: rows.at(-1)!.id }) : null,
  };
  const people = await readNames(
    organization.id,
    rows.map(({ proposed_by }) => proposed_by),
  );
  const names = await readEffectNames(
    view,
    rows.flatMap(({ effects }) => effects.slice(0, 1)),
  );
  const mayDecide = part.only === 'OPEN' && rows.length > 1 && mayChange(view, 'changeRecords');
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
          {PARTS.map(({ text, show }) => (
            <FilterLink key={text} text={text} href={listAt({ show })} isShown={show === part.show} />
          ))}
          <FilterLink
            text="Mine and my assistants’"
            href={listAt({ by: by === undefined ? 'me' : undefined })}
            isShown={by !== undefined}
          />
        </ul>
        {rows.length === 0 ? (
          <p>{part.none}</p>
        ) : (
          <Choosing isPossible={mayDecide} address={`${section}/several`} all={severalAddress(view, rows)}>
            <Table
              caption="Proposals"
              head={['Proposal', 'By', 'Proposed', 'Status']}
              rows={rows.map((proposal) => ({
                key: proposal.id,
                cells: [
                  <ProposalName key="name" {...{ view, proposal, names, mayDecide }} />,
                  byline(people.of(proposal.proposed_by), proposal),
                  <Timestamp key="at" at={proposal.created_at} />,
                  <StateChip
                    key="state"
                    tone={STATE_TONES[proposal.state]}
                    text={codeWords(STATE_WORDS[proposal.state])}
                  />,
                ],
              }))}
            />
          </Choosing>
        )}
        {targets.next !== null && <p class="muted">Older ones are not on this page.</p>}
        <PageLinks label="Pages of proposals" targets={targets} />
      </>
    ),
  };
}

/** A form that opens the chosen rows, for a reader who may decide. */
function Choosing(props: { isPossible: boolean; address: string; all: string; children: ComponentChildren }) {
  const { isPossible, address, all, children } = props;
  if (!isPossible) return <>{children}</>;
  return (
    <form method="get" action={address}>
      {children}
      <div class="actions">
        <button type="submit">Decide on the chosen ones</button>{' '}
        <a class="button quiet" href={all}>
          Decide on all of this page
        </a>
      </div>
    </form>
  );
}

function FilterLink({ text, href, isShown }: { text: string; href: string; isShown: boolean }) {
  return (
    <li>
      <a class="button quiet" href={href} aria-current={isShown ? 'true' : undefined}>
        {text}
      </a>
    </li>
  );
}

/** A proposal in words, with its whole reason. */
function ProposalName(props: { view: RegisterView; proposal: Proposal; names: NamesByKey; mayDecide: boolean }) {
  const { view, proposal, names, mayDecide } = props;
  const title = proposalTitle(proposal, names);
  return (
    <>
      {mayDecide && (
        <>
          <input type="checkbox" name={CHOSEN} value={proposal.id} aria-label={`Choose ${title}`} />{' '}
        </>
      )}
      <a href={registerAddress(view, `/proposals/${proposal.id}`)} data-row>
        {title}
      </a>
      {proposal.reason !== null && (
        <small>
          <br />
          <q>{proposal.reason}</q>
        </small>
      )}
    </>
  );
}
