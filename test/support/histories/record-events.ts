/**
 * Records a fixture of events by the real handler on a store in memory, with a simulated clock. The scenario `families` has
 * every event type of measures, audits, obligations, nonconformities, evidence, frameworks, controls and links. The others:
 * `past-decisions` has imported reviews and acceptances, `framework-groups` groups of controls, `crosswalks` imported links
 * of controls, `stated-dates` dates without a time of day. Decisions that were taken back are in `withdrawals`, undone calls
 * in `undone`, reviews that change nothing else in `reviews`. New owners of evidence and frameworks are in `owners`,
 * proposals in `proposals` and `approvals`, evidence in the place of other evidence in `replacements`. The singular of a
 * family records the events that most families have. Run it by hand, for a new file:
 *
 *     npx tsx test/support/histories/record-events.ts SCENARIO test/fixtures/events-NAME.jsonl
 *
 * Recorded files never change. New types and shapes get a new scenario and a new file.
 */
import { writeFileSync } from 'node:fs';
import { crosswalkAggregate } from '../../../src/commands/crosswalk.ts';
import type { Aggregate } from '../../../src/commands/engine/decider.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { commandId, controlId, derivedId } from '../../../src/commands/engine/ids.ts';
import { importCommandId, importedId } from '../../../src/commands/engine/import-ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { adoptionCommand } from '../../../src/commands/framework.ts';
import { linkAggregate } from '../../../src/commands/link.ts';
import { type ProposalCommand, proposalAggregate } from '../../../src/commands/proposal.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import type { FamilyDescription } from '../../../src/register/family-description.ts';
import { sortedPair } from '../../../src/register/link.ts';
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
const IMPORT_KEY = '6f1c0f5a9d3e4b2788aa';
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
  await change(id, moment);
  return id;
}

async function change(id: string, moment: readonly Command[]): Promise<void> {
  for (const command of moment) await execute(recordAggregate(id), command);
}

function update(title: string, changes: object, reason?: string): Command {
  return { type: `Update${title}`, changes, ...(reason ? { reason } : {}) };
}

const ARCHIVED: readonly Command[] = [
  { type: 'Archive', reason: 'Twice in the register' },
  { type: 'Restore', reason: 'It was not' },
];

async function measures(): Promise<string> {
  const id = await addAndRun('Measure', 'msr', { reference_id: 'M-1', name: 'Lukustatud server' }, [
    update('Measure', { category: 'Access', due_date: '2026-12-31', owner_id: OWNER }),
    update('Measure', { state: 'IN_PROGRESS' }),
    update('Measure', { state: 'IMPLEMENTED' }, 'Seen by the auditor'),
    update('Measure', { state: 'IN_PROGRESS' }, 'The lock was broken'),
    update('Measure', { state: 'NOT_APPLICABLE', justification: 'No servers of our own' }),
    update('Measure', { justification: 'The servers are rented' }),
    update('Measure', { state: 'IMPLEMENTED' }, 'One is back'),
    ...ARCHIVED,
  ]);
  const fields = { name: 'Long done', state: 'IMPLEMENTED', implemented_at: '2024-05-01T00:00:00.000Z' };
  const imported = importedId({ prefix: 'msr', type: 'MEASURE' }, IMPORT_KEY, ORGANIZATION, fields);
  await execute(recordAggregate(imported), { type: 'AddMeasure', fields }, importCommandId(imported));
  return id;
}

async function frameworks(): Promise<[framework: string, ...controls: string[]]> {
  const command_id = commandId(['recorded', 'Framework'], String(commands));
  const id = derivedId('frm', command_id);
  const controls = [
    { section_title: 'K.1', name: 'Uksed on lukus', description: 'Day and night' },
    { section_title: 'K.2', name: 'Keys are counted' },
  ];
  const framework = { name: 'House rules', version: '3', owner_id: OWNER, controls };
  await execute(recordAggregate(id), adoptionCommand(id, framework, 'The board asks for it'), command_id);
  await change(id, ARCHIVED);
  return [id, controlId(id, 0), controlId(id, 1)];
}

function control(id: string): Promise<void> {
  return change(id, [
    update('Control', { description: 'Once a week', owner_id: OWNER }),
    update('Control', { status: 'EXCLUDED', exclusion_justification: 'There are no keys' }),
    update('Control', { exclusion_justification: 'There are only codes' }, 'Said more clearly'),
    update('Control', { status: 'INCLUDED', inclusion_justification: 'Codes count as keys' }),
    ...ARCHIVED,
  ]);
}

