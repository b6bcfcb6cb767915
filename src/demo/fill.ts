import { FAMILIES, recordAggregate } from '../commands/families.ts';
import { CommandHandler } from '../commands/handler.ts';
import { derivedId, itemCommandId } from '../commands/ids.ts';
import { commandOrganization } from '../identity/actor.ts';
import { establish, findInstallation, type Installation, ownerOf } from '../identity/installation.ts';
import type { Stores } from '../stores/open.ts';
import { VERSION } from '../version.ts';
import { riskStories } from './risks.ts';
import { serviceVendors } from './service-vendors.ts';
import { ORGANIZATION, PEOPLE, type Person, type Story, type Telling } from './story.ts';
import { technologyVendors } from './technology-vendors.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long the organization has been there. */
const FOUNDED_DAYS_AGO = 730;
/** The longest acceptance the stories hold; the service's own setting is for its users. */
const MAX_ACCEPTANCE_DAYS = 366;
const CLIENT = { name: 'veritrail-demo', version: VERSION };

/**
 * Fills empty stores with an organization and two years of its history up to yesterday, by the real commands under a
 * clock that steps through it; every event says that it is simulated. A log that has anything is left as it is.
 * The token is made today, by the first start that follows.
 * @returns whether anything was filled in
 */
export async function fillDemo({ accounts, events }: Pick<Stores, 'accounts' | 'events'>): Promise<boolean> {
  await findInstallation({ accounts, log: events });
  if ((await events.head()) !== null) return false;
  const clock = new DemoClock(new Date());
  const options = { now: clock.now, maxAcceptanceDays: MAX_ACCEPTANCE_DAYS, simulated: true };
  const handler = new CommandHandler(events, options);
  clock.goTo(FOUNDED_DAYS_AGO);
  const names = { organization: ORGANIZATION, owner: PEOPLE.owner.name };
  const installation = await establish({ accounts, log: events, handler, now: clock.now }, names);
  const demo = new Demo(handler, clock, installation);
  for (const { id, name } of demo.others) {
    await accounts.insert('accounts', { id, name, created_at: clock.now().toISOString() });
  }
  await demo.addMembers();
  await demo.tell([...technologyVendors(demo), ...serviceVendors(demo), ...riskStories(demo)]);
  return true;
}

/** Steps through working days of the past, always forward. */
class DemoClock {
  readonly #midnight: number;
  #time = 0;

  constructor(today: Date) {
    this.#midnight = Math.floor(today.getTime() / DAY_MS) * DAY_MS;
  }

  now = (): Date => new Date(this.#time);

  /** So many days ago in the morning, or a few minutes later where that is past. */
  goTo(daysAgo: number): void {
    const morning = this.#midnight - daysAgo * DAY_MS + (7 * 60 + ((daysAgo * 53) % 120)) * MINUTE_MS;
    this.#time = Math.max(morning, this.#time + 13 * MINUTE_MS);
  }

  day(offset: number): string {
    return new Date(this.#midnight + offset * DAY_MS).toISOString().slice(0, 10);
  }
}

class Demo implements Telling {
  constructor(
    private readonly handler: CommandHandler,
    private readonly clock: DemoClock,
    private readonly place: Installation,
  ) {}

  day = (offset: number): string => this.clock.day(offset);

  account = (person: Person): string => {
    if (person === 'owner') return ownerOf(this.place.installation);
    return derivedId('acc', itemCommandId(this.place.installation, person));
  };

  /** Everybody but the owner, who is there from the beginning. */
  get others(): { id: string; name: string; role: (typeof PEOPLE)[Person]['role'] }[] {
    const people = Object.keys(PEOPLE) as Person[];
    return people
      .filter((person) => person !== 'owner')
      .map((person) => ({ id: this.account(person), ...PEOPLE[person] }));
  }

  async addMembers(): Promise<void> {
    this.clock.goTo(FOUNDED_DAYS_AGO - 1);
    for (const { id, role } of this.others) {
      await commandOrganization(
        this.handler,
        this.place.organizationId,
        { type: 'AddMember', account_id: id, role },
        this.actor('owner'),
      );
    }
  }

  /** Tells all stories at once, day by day. */
  async tell(stories: readonly Story[]): Promise<void> {
    const all = stories.flatMap(({ family, steps }, index) => {
      const id = derivedId(FAMILIES[family].prefix, itemCommandId(this.place.installation, `${family} ${index}`));
      return steps.map((step, n) => ({ family, id, n, ...step }));
    });
    // The sort is stable: steps of one day stay in the order of their story.
    for (const step of all.sort((a, b) => b.ago - a.ago)) {
      this.clock.goTo(step.ago);
      const command_id = itemCommandId(this.place.installation, `${step.id} ${step.n}`);
      await this.handler.execute(recordAggregate(step.id), step.command, {
        ...this.actor(step.by),
        organization_id: this.place.organizationId,
        command_id,
        correlation_id: command_id,
        input: step.command,
      });
    }
  }

  private actor(person: Person) {
    return { actor_id: this.account(person), token_id: null, client: CLIENT, role: PEOPLE[person].role };
  }
}
