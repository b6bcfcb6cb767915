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
 * Readers of the access log see all, others their own. Those with most calls are first. A past moment has none.
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
  const rows = used.map(({ account_id, ...use }) => ({
    ...use,
    ...(made.get(use.id) ?? { changes: 0, proposals: 0 }),
    owner: account_id === caller.account_id ? null : names.of(account_id),
  }));
  return rows.sort((a, b) => b.calls - a.calls);
}

/**
 * Says what tokens and assistants did today, those with most calls first. Each is a link to its changes.
 * @param props.max the most that the page lists; the rest is on Changes
 */
export function AssistantsToday(props: { view: RegisterView; rows: readonly AssistantToday[]; max?: number }) {
  const { view, rows, max = rows.length } = props;
  if (rows.length === 0) return null;
  const today = view.snapshot.today();
  const log = registerAddress(view, '/access', { kind: 'refusals', from: today });
  const maySeeLog = roleAllows(view.organization.role, 'readAccessLog');
  return (
    <section class="card" aria-labelledby="assistants-today">
      <h2 id="assistants-today">By assistants today</h2>
      <p class="sub">
        Since <LongDay at={today} />, 00:00 UTC. A call counts within a minute, in each organization that its credential
        reaches. It is refused if rights or a limit don’t allow it, or if its token has expired.
      </p>
      <Table
        caption="Tokens and assistants"
        head={['Name', 'Calls', 'Changes', 'Proposals', 'Refused']}
        rows={rows.slice(0, max).map(({ id, name, owner, calls, changes, proposals, refused }) => ({
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
      {rows.length > max && <a href={registerAddress(view, '/changes')}>All {countText(rows.length)} on Changes</a>}
    </section>
  );
}
