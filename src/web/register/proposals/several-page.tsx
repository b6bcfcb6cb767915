import type { Refusal } from '../../../commands/engine/refusal.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { findProposal, type Proposal } from '../../../queries/proposals.ts';
import type { DecidedProposal, PreviewedProposal } from '../../../tools/proposals/proposals.ts';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { callerOfSession } from '../../server/call-tool.ts';
import type { FormState } from '../../server/form-state.ts';
import { Redirect, redirect, type SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { openRegister, type RegisterView, registerAddress } from '../open-register.ts';
import type { ProposalCollaborators } from './proposal-collaborators.ts';
import { CHOSEN, ProposalEffects, proposalTitle, readEffectNames } from './proposal-effects.tsx';
import { byline, Changed, isApprovable } from './proposal-page.tsx';

/** Proposals that a person decides at once. */
const MAX_SEVERAL = 50;

/** Characters of the effects on one page. One proposal may have more. To write all of 50 as HTML could take seconds. */
const MAX_SHOWN = 300_000;

/** The name of the fields that have what the person saw of each. */
const SEEN = 'seen';

/** Separates a proposal's id from what its person saw. */
const SEPARATOR = ' ';

/** Returns the ids that a request chooses, in the address or in its form. */
export function chosenIds({ query, formValues }: SignedInRequest): string[] {
  const seen = (formValues.get(SEEN) ?? []).map((text) => text.split(SEPARATOR)[0]!);
  return [...new Set([...query.getAll(CHOSEN), ...(formValues.get(CHOSEN) ?? []), ...seen])].slice(0, MAX_SEVERAL);
}

/** Returns what the person saw of each proposal that can be approved. */
export function seenApprovals({ formValues }: SignedInRequest): ReadonlyMap<string, { seen: string }> {
  const pairs = (formValues.get(SEEN) ?? []).slice(0, MAX_SEVERAL).map((text) => text.split(SEPARATOR));
  return new Map(pairs.map(([id = '', seen = '']) => [id, { seen }]));
}

/** Shows each chosen proposal with what it would do after those before it, and decides on all of them. */
export async function severalPage(
  context: ProposalCollaborators,
  request: SignedInRequest,
  form: FormState,
): Promise<WebPage> {
  const view = await openRegister(context, request);
  const { organization } = view;
  requirePermission(view.caller, organization.id, 'changeRecords');
  const section = `/organizations/${organization.id}/proposals`;
  const { found, left } = await readChosen(view, chosenIds(request));
  if (found.length === 0) return noneChosen(view, section);
  const caller = await callerOfSession(context, request);
  const ids = found.map(({ id }) => id);
  const previews = await context.proposals.previewAll(ids, caller);
  const effects = [...previews.flatMap(({ preview }) => preview.effects), ...found.flatMap((one) => one.effects)];
  const names = await readEffectNames(view, effects);
  const people = await context.readNames(
    organization.id,
    found.map(({ proposed_by }) => proposed_by),
  );
  const ready = previews.filter(({ preview }) => isApprovable(preview));
  return {
    title: `Decide on ${found.length} ${found.length === 1 ? 'proposal' : 'proposals'}`,
    section,
    organization,
    form,
    body: (
      <>
        <FormError form={form} ids={{ [SEEN]: 'approve' }} />
        {left > 0 && <p class="notice">{left} more would make this page too long. First decide on these.</p>}
        {previews.map((previewed) => {
          const proposal = found.find(({ id }) => id === previewed.id)!;
          return (
            <section class="card" key={proposal.id} aria-label={proposalTitle(proposal, names)}>
              <h2>
                <a href={registerAddress(view, `/proposals/${proposal.id}`)}>{proposalTitle(proposal, names)}</a>
              </h2>
              <p class="muted">{byline(people.of(proposal.proposed_by), proposal)}</p>
              {proposal.reason !== null && (
                <p>
                  <q>{proposal.reason}</q>
                </p>
              )}
              <WouldDo
                {...{ view, proposal, previewed, names }}
                isOwn={proposal.proposed_by === request.person.account.id}
              />
            </section>
          );
        })}
        <section class="card" aria-label="Decide">
          {ready.length > 0 && (
            <Form class="field" action={`${section}/several/approve`}>
              {ready.map(({ id, preview }) => (
                <input key={id} type="hidden" name={SEEN} value={`${id}${SEPARATOR}${preview.seen}`} />
              ))}
              <button type="submit" id="approve">
                Approve {ready.length}
              </button>
            </Form>
          )}
          <Form class="field" action={`${section}/several/decline`}>
            {ids.map((id) => (
              <input key={id} type="hidden" name={CHOSEN} value={id} />
            ))}
            <TextField
              form={form}
              name="reason"
              label="Reason for declining"
              hint="Required. Kept in the history of each."
              maxLength={2_000}
            />
            <button type="submit" class="quiet">
              Decline {ids.length}
            </button>
          </Form>
        </section>
      </>
    ),
  };
}

/** Reads the chosen proposals that are open, as many as fit on the page, and counts the others. Nobody decides on those. */
async function readChosen({ snapshot, organization }: RegisterView, ids: readonly string[]) {
  const found: Proposal[] = [];
  let [shown, left] = [0, 0];
  for (const id of ids) {
    const proposal = await findProposal(snapshot, organization.id, id);
    if (proposal?.state !== 'OPEN') continue;
    const size = JSON.stringify(proposal.effects).length;
    if (found.length > 0 && shown + size > MAX_SHOWN) left += 1;
    else {
      found.push(proposal);
      shown += size;
    }
  }
  return { found, left };
}

function noneChosen({ organization }: RegisterView, section: string): WebPage {
  const body = (
    <p>
      None of these is open. <a href={section}>Choose some open proposals</a> first.
    </p>
  );
  return { title: 'Decide on proposals', section, organization, body };
}

/** Shows the effects of one of several proposals, or why it can't be approved. What changed since comes first. */
function WouldDo(props: {
  view: RegisterView;
  proposal: Proposal;
  previewed: PreviewedProposal;
  names: ReadonlyMap<string, string>;
  isOwn: boolean;
}) {
  const { view, proposal, previewed, names, isOwn } = props;
  const { preview } = previewed;
  const { refusal, isChanged, effects } = preview;
  const changed = <Changed {...{ proposal, preview, isOwn }} />;
  if (refusal !== null) return changed;
  return (
    <>
      {isChanged && changed}
      <ProposalEffects view={view} effects={effects} names={new Map(names)} />
    </>
  );
}

/** Says what became of several decisions, and why some were refused. */
export function severalRedirect(address: string, verb: string, decided: readonly DecidedProposal[]): Redirect {
  const refusals = decided.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
  const done = `${verb} ${decided.length - refusals.length} of ${decided.length}.`;
  if (refusals.length === 0) return redirect(address, `${verb} ${decided.length}.`);
  return new Redirect(address, { kind: 'WARNING', text: `${done} Refused: ${refusalTexts(refusals)}` });
}

const refusalTexts = (refusals: readonly Refusal[]): string =>
  [...new Set(refusals.map(({ message }) => message))].slice(0, 3).join(' ');
