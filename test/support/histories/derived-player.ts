import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { crosswalkAggregate } from '../../../src/commands/crosswalk.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { controlId, derivedId, idPrefix } from '../../../src/commands/engine/ids.ts';
import { refuseIfParentArchived, requireLiveRecord } from '../../../src/commands/engine/references.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { organizationAggregate, recordAggregate } from '../../../src/commands/families.ts';
import { adoptionCommand } from '../../../src/commands/framework.ts';
import { linkAggregate } from '../../../src/commands/link.ts';
import type { CrosswalkPair } from '../../../src/register/crosswalk.ts';
import { linkablePrefixes } from '../../../src/register/families.ts';
import { directedRelation, RELATIONS, sortedPair } from '../../../src/register/link.ts';
import { envelopeFor } from '../register.ts';
import { MemoryEventStore } from '../stores/memory-event-store.ts';
import { type Action, COMMANDS_BY_KIND, type DerivedStep, FIRST_DAY, ORIGIN, withReason } from './derived-histories.ts';

/** Number of controls in a framework. */
const CONTROLS = 3;

/** Every history begins with records of each kind, and measures on controls. */
const OPENING: Action[] = ['msr', 'frm', ...Object.keys(COMMANDS_BY_KIND).filter((kind) => kind !== 'evd')]
  .filter((kind) => COMMANDS_BY_KIND[kind]?.fields)
  .map((kind) => ({ do: 'add', kind, fields: openingOf(kind), picks: [0] }));

function openingOf(kind: string): object {
  return fc.sample(COMMANDS_BY_KIND[kind]!.fields!, { numRuns: 1, seed: 1 })[0]!;
}

/** Executes the actions one after the other in a new organization. Refused actions change nothing. */
export async function playHistory(
  steps: readonly DerivedStep[],
): Promise<{ store: MemoryEventStore; organization: string }> {
  const player = new Player();
  await player.begin();
  for (const { action, clock, overtaken } of steps) {
    player.now += clock;
    player.overtaken = overtaken;
    await player.carryOut(action);
  }
  return player;
}

class Player {
  readonly store = new MemoryEventStore();
  now = Date.parse(`${FIRST_DAY}T12:00:00.000Z`);
  overtaken = false;
  private readonly run = randomUUID();
  readonly organization = derivedId('org', this.run);
  private readonly records = new Map<string, string[]>();
  private readonly pairs: (readonly [string, string])[] = [];
  private readonly archived: string[] = [];
  private readonly handler = new CommandHandler(this.store, {
    now: () => new Date(this.now),
    maxAcceptanceDays: 366,
    simulated: true,
  });

  async begin(): Promise<void> {
    const facts = { name: 'Acme', import_key: 'k', installation: 'i', owner_id: 'acc_1' };
    await this.execute(organizationAggregate(this.organization), { type: 'CreateOrganization', ...facts });
    for (const action of OPENING) await this.carryOut(action);
    for (const measure of this.ofKind('msr')) {
      for (const control of this.ofKind('ctl').slice(0, 2)) {
        await this.link('Link', [measure, control]);
        this.pairs.push([measure, control]);
      }
    }
  }

