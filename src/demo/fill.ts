import { CommandHandler } from '../commands/engine/handler.ts';
import { recordFirstName } from '../identity/accounts/account-names.ts';
import {
  createInstallation,
  findInstallation,
  firstOwnerId,
  type Installation,
  storedInstallationId,
} from '../identity/installation/installation.ts';
import { accountActor, executeOrganizationCommand } from '../identity/memberships/actor.ts';
import type { DemoAccount } from '../identity/sign-in/demo-sign-in.ts';
import type { Stores } from '../stores/open.ts';
import { DemoClock } from './clock.ts';
import { type DemoPerson, readOrganization, readStories } from './demo-data.ts';
import { demoAccountId, StoryPlayer } from './play-stories.ts';

/** The stories' longest acceptance of a risk. The service's own setting applies to its users. */
const MAX_ACCEPTANCE_DAYS = 366;
type DemoStores = Pick<Stores, 'accounts' | 'events'>;

/**
 * Fills empty stores with the demo.
 * @returns the people of the demo; null if the stores hold other data
 */
export async function openDemo({ accounts, events }: DemoStores, today: Date): Promise<DemoAccount[] | null> {
  await fillDemo({ accounts, events }, today);
  const installation = await storedInstallationId(accounts);
  if (installation === null || !(await isSimulated(events))) return null;
  return readOrganization(new DemoClock(today)).people.map((person) => ({
    account_id: demoAccountId(installation, person),
    interest: person.interest,
  }));
}

/** Returns true if the log begins with a simulated event. Only the demo writes such a log. */
async function isSimulated(events: DemoStores['events']): Promise<boolean> {
  for await (const [first] of events.readAll(null)) {
    if (first !== undefined) return first.metadata.simulated === true;
  }
  return false;
}

/**
 * Fills empty stores with a demo organization and two years of its history, up to yesterday. It runs the real commands
 * under a clock of the past, and every event is marked as simulated. It changes nothing if the log has any event.
 * @returns true if it filled the stores
 */
export async function fillDemo({ accounts, events }: DemoStores, today: Date): Promise<boolean> {
  await findInstallation({ accounts, log: events });
  if ((await events.head(null)).newest !== null) return false;
  const clock = new DemoClock(today);
  const options = { now: clock.now, maxAcceptanceDays: MAX_ACCEPTANCE_DAYS, simulated: true };
  const handler = new CommandHandler(events, options);
  const { name, founded_on, first_owner, people } = readOrganization(clock);
  clock.goTo(founded_on);
  const names = { organization: name, owner: first_owner };
  const installation = await createInstallation({ accounts, log: events, handler, now: clock.now }, names);
  for (const person of people) {
    clock.goTo(person.joined_on);
    await addMember(accounts, handler, installation, person, clock.now());
  }
  await new StoryPlayer(handler, clock, installation, people, readStories(clock)).play();
  return true;
}

async function addMember(
  accounts: DemoStores['accounts'],
  handler: CommandHandler,
  { installation, organizationId }: Installation,
  person: DemoPerson,
  now: Date,
): Promise<void> {
  const { name, role } = person;
  const id = demoAccountId(installation, person);
  await accounts.insert('accounts', { id, name, created_at: now.toISOString() });
  await recordFirstName(accounts, id, name);
  const command = { type: 'AddMember' as const, account_id: id, role };
  await executeOrganizationCommand(handler, organizationId, command, accountActor(firstOwnerId(installation)));
}
