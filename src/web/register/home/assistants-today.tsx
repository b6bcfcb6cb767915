import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { countToday } from '../../../queries/changes/recent-changes.ts';
import { countText } from '../../texts/counts.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';

/** The changes and proposals that a credential of the reader made today. */
export interface AssistantToday {
  id: string;
  name: string;
  changes: number;
  proposals: number;
}

/** Counts what the reader's credentials did today. Leaves out those that did nothing; a past moment has none. */
export async function readAssistantsToday(
  { snapshot, organization, past }: RegisterView,
  tokens: readonly TokenListItem[],
): Promise<AssistantToday[]> {
  if (past !== null) return [];
  const used = tokens.filter(({ last_used_at }) => (last_used_at ?? '') >= snapshot.today());
  const all = await Promise.all(
    used.map(async ({ id, name }) => ({ id, name, ...(await countToday(snapshot, organization.id, id)) })),
  );
  return all.filter(({ changes, proposals }) => changes + proposals > 0);
}

/** Says what the reader's assistants and tokens did today. */
export function AssistantsTodayCard({ view, rows }: { view: RegisterView; rows: readonly AssistantToday[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>By your assistants today</h2>
      <ul class="plain">
        {rows.map(({ id, name, changes, proposals }) => (
          <li key={id}>
            {name}: {countText(changes)} {changes === 1 ? 'change' : 'changes'},{' '}
            <a href={registerAddress(view, '/proposals')}>
              {countText(proposals)} {proposals === 1 ? 'proposal' : 'proposals'}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
