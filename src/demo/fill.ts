import { type CommandEnvelope, CommandHandler } from '../commands/engine/handler.ts';
import { derivedId, itemCommandId, libraryFrameworkId } from '../commands/engine/ids.ts';
import { requireLiveRecord, requireReferences } from '../commands/engine/references.ts';
import { familyOf, recordAggregate } from '../commands/families.ts';
import { linkAggregate, refuseUnlinkable } from '../commands/link.ts';
import { recordFirstName } from '../identity/accounts/account-names.ts';
import {
  createInstallation,
  FIRST_OWNER_NAME,
  findInstallation,
  firstOwnerId,
  type Installation,
  storedInstallationId,
} from '../identity/installation/installation.ts';
import { executeOrganizationCommand } from '../identity/memberships/actor.ts';
import type { DemoAccount } from '../identity/sign-in/demo-sign-in.ts';
import { sortedPair } from '../register/link.ts';
import type { Stores } from '../stores/open.ts';
import { auditStories } from './audit-stories.ts';
import { businessRisks } from './business-risks.ts';
import { clientOfStep } from './clients.ts';
import { DemoClock } from './clock.ts';
import { evidenceStories } from './evidence-stories.ts';
import { DEMO_FRAMEWORK, frameworkStories } from './framework-stories.ts';
import { housekeepingMeasures } from './housekeeping-measures.ts';
import { nonconformityStories } from './nonconformity-stories.ts';
import { obligationStories } from './obligation-stories.ts';
import { idsByName, type RecordIds, replaceNamesByIds } from './record-ids.ts';
import { securityRisks } from './security-risks.ts';
import { serviceVendors } from './service-vendors.ts';
import {
  type DemoPerson,
  ORGANIZATION,
  PEOPLE,
  type Story,
  type StoryCommand,
  type StoryContext,
  type StoryStep,
} from './story.ts';
import { technologyMeasures } from './technology-measures.ts';
import { technologyVendors } from './technology-vendors.ts';

/** The age of the demo organization. */
const FOUNDED_DAYS_AGO = 730;
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
  return (Object.keys(PEOPLE) as DemoPerson[]).map((person) => ({
    account_id: demoAccountId(installation, person),
    interest: PEOPLE[person].interest,
  }));
}

/** Returns true if the log begins with a simulated event. Only the demo writes such a log. */
async function isSimulated(events: DemoStores['events']): Promise<boolean> {
  for await (const [first] of events.readAll(null)) {
    if (first !== undefined) return first.metadata.simulated === true;
  }
  return false;
}

function demoAccountId(installation: string, person: DemoPerson): string {
  return derivedId('acc', itemCommandId(installation, person));
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
  clock.goTo(FOUNDED_DAYS_AGO);
  // The first owner is not a person of the stories, so that a set-up link renames nobody.
  const names = { organization: ORGANIZATION, owner: FIRST_OWNER_NAME };
  const installation = await createInstallation({ accounts, log: events, handler, now: clock.now }, names);
  const demo = new Demo(handler, clock, installation);
  for (const { id, name } of demo.people) {
    await accounts.insert('accounts', { id, name, created_at: clock.now().toISOString() });
    await recordFirstName(accounts, id, name);
  }
  await demo.addMembers();
  await demo.play([
    ...technologyVendors(demo),
    ...serviceVendors(demo),
    ...securityRisks(demo),
    ...businessRisks(demo),
    ...frameworkStories(libraryFrameworkId(installation.organizationId, DEMO_FRAMEWORK)),
    ...housekeepingMeasures(demo),
    ...technologyMeasures(demo),
    ...obligationStories(demo),
    ...auditStories(demo),
    ...nonconformityStories(demo),
    ...evidenceStories(demo),
  ]);
  return true;
}

class Demo implements StoryContext {
  constructor(
    private readonly handler: CommandHandler,
    private readonly clock: DemoClock,
    private readonly installation: Installation,
  ) {}

  private get installationId(): string {
    return this.installation.installation;
  }

  day = (offset: number): string => this.clock.day(offset);

  accountId = (person: DemoPerson): string => demoAccountId(this.installationId, person);

  /** The people of the stories. */
  get people(): { id: string; name: string; role: (typeof PEOPLE)[DemoPerson]['role'] }[] {
    return (Object.keys(PEOPLE) as DemoPerson[]).map((person) => ({ id: this.accountId(person), ...PEOPLE[person] }));
  }

  async addMembers(): Promise<void> {
    this.clock.goTo(FOUNDED_DAYS_AGO - 1);
    const founder = { ...this.actor('owner'), actor_id: firstOwnerId(this.installationId) };
    for (const { id, role } of this.people) {
      await executeOrganizationCommand(
        this.handler,
        this.installation.organizationId,
        { type: 'AddMember', account_id: id, role },
        founder,
      );
    }
  }

  /** Plays all stories together, day by day. @throws Error that names the step that failed */
  async play(stories: readonly Story[]): Promise<void> {
    const recordIds = idsByName(stories, this.installationId);
    const all = stories.flatMap(({ name, steps }) => steps.map((step, n) => ({ name, n, ...step })));
    // The sort is stable: steps of one day stay in the order of their stories.
    for (const { name, n, ...step } of all.sort((a, b) => b.daysAgo - a.daysAgo)) {
      try {
        await this.playStep(recordIds.of(name), n, step, recordIds);
      } catch (cause) {
        throw new Error(`The demo's story of ${name} failed at its step of ${step.daysAgo} days ago`, { cause });
      }
    }
  }

  private async playStep(id: string, n: number, step: StoryStep<StoryCommand>, recordIds: RecordIds): Promise<void> {
    const { daysAgo, by, command } = step;
    this.clock.goTo(daysAgo);
    const command_id = itemCommandId(this.installationId, `${id} ${n}`);
    const organization_id = this.installation.organizationId;
    const envelope = {
      ...this.actor(by),
      client: clientOfStep(step),
      organization_id,
      command_id,
      correlation_id: command_id,
    };
    if (command.type !== 'Link')
      return this.execute(id, replaceNamesByIds(command, familyOf(id).references, recordIds), envelope);
    for (const other of command.others) await this.link(id, recordIds.of(other), envelope);
  }

  private async execute(
    id: string,
    command: Exclude<StoryCommand, { type: 'Link' }>,
    envelope: Omit<CommandEnvelope, 'input'>,
  ) {
    const { references } = familyOf(id);
    if ('fields' in command) {
      await requireReferences(this.handler, this.installation.organizationId, references, { ...command.fields });
    }
    await this.handler.execute(recordAggregate(id), command, { ...envelope, input: command });
  }

  private async link(one: string, other: string, envelope: Omit<CommandEnvelope, 'input'>): Promise<void> {
    refuseUnlinkable(one, other);
    for (const id of [one, other]) await requireLiveRecord(this.handler, this.installation.organizationId, id, 'links');
    const command = { type: 'Link' as const, ids: sortedPair(one, other) };
    const aggregate = linkAggregate(one, other);
    const command_id = itemCommandId(envelope.command_id, aggregate.stream);
    await this.handler.execute(aggregate, command, { ...envelope, command_id, input: command });
  }

  private actor(person: DemoPerson) {
    return { actor_id: this.accountId(person), token_id: null, client: null, role: PEOPLE[person].role };
  }
}
