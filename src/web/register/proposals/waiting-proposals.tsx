import { countOpenProposals, listProposals, type Proposal } from '../../../queries/proposals.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { Timestamp } from '../../components/components.tsx';
import { countText } from '../../texts/counts.ts';
import { mayChange, type RegisterView, registerAddress } from '../open-register.ts';
import { proposalTitle, readEffectNames } from './proposal-effects.tsx';

/** Proposals that the card shows. The page of proposals has all. */
const MAX_SHOWN = 5;

/** The open proposals that a reader can decide on, the newest first. */
export interface Waiting {
  proposals: readonly Proposal[];
  total: number;
  names: NamesByKey;
}

/** Reads the proposals that wait for a reader; null for one who decides nothing, and for a past moment. */
export async function readWaiting(view: RegisterView): Promise<Waiting | null> {
  const { snapshot, organization } = view;
  if (view.past !== null || !mayChange(view, 'changeRecords')) return null;
  const proposals = await listProposals(snapshot, organization.id, { only: 'OPEN', limit: MAX_SHOWN });
  if (proposals.length === 0) return null;
  const total = await countOpenProposals(snapshot, organization.id);
  const firstEffects = proposals.flatMap(({ effects }) => effects.slice(0, 1));
  return { proposals, total, names: await readEffectNames(view, firstEffects) };
}

/** The proposals that wait for a decision. They have no owner: whoever may do what one says may decide on it. */
export function WaitingProposals({ view, waiting }: { view: RegisterView; waiting: Waiting | null }) {
  if (waiting === null) return null;
  const { proposals, total, names } = waiting;
  return (
    <section class="card">
      <h2>{total === 1 ? '1 proposal waits for a decision' : `${countText(total)} proposals wait for a decision`}</h2>
      <ul class="plain">
        {proposals.map((proposal) => {
          const title = proposalTitle(proposal, names);
          const href = registerAddress(view, `/proposals/${proposal.id}`);
          return (
            <li key={proposal.id} class="row">
              <span>
                <a href={href}>{title}</a> · proposed <Timestamp at={proposal.created_at} />
              </span>
              <a class="button quiet screen-only" href={href} aria-label={`Decide: ${title}`}>
                Decide
              </a>
            </li>
          );
        })}
      </ul>
      {total > proposals.length && <a href={registerAddress(view, '/proposals')}>All {countText(total)} proposals</a>}
    </section>
  );
}