async function audits(framework_id: string): Promise<string> {
  const fields = { framework_id, name: 'Sertifitseerimine', kind: 'CERTIFICATION', starts_on: '2026-12-01' };
  const id = await addAndRun('Audit', 'aud', fields, [
    update('Audit', { auditor: 'Kontroll OÜ', owner_id: OWNER }),
    update('Audit', { state: 'IN_PROGRESS' }),
    update('Audit', { state: 'COMPLETED', valid_from: '2027-01-01', valid_until: '2029-12-31' }),
    update('Audit', { state: 'IN_PROGRESS' }, 'A page was missing'),
    update('Audit', { state: 'COMPLETED' }),
    update('Audit', { state: 'OUTDATED' }, 'A new round begins'),
    ...ARCHIVED,
  ]);
  await addAndRun('Audit', 'aud', { framework_id, name: 'Called off' }, [update('Audit', { state: 'REJECTED' })]);
  return id;
}

async function obligations(): Promise<void> {
  await addAndRun('Obligation', 'obl', { requirement: 'Teata lekkest 72 tunni jooksul', source: 'GDPR Art. 33' }, [
    update('Obligation', { area: 'Privacy', due_date: '2027-03-01', owner_id: OWNER }),
    update('Obligation', { status: 'PARTIALLY_COMPLIANT' }),
    update('Obligation', { last_review_date: '2026-11-02' }, 'It was the day before'),
    ...ARCHIVED,
  ]);
}

async function nonconformities(audit_id: string): Promise<void> {
  const finding = { reference_id: 'NC-1', description: 'The door stood open', severity: 'MAJOR', audit_id };
  const closing = {
    root_cause: 'A worn hinge',
    corrective_action: 'New hinges',
    effectiveness_check: 'Shut for a week',
  };
  await addAndRun('Nonconformity', 'ncf', finding, [
    update('Nonconformity', { due_date: '2027-01-15', owner_id: OWNER }),
    update('Nonconformity', { status: 'IN_PROGRESS' }),
    update('Nonconformity', { status: 'PENDING_VERIFICATION', ...closing }),
    update('Nonconformity', { status: 'OPEN' }, 'It stood open again'),
    update('Nonconformity', { status: 'CLOSED' }),
    update('Nonconformity', { status: 'OPEN' }, 'And again'),
    ...ARCHIVED,
  ]);
}

/** Links that begin in evidence and links that don't, each present or removed at the end. */
async function evidenceAndLinks(measure: string, control: string): Promise<void> {
  const fields = { name: 'Pilt uksest', text: 'The door is shut.', record_ids: [measure, control] };
  const evidence = await addAndRun('Evidence', 'evd', { ...fields, valid_until: '2027-11-05' }, ARCHIVED);
  const link = (type: string, one: string, other: string, reason?: string) =>
    execute(linkAggregate(one, other), { type, ids: sortedPair(one, other), ...(reason ? { reason } : {}) });
  await link('Unlink', evidence, control, 'It shows another door');
  await link('Unlink', evidence, measure);
  await link('Link', evidence, measure, 'It is this door after all');
  await link('Link', measure, control, 'The lock keeps the keys');
  await link('Unlink', measure, control);
}

/** A name in an imported file. The account store would have it. */
const NAME_ID = 'nam_0000000000HEM25JK8HC6VSNG8';

async function pastDecisions(): Promise<void> {
  const origin = { name_id: NAME_ID, source: 'row 12 of hankijad.xlsx' };
  await importRecord('Vendor', 'vnd', origin, {
    ...{ name: 'Ülipilv OÜ', status: 'CONDITIONAL', last_reviewed: '2025-03-03T00:00:00.000Z' },
    ...{ findings: 'No certificate', conditions: 'Sends one by summer' },
  });
  await importRecord('Vendor', 'vnd', NO_ORIGIN, { name: 'Long approved', status: 'APPROVED' });
  await importRecord('Risk', 'rsk', origin, {
    ...{ name: 'Old lift', status: 'ACCEPTED', accepted_until: '2026-12-31', acceptance_reason: 'Seldom used' },
    ...{ inherent_likelihood: 2, inherent_impact: 3 },
  });
  await importRecord('Risk', 'rsk', NO_ORIGIN, {
    ...{ name: 'Old stairs', status: 'ACCEPTED', accepted_until: '2026-06-30', acceptance_reason: 'Nobody falls' },
    ...{ accepted_by: OWNER, accepted_at: '2025-06-30T00:00:00.000Z' },
  });
}

