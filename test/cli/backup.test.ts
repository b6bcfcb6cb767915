import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backupLines } from '../../src/cli/history/backup-file.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import { recordFirstName } from '../../src/identity/accounts/account-names.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { closeAll, replaceMembers } from '../support/identity/identity.ts';
import { type Company, openOrganization } from '../support/identity/membership.ts';

const test = suite('a backup of a running service');

test.after.each(closeAll);

interface Line {
  event?: TrailEvent;
  table?: string;
  record?: { id: string; account_id?: string };
}

/** Reads a backup while `meanwhile` is done before each read of a store. */
async function backUp({ accounts, events }: Company, meanwhile: () => Promise<void>): Promise<Line[]> {
  const busyEvents = replaceMembers<EventStore>(events, {
    end: async () => {
      const end = await events.end();
      await meanwhile();
      return end;
    },
    async *readAll(after) {
      await meanwhile();
      for await (const batch of events.readAll(after)) {
        yield batch;
        await meanwhile();
      }
    },
  });
  const busyAccounts = replaceMembers<AccountStore>(accounts, {
    all: async (table) => {
      await meanwhile();
      return accounts.all(table);
    },
  });
  const lines: Line[] = [];
  const stores = { events: busyEvents, accounts: busyAccounts };
  for await (const texts of backupLines({ ...stores, now: () => new Date() }, 'installation', () => undefined))
    lines.push(...texts.map((text) => JSON.parse(text) as Line));
  return lines;
}

test('has the account and the name of everybody whose membership it has, whoever joins meanwhile', async () => {
  const company = await openOrganization();
  const { accounts, members, organizationId, owner } = company;
  const eventsBefore = (await company.eventTypes()).length;
  let joined = 0;
  const lines = await backUp(company, async () => {
    joined += 1;
    const id = randomId('acc');
    await accounts.insert('accounts', { id, name: `Person ${joined}`, created_at: company.now().toISOString() });
    await recordFirstName(accounts, id, `Person ${joined}`);
    await members.add(organizationId, id, 'EDITOR', { actor_id: owner, token_id: null, client: null, role: 'OWNER' });
  });
  assert.ok(joined > 10);
  const events = lines.flatMap(({ event }) => event ?? []);
  const idsIn = (table: string) => lines.flatMap((line) => (line.table === table ? line.record! : []));
  const memberIds = events.filter(({ type }) => type === 'MemberAdded').map(({ data }) => data.account_id);
  const accountIds = new Set(idsIn('accounts').map(({ id }) => id));
  const named = new Set(idsIn('names').map(({ account_id }) => account_id));
  assert.equal(
    memberIds.filter((id) => !accountIds.has(String(id)) || !named.has(String(id))),
    [],
  );
  assert.is(events.length, eventsBefore, 'the log ends where it ended when the backup began');
  assert.equal(lines.at(-2)!.record!.id, 'installation', 'the installation is restored last');
});

test.run();