  async carryOut(action: Action): Promise<void> {
    try {
      await this.executeAction(action);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private async executeAction(action: Action): Promise<void> {
    switch (action.do) {
      case 'add':
        return this.add(action.kind, action.fields, action.picks);
      case 'join':
        return this.join(action.pick, action.picks);
      case 'import crosswalk':
        return this.importCrosswalk(action.picks);
      case 'part':
        return this.link('Unlink', choose(this.pairs, action.pick));
      case 'update':
        return this.command(choose(this.ofKind(action.kind), action.pick), await this.update(action));
      case 'decide':
        return this.command(choose(this.ofKind(action.kind), action.pick), action.command);
      case 'archive': {
        const id = choose(this.ofKind(action.kind), action.pick);
        if (id !== undefined) this.archived.push(id);
        return this.command(id, { type: 'Archive', ...withReason });
      }
      case 'restore':
        return this.command(choose(this.archived, action.pick), { type: 'Restore', ...withReason });
    }
  }

  private async command(id: string | undefined, command: object): Promise<void> {
    if (id === undefined) return;
    if (!this.overtaken) await refuseIfParentArchived(this.handler, id);
    await this.execute(recordAggregate(id), command);
  }

  private async update({ kind, changes, refer }: Action & { do: 'update' }): Promise<object> {
    const { title, refers } = COMMANDS_BY_KIND[kind]!;
    const reference = refers && refer !== null ? await this.reference(refers, refer) : {};
    return { type: `Update${title}`, changes: { ...changes, ...reference }, ...withReason };
  }

  private async add(kind: string, given: object, picks: readonly number[]): Promise<void> {
    const { title, refers } = COMMANDS_BY_KIND[kind]!;
    const id = derivedId(kind, this.run, this.ofKind(kind).length);
    const fields = { ...given, ...(refers ? await this.reference(refers, picks[0]!) : {}) };
    if (kind === 'evd') {
      const record_ids = await this.chooseLinkable(picks);
      Object.assign(fields, { record_ids });
      for (const recordId of record_ids) this.pairs.push([id, recordId]);
    }
    if (kind === 'frm') {
      const controls = Array.from({ length: CONTROLS }, (_, n) => ({ section_title: `A.${n}`, name: `${n}` }));
      await this.execute(recordAggregate(id), adoptionCommand(id, { name: 'Framework', ...fields, controls }));
      this.addRecords('ctl', ...controls.map((_, n) => controlId(id, n)));
    } else {
      await this.execute(recordAggregate(id), { type: `Add${title}`, fields, origin: ORIGIN, ...withReason });
    }
    this.addRecords(kind, id);
  }

  private async reference([field, kind]: readonly [string, string], pick: number): Promise<object> {
    const optional = field === 'audit_id';
    const id = choose([...this.ofKind(kind), ...(optional ? [null] : [])], pick);
    if (id === undefined) return {};
    if (id !== null) await this.requireLive(id, field);
    return { [field]: id };
  }

  /** Returns the ids of the records that new evidence is attached to. */
  private async chooseLinkable(picks: readonly number[]): Promise<string[]> {
    const ids = picks.map((pick) => choose(this.linkable('evd'), pick)!);
    for (const id of ids) await this.requireLive(id, 'record_ids');
    return ids;
  }

  /** Links a record with others that it can be linked with. */
  private async join(pick: number, picks: readonly number[]): Promise<void> {
    const first = choose([...this.records.values()].flat(), pick)!;
    for (const secondPick of picks) {
      const second = choose(this.linkable(idPrefix(first)!), secondPick) ?? first;
      if (second === first) continue;
      await this.link('Link', [first, second], secondPick);
      this.pairs.push([first, second]);
    }
  }

  /** Links or unlinks two records. Two controls get the relation that `relationPick` chooses. */
  private async link(
    type: 'Link' | 'Unlink',
    pair: readonly [string, string] | undefined,
    relationPick = 0,
  ): Promise<void> {
    if (pair === undefined) return;
    const ids = sortedPair(...pair);
    for (const id of ids) await this.requireLive(id, 'links');
    const relation = directedRelation(choose(RELATIONS, relationPick)!, pair[0]);
    const areControls = pair.every((id) => idPrefix(id) === 'ctl');
    await this.execute(linkAggregate(...ids), { type, ids, ...(type === 'Link' && areControls ? { relation } : {}) });
  }

  /** Links controls of the first two frameworks. Each pick chooses both controls and the relation. */
  private async importCrosswalk(picks: readonly number[]): Promise<void> {
    const [one, other] = this.ofKind('frm');
    if (one === undefined || other === undefined) return;
    const pairs = picks.map((pick): CrosswalkPair => {
      const ends = [controlId(one, pick % CONTROLS), controlId(other, Math.floor(pick / CONTROLS) % CONTROLS)] as const;
      const [from_id, to_id] = pick % 2 === 0 ? ends : [ends[1], ends[0]];
      return { from_id, to_id, relation: choose(RELATIONS, pick)! };
    });
    for (const { from_id, to_id } of pairs) {
      for (const id of [from_id, to_id]) await this.requireLive(id, 'rows');
      this.pairs.push([from_id, to_id]);
    }
    const framework_ids = sortedPair(one, other);
    await this.execute(crosswalkAggregate(one, other), { type: 'ImportCrosswalk', framework_ids, pairs });
  }

  private async requireLive(id: string, field: string): Promise<void> {
    if (!this.overtaken) await requireLiveRecord(this.handler, this.organization, id, field);
  }

  private linkable(kind: string): string[] {
    return linkablePrefixes(kind).flatMap((other) => this.ofKind(other));
  }

  private ofKind(kind: string): string[] {
    return this.records.get(kind) ?? [];
  }

  private addRecords(kind: string, ...ids: string[]): void {
    this.records.set(kind, [...this.ofKind(kind), ...ids]);
  }

  private async execute(aggregate: ReturnType<typeof recordAggregate> | object, command: object): Promise<void> {
    const envelope = envelopeFor({ organization_id: this.organization, actor_id: 'acc_1' });
    await this.handler.execute(aggregate as ReturnType<typeof recordAggregate>, command, envelope);
  }
}

function choose<T>(from: readonly T[], pick: number): T | undefined {
  return from[pick % from.length];
}