const NO_ORIGIN = { name_id: null, source: null };

async function importRecord(title: 'Vendor' | 'Risk', prefix: string, origin: object, fields: object): Promise<void> {
  const id = importedId({ prefix, type: title.toUpperCase() }, IMPORT_KEY, ORGANIZATION, { ...fields });
  await execute(recordAggregate(id), { type: `Add${title}`, fields, origin }, importCommandId(id));
}

/** A framework that an import adopts with groups, controls inside others, and a note about withdrawn ones. */
async function frameworkGroups(): Promise<void> {
  const command_id = commandId(['recorded', 'Framework with groups'], String(commands));
  const id = derivedId('frm', command_id);
  const controls = [
    { section_title: 'T.1', name: 'Tuli põleb', group: 'Lamp › Night' },
    { section_title: 'T.1(1)', name: 'A spare wick', group: 'Lamp › Night', parent: 'T.1' },
    { section_title: 'U.1', name: 'The log is kept' },
  ];
  const note = 'Withdrawn by the publisher and not adopted (1):\nT.2 Whale oil';
  await execute(recordAggregate(id), adoptionCommand(id, { name: 'Lighthouse rules', note, controls }), command_id);
}

/** Imports of a crosswalk, before, between and after events of the links themselves. */
async function crosswalks(): Promise<void> {
  const adopted = async (name: string) => {
    const command_id = commandId(['recorded', name], String(commands));
    const id = derivedId('frm', command_id);
    const controls = ['1', '2', '3'].map((section_title) => ({ section_title, name: `${name} ${section_title}` }));
    await execute(recordAggregate(id), adoptionCommand(id, { name, controls }), command_id);
    return { id, controls: controls.map((_, index) => controlId(id, index)) };
  };
  const [tide, star] = [await adopted('Tide tables'), await adopted('Star charts')];
  const framework_ids = sortedPair(tide.id, star.id);
  const pair = (from: number, relation: string, to: number) => ({
    from_id: tide.controls[from]!,
    to_id: star.controls[to]!,
    relation,
  });
  const crosswalk = (pairs: readonly object[], reason?: string) =>
    execute(crosswalkAggregate(tide.id, star.id), {
      ...{ type: 'ImportCrosswalk', framework_ids, pairs },
      ...(reason ? { reason } : {}),
    });
  const ids = sortedPair(tide.controls[0]!, star.controls[0]!);
  const link = (command: Command) => execute(linkAggregate(...ids), { ids, ...command });
  await crosswalk([pair(0, 'EQUIVALENT', 0), pair(1, 'SUPPORTS', 0)], 'Õpetaja tabel');
  await link({ type: 'Link', relation: { relation: 'PARTLY', from_id: ids[1] }, reason: 'Only at high tide' });
  await crosswalk([pair(0, 'SUPPORTS', 0), pair(1, 'SUPPORTS', 0), pair(2, 'PARTLY', 1)]);
  await link({ type: 'Unlink', reason: 'Found out' });
}

/** Decisions that were taken back. */
async function withdrawals(): Promise<void> {
  const command_id = commandId(['recorded', 'Framework of audits'], String(commands));
  const framework_id = derivedId('frm', command_id);
  const controls = [{ section_title: 'V.1', name: 'Logi on terve' }];
  await execute(
    recordAggregate(framework_id),
    adoptionCommand(framework_id, { name: 'Log rules', controls }),
    command_id,
  );
  await addAndRun('Audit', 'aud', { framework_id, name: 'Taastatud' }, [
    update('Audit', { state: 'REJECTED' }),
    update('Audit', { state: 'IN_PROGRESS' }, 'The wrong one was called off'),
    update('Audit', { state: 'COMPLETED' }),
    update('Audit', { state: 'OUTDATED' }),
    update('Audit', { state: 'COMPLETED' }, 'The newer one is of another house'),
  ]);
  const review = { type: 'ReviewVendor', outcome: 'CONDITIONAL', conditions: 'Two keys' };
  await addAndRun('Vendor', 'vnd', { name: 'Vale pilv' }, [
    update('Vendor', { status: 'SUSPENDED' }, 'A leak'),
    review,
    { type: 'WithdrawReview', reason: 'It was the other cloud' },
  ]);
  await addAndRun('Obligation', 'obl', { requirement: 'Hoia logi' }, [
    update('Obligation', { status: 'COMPLIANT' }),
    { type: 'WithdrawAssessment', reason: 'It was the other log' },
  ]);
}

