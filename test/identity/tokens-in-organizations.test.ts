/** Changes of a token that several organizations record. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationStream } from '../../src/commands/families.ts';
import { accountActor } from '../../src/identity/memberships/actor.ts';
import { Tokens } from '../../src/identity/tokens/tokens.ts';
import { closeAll, rejectionError } from '../support/identity/identity.ts';
import { openOrganization } from '../support/identity/membership.ts';

const test = suite('token of several organizations');

test.after.each(closeAll);

test('is limited and revoked in the others when one organization can’t record it', async () => {
  const company = await openOrganization();
  const { accounts, handler, members, organizationId, owner, now } = company;
  const { id: second } = await members.createOrganization('Another', owner);
  const damaged: typeof handler = Object.create(handler, {
    execute: {
      value: (...call: Parameters<typeof handler.execute>) => {
        if (JSON.stringify(call).includes(organizationStream(organizationId))) throw new Error('damaged');
        return handler.execute(...call);
      },
    },
  });
  const organizations = [organizationId, second];
  const token = { name: 'ci', account_id: owner, role: 'EDITOR', organizations } as const;
  const { record } = await company.tokens.create(token, accountActor(owner));
  let forgotten = 0;
  const tokens = new Tokens({ accounts, handler: damaged, now, onTokenChanged: () => forgotten++ });
  const newest = async () => (await company.eventTypes(second)).at(-1);
  const limited = await rejectionError(tokens.changeAutonomy(record.id, 'PROPOSE_ONLY', accountActor(owner)));
  assert.match(limited.message, 'damaged');
  assert.is(await newest(), 'TokenAutonomyChanged');
  assert.is(forgotten, 1);
  const revoked = await rejectionError(tokens.revoke(record.id, 'Lost', accountActor(owner)));
  assert.match(revoked.message, 'damaged');
  assert.is(await newest(), 'TokenRevoked');
});

test.run();
