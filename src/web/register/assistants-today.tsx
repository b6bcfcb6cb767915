import { roleAllows } from '../../commands/organization/permissions.ts';
import type { AccessLogReader } from '../../identity/access-log/access-log-reader.ts';
import { type CredentialChanges, changesByCredential } from '../../queries/changes/recent-changes.ts';
import { LongDay, Table } from '../components/components.tsx';
import type { WebContext } from '../server/context.ts';
import { countText } from '../texts/counts.ts';
import { type RegisterView, registerAddress } from './open-register.ts';

export interface AssistantsTodayCollaborators extends Pick<WebContext, 'readNames'> {
  accessLogReader: Pick<AccessLogReader, 'credentialUses'>;
}

/** A credential that did something today. */
export interface AssistantToday extends CredentialChanges {
  id: string;
  name: string;
  /** The name of its account; null for the reader's own. */
  owner: string | null;
  calls: number;
  refused: number;
}

/**
 * Counts what tokens and assistants did today (UTC), changes and proposals by the history, calls and refusals by the access log.
 * Readers of the access log see all, others their own. A past moment has none.
 */
export async function readAssistantsToday(
  { accessLogReader, readNames }: AssistantsTodayCollaborators,
  { snapshot, organization, caller, past }: RegisterView,
): Promise<AssistantToday[]> {
  if (past !== null) return [];
  const day = snapshot.today();
  const made = await changesByCredential(snapshot, organization.id, day);
  const used = await accessLogReader.credentialUses(caller, { organizationId: organization.id, day, ids: made.keys() });
  const others = used.map(({ account_id }) => account_id).filter((id) => id !== caller.account_id);
  const names = await readNames(organization.id, others);
  return used.map(({ account_id, ...use }) => ({
    ...use,
    ...(made.get(use.id) ?? { changes: 0, proposals: 0 }),
    owner: account_id === caller.account_id ? null : names.of(account_id),
  }));
}

/** Says what tokens and assistants did today. Each is a link to its changes. */
export function AssistantsToday({ view, rows }: { view: RegisterView; rows: readonly AssistantToday[] }) {
  if (rows.length === 0) return null;
  const today = view.snapshot.today();
  const log = registerAddress(view, '/access', { kind: 'refusals', from: today });
  const maySeeLog = roleAllows(view.organization.role, 'readAccessLog');
  return (
    <section class="card" aria-labelledby="assistants-today">
      <h2 id="assistants-today">By assistants today</h2>
      <p class="sub">
        Since <LongDay at={today} />, 00:00 UTC. Calls are counted within a minute, in each organization that the
        credential reaches. Refused are those that its rights or a limit did not allow, or that came after it had
        expired.
      </p>
      <Table
        caption="Tokens and assistants"
        head={['Name', 'Calls', 'Changes', 'Proposals', 'Refused']}
        rows={rows.map(({ id, name, owner, calls, changes, proposals, refused }) => ({
          key: id,
          cells: [
            <>
              <a href={registerAddress(view, '/changes', { actor_id: id, from: today })}>{name}</a>
              {owner !== null && <small>, of {owner}</small>}
            </>,
            countText(calls),
            countText(changes),
            countText(proposals),
            maySeeLog && refused > 0 ? <a href={log}>{countText(refused)}</a> : countText(refused),
          ],
        }))}
      />
    </section>
  );
}