/** Undone calls on records of all families, and on a link. */
async function undone(): Promise<void> {
  const adopting = commandId(['recorded', 'Framework of undone calls'], String(commands));
  const framework_id = derivedId('frm', adopting);
  const controls = [{ section_title: 'Y.1', name: 'Tagasi' }];
  await execute(
    recordAggregate(framework_id),
    adoptionCommand(framework_id, { name: 'Undo rules', controls }),
    adopting,
  );
  await undo(recordAggregate(framework_id), 'Adopted twice');
  await change(controlId(framework_id, 0), [update('Control', { owner_id: OWNER })]);
  await undo(recordAggregate(controlId(framework_id, 0)));
  const risk = await addAndRun('Risk', 'rsk', { name: 'Vale rida', inherent_likelihood: 2, inherent_impact: 2 }, [
    { type: 'DecideRisk', decision: 'ACCEPT', until: '2027-05-01', reason: 'Small' },
    { type: 'DecideRisk', decision: 'REVOKE', reason: 'The wrong one' },
  ]);
  await undo(recordAggregate(risk));
  const vendor = await addAndRun('Vendor', 'vnd', { name: 'Vale müüja' }, [
    { type: 'ReviewVendor', outcome: 'APPROVED', findings: 'Fine' },
    update('Vendor', { status: 'OFFBOARDED' }, 'Left'),
  ]);
  await undo(recordAggregate(vendor));
  const measure = await addAndRun('Measure', 'msr', { name: 'Vale meede' }, [
    update('Measure', { state: 'IMPLEMENTED' }),
  ]);
  await undo(recordAggregate(measure));
  const obligation = await addAndRun('Obligation', 'obl', { requirement: 'Vale nõue' }, [
    update('Obligation', { status: 'COMPLIANT' }),
  ]);
  await undo(recordAggregate(obligation));
  const finding = await addAndRun('Nonconformity', 'ncf', { reference_id: 'NC-77', description: 'Vale leid' }, [
    update('Nonconformity', { status: 'IN_PROGRESS' }),
  ]);
  await undo(recordAggregate(finding));
  const audit = await addAndRun('Audit', 'aud', { framework_id, name: 'Vale audit' }, [
    update('Audit', { state: 'COMPLETED' }),
  ]);
  await undo(recordAggregate(audit));
  const evidence = { name: 'Vale foto', text: 'Of another door', record_ids: [measure] };
  await undo(recordAggregate(await addAndRun('Evidence', 'evd', evidence, [])));
  const ids = sortedPair(risk, measure);
  await execute(linkAggregate(...ids), { type: 'Link', ids });
  await undo(linkAggregate(...ids), 'The wrong measure', { ids });
}

/** Undoes the newest call on a record or link. */
async function undo(aggregate: AnyAggregate, reason = 'A wrong call', more: object = {}): Promise<void> {
  const { correlation_id: call_id } = (await store.readStream(aggregate.stream)).at(-1)!.metadata;
  await execute(aggregate, { type: 'Undo', call_id, reason, ...more }, undefined, call_id);
}

/** The owners of evidence and frameworks, which change alone. */
async function owners(): Promise<void> {
  const adopting = commandId(['recorded', 'Framework of owners'], String(commands));
  const framework_id = derivedId('frm', adopting);
  const controls = [{ section_title: 'O.1', name: 'Igaühel on omanik' }];
  await execute(
    recordAggregate(framework_id),
    adoptionCommand(framework_id, { name: 'Owner rules', controls }),
    adopting,
  );
  const handover = { type: 'UpdateFramework', changes: { owner_id: OWNER }, reason: 'Priya lahkub' };
  await execute(recordAggregate(framework_id), handover);
  await execute(recordAggregate(framework_id), { type: 'UpdateFramework', changes: { owner_id: null } });
  const control = controlId(framework_id, 0);
  await addAndRun('Evidence', 'evd', { name: 'Üleandmine', text: 'Signed by both', record_ids: [control] }, [
    { type: 'UpdateEvidence', changes: { owner_id: OWNER } },
    { type: 'UpdateEvidence', changes: { owner_id: null }, reason: 'Nobody yet' },
  ]);
}

