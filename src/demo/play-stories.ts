import type { CommandEnvelope, CommandHandler } from '../commands/engine/handler.ts';
import { derivedId, itemCommandId } from '../commands/engine/ids.ts';
import { requireLiveRecord, requireReferences } from '../commands/engine/references.ts';
import { familyOf, recordAggregate } from '../commands/families.ts';
import { linkAggregate, refuseUnlinkable } from '../commands/link.ts';
import type { Caller } from '../commands/organization/caller.ts';
import type { Installation } from '../identity/installation/installation.ts';
import type { LibraryId } from '../library/framework-library.ts';
import { sortedPair } from '../register/link.ts';
import { VERSION } from '../version.ts';
import type { DemoClock } from './clock.ts';
import type { DemoPerson, Story, StoryStep } from './demo-data.ts';
import { adoptionOf, idsByName } from './record-ids.ts';

type Envelope = Omit<CommandEnvelope, 'input'>;
type RecordCommand = { type: string; fields?: Record<string, unknown>; changes?: Record<string, unknown> };

export function demoAccountId(installationId: string, { key }: Pick<DemoPerson, 'key'>): string {
  return derivedId('acc', itemCommandId(installationId, key));
}

/** Runs the commands of the stories under the clock of the past. */
export class StoryPlayer {
  readonly #people: ReadonlyMap<string, DemoPerson>;
  readonly #recordIds: ReadonlyMap<string, string>;

  constructor(
    private readonly handler: CommandHandler,
    private readonly clock: DemoClock,
    private readonly installation: Installation,
    people: readonly DemoPerson[],
    private readonly stories: readonly Story[],
  ) {
    this.#people = new Map(people.map((person) => [person.name, person]));
    this.#recordIds = idsByName(stories, installation);
  }

  /** Plays all stories together, day by day. @throws Error that names the step that failed */
  async play(): Promise<void> {
    const all = this.stories.flatMap(({ names, steps }) => steps.map((step, n) => ({ names, n, step })));
    // The sort is stable: steps of one day stay in the order of their stories.
    for (const { names, n, step } of all.sort((a, b) => (a.step.on < b.step.on ? -1 : Number(a.step.on > b.step.on)))) {
      try {
        this.clock.goTo(step.on);
        // Together, so that they share a commit.
        await Promise.all(names.map((name) => this.playStep(this.recordId(name), n, step)));
      } catch (cause) {
        throw new Error(`The demo’s story of ${names.join(', ')} failed at its step ${n + 1}, ${step.type}`, { cause });
      }
    }
  }

  /** Two types are no commands of a record: `Link` links it with `others`, and `AddFramework` names one of the library. */
  private async playStep(id: string, n: number, { on: _, by, via, ...command }: StoryStep): Promise<void> {
    const command_id = itemCommandId(this.installation.installation, `${id} ${n}`);
    const organization_id = this.installation.organizationId;
    const envelope = { ...this.actor(by, via), organization_id, command_id, correlation_id: command_id };
    switch (command.type) {
      case 'Link':
        await Promise.all((command.others as string[]).map((name) => this.link(id, this.recordId(name), envelope)));
        return;
      case 'AddFramework':
        return this.execute(id, adoptionOf(this.installation, command.library_id as LibraryId), envelope);
      default:
        return this.execute(id, this.withIds(id, command), envelope);
    }
  }

  private async execute(id: string, command: RecordCommand, envelope: Envelope): Promise<void> {
    const { references } = familyOf(id);
    if (command.fields !== undefined) {
      await requireReferences(this.handler, this.installation.organizationId, references, command.fields);
    }
    const isPresumedNew = command.fields !== undefined;
    await this.handler.execute(recordAggregate(id), command, { ...envelope, input: command, isPresumedNew });
  }

  private async link(one: string, other: string, envelope: Envelope): Promise<void> {
    refuseUnlinkable(one, other);
    for (const id of [one, other]) await requireLiveRecord(this.handler, this.installation.organizationId, id, 'links');
    const command = { type: 'Link' as const, ids: sortedPair(one, other) };
    const aggregate = linkAggregate(one, other);
    const command_id = itemCommandId(envelope.command_id, aggregate.stream);
    await this.handler.execute(aggregate, command, { ...envelope, command_id, input: command, isPresumedNew: true });
  }

  /** Returns the command with ids in place of names, in the fields that refer to records and people. */
  private withIds(id: string, command: RecordCommand): RecordCommand {
    const { fields, references } = familyOf(id);
    const replace = (values: Record<string, unknown> | undefined) => {
      if (values === undefined) return {};
      const entries = Object.entries(values).map(([name, value]) => {
        if (fields[name]?.kind === 'account') return [name, this.accountId(value as string)];
        if (!references.includes(name)) return [name, value];
        return [name, Array.isArray(value) ? value.map((each) => this.recordId(each)) : this.recordId(value as string)];
      });
      return Object.fromEntries(entries);
    };
    return {
      ...command,
      ...(command.fields && { fields: replace(command.fields) }),
      ...(command.changes && { changes: replace(command.changes) }),
    };
  }

  private recordId(name: string): string {
    const id = this.#recordIds.get(name);
    if (id === undefined) throw new Error(`No story of the demo has the name ${name}`);
    return id;
  }

  private person(name: string): DemoPerson {
    const person = this.#people.get(name);
    if (person === undefined) throw new Error(`The demo has no person ${name}`);
    return person;
  }

  private accountId(name: string): string {
    return demoAccountId(this.installation.installation, this.person(name));
  }

  private actor(name: string, program: string | undefined) {
    return { actor_id: this.accountId(name), token_id: null, client: clientOf(program), role: this.person(name).role };
  }
}

/** Returns the client that the program names; null for a change by hand. The command line names its version. */
function clientOf(program: string | undefined): Caller['client'] {
  if (program === undefined) return null;
  return { name: program, version: program.startsWith('veritrail ') ? VERSION : '' };
}
