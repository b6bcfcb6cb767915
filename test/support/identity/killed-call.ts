/**
 * Run as a child process on the stores of its environment. Does CALL as the account ACCOUNT, and is killed by SIGKILL ahead
 * of the write after the first WRITES ones. Prints the token's text if it is not.
 */
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Tokens } from '../../../src/identity/tokens/tokens.ts';
import { openStores } from '../../../src/stores/open.ts';
import { beforeEachWrite } from '../stores/before-each-write.ts';

const { DATA_DIR = '', EVENTSTORE_URL = null, MONGODB_URL = null } = process.env;
const { CALL, ACCOUNT = '', TOKEN = '', ORGANIZATION = '' } = process.env;
let writes = Number(process.env.WRITES);

const settings = { dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL };
const stores = await openStores(settings);
const { accounts, events } = beforeEachWrite({ accounts: stores.accounts, events: stores.events }, () => {
  if (writes === 0) process.kill(process.pid, 'SIGKILL');
  writes -= 1;
});
const now = () => new Date();
const handler = new CommandHandler(events, { now, maxAcceptanceDays: 366 });
const tokens = new Tokens({ accounts, handler, now });
const actor = accountActor(ACCOUNT);
const newToken = { name: 'another', account_id: ACCOUNT, role: 'EDITOR', organizations: [ORGANIZATION] } as const;
if (CALL === 'create') console.log((await tokens.create(newToken, actor)).token);
if (CALL === 'regenerate') console.log((await tokens.regenerate(TOKEN, 30, actor)).token);
if (CALL === 'revoke') await tokens.revoke(TOKEN, 'leaked', actor);
if (CALL === 'connect') await tokens.connect({ ...newToken, client: { id: 'client-1', name: 'An assistant' } }, actor);
await stores.close();