/** Evidence that is archived for a newer piece, and one that is restored after it. */
async function replacements(): Promise<void> {
  // Ids follow from the number of the command. Other scenarios begin with a measure too.
  commands = 200;
  const subject = await addAndRun('Measure', 'msr', { reference_id: 'M-9', name: 'Varukoopiad' }, []);
  const old = { name: 'Katse mais', text: 'Restored', record_ids: [subject] };
  const newer = { ...old, name: 'Katse juunis' };
  for (const next of [[], ARCHIVED.slice(1)]) {
    const replaces = await addAndRun('Evidence', 'evd', old, []);
    const replaced_by = await addAndRun('Evidence', 'evd', { ...newer, replaces }, []);
    await change(replaces, [{ type: 'Archive', reason: 'Uus katse', replaced_by }, ...next]);
  }
}

/** Dates without a time of day, and times at the start and the end of a day in UTC, which are no dates. */
async function statedDates(): Promise<void> {
  const review = (reviewed_at: string) => ({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at }) as const;
  await addAndRun('Vendor', 'vnd', { name: 'Päevapilv', last_reviewed: '2026-10-01' }, [
    review('2026-10-01T00:00:00.000Z'),
    review('2026-10-30'),
    review('2026-10-30T23:59:59.999Z'),
  ]);
  await addAndRun('Vendor', 'vnd', { name: 'Kesköö', last_reviewed: '2026-10-02T00:00:00.000Z' }, [
    review('2026-10-29'),
  ]);
  const origin = { name_id: NAME_ID, source: 'row 3 of päevad.xlsx' };
  const imported = { name: 'Vana pilv', status: 'REJECTED', last_reviewed: '2025-03-04' };
  await importRecord('Vendor', 'vnd', origin, imported);
  await importRecord('Risk', 'rsk', origin, {
    ...{ name: 'Vana lift', status: 'ACCEPTED', accepted_until: '2026-12-31', acceptance_reason: 'Seldom used' },
    ...{ accepted_at: '2025-07-01' },
  });
  const done = { name: 'Ammu tehtud', state: 'IMPLEMENTED', implemented_at: '2024-05-02' };
  const measure = await addAndRun('Measure', 'msr', done, []);
  const evidence = { name: 'Foto uksest', text: 'The door is shut.', collected_at: '2026-10-05' };
  await addAndRun('Evidence', 'evd', { ...evidence, record_ids: [measure] }, []);
}

/** Reviews that leave a record as it is, and the intervals between them. */
async function reviews(): Promise<void> {
  const reviewed = (title: string, changes: object = {}, reason?: string) => ({
    ...update(title, changes, reason),
    reviewed: true,
  });
  const every = { review_interval_months: 6 };
  await addAndRun('Risk', 'rsk', { name: 'Jää katusel', next_review_due: '2026-11-30' }, [
    reviewed('Risk', {}, 'The roof holds'),
    reviewed('Risk', every),
  ]);
  await addAndRun('Measure', 'msr', { name: 'Katus on puhas', ...every }, [
    reviewed('Measure'),
    reviewed('Measure', { next_review_due: '2027-03-31' }, 'Again before the thaw'),
  ]);
  const vendor = { name: 'Katusemehed', ...every };
  await addAndRun('Vendor', 'vnd', vendor, [{ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at: '2026-10-31' }]);
  const obligation = { requirement: 'Clear the roof', due_date: '2026-12-31', ...every };
  const assessed = { ...obligation, status: 'COMPLIANT', last_review_date: '2026-01-15' };
  await addAndRun('Obligation', 'obl', assessed, [reviewed('Obligation', {}, 'Cleared')]);
  const [, first] = await frameworks();
  await change(first!, [reviewed('Control', { ...every, owner_id: OWNER }), reviewed('Control')]);
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

async function families(): Promise<void> {
  const measure = await measures();
  const [framework, , second] = await frameworks();
  await control(second!);
  const audit = await audits(framework);
  await obligations();
  await nonconformities(audit);
  await evidenceAndLinks(measure, second!);
}

/** Records the events that most families have, with the values of a family's examples. */
async function commonEvents({ title, prefix, tools }: FamilyDescription): Promise<void> {
  const { owner_id: _me, ...fields } = tools.add!.example;
  const { reason: _reason, ...changes } = tools.update!.example;
  const id = await addAndRun(title, prefix, fields, [update(title, { ...changes, owner_id: OWNER }), ...ARCHIVED]);
  await undo(recordAggregate(id));
}

const SCENARIOS: Readonly<Record<string, () => Promise<void>>> = {
  families,
  'past-decisions': pastDecisions,
  'framework-groups': frameworkGroups,
  crosswalks,
  'stated-dates': statedDates,
  withdrawals,
  undone,
  reviews,
  owners,
  proposals,
  replacements,
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
