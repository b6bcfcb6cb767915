/**
 * Records a fixture of events by the real handler on a store in memory, with a simulated clock. The singular of a family
 * records the events that most families have; other events need a scenario. Run it by hand, for a new file:
 *
 *     npx tsx test/support/histories/record-events.ts SCENARIO test/fixtures/events-NAME.jsonl
 *
 * Recorded files never change. New types and shapes get a new scenario and a new file, and a scenario whose file is recorded
 * may go.
 */
import { writeFileSync } from 'node:fs';
import type { Aggregate } from '../../../src/commands/engine/decider.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { commandId, derivedId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { type ProposalCommand, proposalAggregate } from '../../../src/commands/proposal.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import type { FamilyDescription } from '../../../src/register/family-description.ts';
import { MemoryEventStore } from '../stores/memory-event-store.ts';

/** Actor and organization, the same as in the first recording. */
const ORGANIZATION = 'org_0000000000GCW8A3G826Q1K8SV';
const OWNER = 'acc_0000000000HA080Y4GWY56C6CX';
const BY = {
  organization_id: ORGANIZATION,
  actor_id: OWNER,
  token_id: 'tok_0000000000H1Z975MCQ4JEXTMM',
  client: { name: 'Some assistant', version: '1.2.3' },
  role: 'OWNER' as const,
};
const FIRST = Date.parse('2026-11-03T08:00:00.123Z');
/** Time between two commands. */
const STEP_MS = 97 * 60_123;

interface Command {
  type: string;
  reason?: string;
  [member: string]: unknown;
}

const store = new MemoryEventStore();
let commands = 0;
const now = () => new Date(FIRST + commands * STEP_MS);
const handler = new CommandHandler(store, { now, maxAcceptanceDays: 366, simulated: true });

// biome-ignore lint/suspicious/noExplicitAny: records of any family, and links
type AnyAggregate = Aggregate<any, any, any>;

async function execute(
  aggregate: AnyAggregate,
  command: Command,
  command_id?: string,
  causation_id?: string,
): Promise<void> {
  const id = command_id ?? commandId(['recorded', aggregate.stream], String(commands));
  const correlation_id = commandId(['recorded call'], String(commands));
  const { event_types } = await handler.execute(aggregate, command, {
    ...BY,
    command_id: id,
    correlation_id,
    ...(causation_id ? { causation_id } : {}),
    input: command,
  });
  if (event_types.length === 0) throw new Error(`${command.type} on ${aggregate.stream} wrote nothing`);
  commands++;
}

/** Adds a record, then runs commands on it. */
async function addAndRun(title: string, prefix: string, fields: object, moment: readonly Command[]): Promise<string> {
  const command_id = commandId(['recorded', title], String(commands));
  const id = derivedId(prefix, command_id);
  await execute(recordAggregate(id), { type: `Add${title}`, fields }, command_id);
  for (const command of moment) await execute(recordAggregate(id), command);
  return id;
}

function update(title: string, changes: object, reason?: string): Command {
  return { type: `Update${title}`, changes, ...(reason ? { reason } : {}) };
}

const ARCHIVED: readonly Command[] = [
  { type: 'Archive', reason: 'Twice in the register' },
  { type: 'Restore', reason: 'It was not' },
];

/** Undoes the newest call on a record or link. */
async function undo(aggregate: AnyAggregate): Promise<void> {
  const { correlation_id: call_id } = (await store.readStream(aggregate.stream)).at(-1)!.metadata;
  await execute(aggregate, { type: 'Undo', call_id, reason: 'A wrong call' }, undefined, call_id);
}

/** Proposes a vendor. Returns the ids of the proposal and of the vendor. */
async function proposed(name: string, more: { depends_on?: string[] } = {}) {
  const command_id = commandId(['recorded', 'proposal'], name);
  const id = derivedId('prp', command_id);
  const record_id = derivedId('vnd', command_id);
  const effects = [addedVendor(record_id, name)];
  const input = { organization_id: ORGANIZATION, name };
  const call = { client: BY.client.name, tool: 'addVendor', input, effects, position: commands };
  const command: ProposalCommand = { type: 'MakeProposal', ...call, reason: 'Vajame hooldust', ...more };
  await execute(proposalAggregate(id), command, command_id);
  return { id, record_id };
}

const addedVendor = (record_id: string, name: string) => ({
  record_id,
  event_types: ['VendorAdded'],
  changes: [{ field: 'name', from: null, to: name }],
});

/** A proposal that was approved with changes, and one that depends on it. */
async function approvals(): Promise<void> {
  const first = await proposed('Tuletorni hooldus');
  await proposed('Paadi hooldus', { depends_on: [first.id] });
  await execute(proposalAggregate(first.id), {
    type: 'ApproveProposal',
    streams: [`vendor-${first.record_id}`],
    input: { organization_id: ORGANIZATION, name: 'Majaka hooldus OÜ' },
    effects: [addedVendor(first.record_id, 'Majaka hooldus OÜ')],
    reason: 'Õige nimi',
  });
}

/** Proposals in each of their states. */
async function proposals(): Promise<void> {
  const approved = await proposed('Majaka hooldus');
  await execute(proposalAggregate(approved.id), {
    type: 'ApproveProposal',
    streams: [`vendor-${approved.record_id}`],
    call_id: commandId(['recorded'], 'approved call'),
  });
  const refused = [{ record_id: approved.record_id, code: 'conflict', message: 'Somebody was faster.' }];
  const outcome = { call_id: commandId(['recorded'], 'approved call'), done: 0, refused };
  await execute(proposalAggregate(approved.id), { type: 'CarryOutProposal', ...outcome });
  const { id: declined } = await proposed('Teine hooldus');
  await execute(proposalAggregate(declined), { type: 'DeclineProposal', reason: 'Üks on küllalt' });
  const { id: withdrawn } = await proposed('Kolmas hooldus');
  await execute(proposalAggregate(withdrawn), { type: 'WithdrawProposal' });
}

/** Records the events that most families have, with the values of a family's examples. */
async function commonEvents({ title, prefix, tools }: FamilyDescription): Promise<void> {
  const { owner_id: _me, ...fields } = tools.add!.example;
  const { reason: _reason, ...changes } = tools.update!.example;
  const id = await addAndRun(title, prefix, fields, [update(title, { ...changes, owner_id: OWNER }), ...ARCHIVED]);
  await undo(recordAggregate(id));
}

const SCENARIOS: Readonly<Record<string, () => Promise<void>>> = {
  proposals,
  approvals,
};

async function record(scenario: () => Promise<void>, file: string): Promise<void> {
  await scenario();
  const lines = store.log.map(({ storePosition: _position, ...event }) => `${JSON.stringify(event)}\n`);
  writeFileSync(file, lines.join(''), { flag: 'wx' });
  console.log(`${lines.length} events in ${file}`);
}

const [name = '', file] = process.argv.slice(2);
const family = FAMILY_DESCRIPTIONS.find(({ singular }) => singular === name);
const scenario = SCENARIOS[name] ?? (family && (() => commonEvents(family)));
if (scenario === undefined || file === undefined) {
  throw new Error(
    `Give one of ${Object.keys(SCENARIOS).join(', ')} or a family, and the file to write, test/fixtures/events-….jsonl.`,
  );
}
await record(scenario, file);
