/** Rules that the demo's register keeps, so that an auditor who looks at it believes it. */
import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRegister, type Register } from '../../src/app/create-register.ts';
import { ServiceClock } from '../../src/clock/service-clock.ts';
import { addDays } from '../../src/commands/engine/dates.ts';
import { FAMILIES, familyOf } from '../../src/commands/families.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { AccountNames } from '../../src/identity/accounts/account-names.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { readable } from '../support/histories/readable.ts';
import { callerAs, closeStores, openStores, SILENT_LOG, type Stores, temporaryFolder } from '../support/register.ts';

/** An answer's record with the fields that the rules read. */
interface DemoRecord {
  id: string;
  type: string;
  created_at: string;
  owner_id?: string;
  [field: string]: unknown;
}

interface Demo {
  folder: string;
  stores: Stores;
  register: Register;
  organizationId: string;
  log: StoredEvent[];
}

const TODAY = new Date().toISOString().slice(0, 10);
/** Records that were added after that day may still look for an owner. */
const NEW_RECORD_DAYS = 60;
const MANDATORY_CLAUSE = /^(?:[4-9]|10)(?:\.|$)/;
const ROLE_WORD = /\b(?:owner|admin|administrator|editor|auditor|viewer|user)\b/i;
/** Only people decide these. */
const DECISION =
  /^(?:Risk(?:Accepted|AcceptanceRevoked|Closed|Reopened)|NonconformityClosed|AuditCompleted|\w+(?:Archived|Suspended))$/;
/** Changes that auditors ask the reason of. */
const NEEDS_REASON =
  /^(?:\w+(?:SetBack|Archived|Suspended|Offboarded|RuledOut|Reopened|AcceptanceRevoked|Assessed|Implemented|TreatmentStarted|WorkStarted)|RiskAccepted|RiskClosed|ControlIncluded)$/;

const rules = suite<Demo>('rules of the demo');

rules.before(async (context) => {
  context.folder = temporaryFolder();
  context.stores = openStores(context.folder);
  await fillDemo(context.stores, new Date());
  context.log = [];
  for await (const batch of context.stores.events.readAll(null)) context.log.push(...readable(batch));
  context.organizationId = context.log[0]!.metadata.organization_id;
  context.register = createRegister({
    ...context.stores,
    names: new AccountNames(context.stores.accounts),
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  await context.register.projections.start('installation');
  await context.register.projections.progress.waitUntilCaughtUp(Date.now(), 20_000);
});

rules.after(async ({ register, stores, folder }) => {
  await register.projections.stop();
  await closeStores(stores);
  rmSync(folder, { recursive: true });
});

async function call({ register, organizationId }: Demo, tool: string, input: object): Promise<Record<string, unknown>> {
  const caller = callerAs('OWNER', { roles: new Map([[organizationId, 'OWNER']]) });
  const { json } = await register.tools.call(tool, { organization_id: organizationId, ...input }, { caller });
  return JSON.parse(json);
}

/** Returns all records of a list, such as `listControls`. */
async function list(demo: Demo, tool: string, input: object): Promise<DemoRecord[]> {
  const records: DemoRecord[] = [];
  let cursor: unknown;
  do {
    const page = await call(demo, tool, { ...input, view: 'FULL', size: 100, ...(cursor ? { cursor } : {}) });
    records.push(...(Object.values(page).find(Array.isArray) as DemoRecord[]));
    cursor = page.next_cursor;
  } while (cursor);
  return records;
}

/** Returns the records linked with this one, at a moment. */
async function linked(demo: Demo, id: string, as_of?: string): Promise<DemoRecord[]> {
  const input = { ids: [id], include: ['LINKS'], ...(as_of ? { as_of } : {}) };
  const { records } = (await call(demo, 'getRecords', input)) as { records: { links: { records: DemoRecord[] } }[] };
  return records[0]!.links.records;
}

const completedAudits = async (demo: Demo) => list(demo, 'listAudits', { filter: { state: ['COMPLETED'] } });
const numbersOf = (records: readonly DemoRecord[]) => records.map((record) => record.section_title);
const namesOf = (records: readonly DemoRecord[]) => records.map((record) => record.reference_id ?? record.name);

rules('a completed certification has no mandatory clause without a measure', async (demo) => {
  for (const audit of await completedAudits(demo)) {
    const controls = await list(demo, 'listControls', { as_of: audit.id, filter: { missing: ['MEASURES'] } });
    assert.equal(numbersOf(controls.filter((control) => MANDATORY_CLAUSE.test(`${control.section_title}`))), []);
    const { total } = await call(demo, 'listControls', { as_of: audit.id, view: 'COUNT' });
    assert.is(total, 123);
  }
});

rules('a completed certification has a finding for each gap', async (demo) => {
  const [audit, ...others] = await completedAudits(demo);
  assert.is(others.length, 0);
  const filter = { status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] };
  const gaps = await list(demo, 'listControls', { as_of: audit!.id, filter });
  assert.ok(gaps.length > 0, 'no audit finds nothing');
  const findings = await list(demo, 'listNonconformities', { as_of: audit!.id, filter: { audit_id: [audit!.id] } });
  const found = new Set(findings.map(({ id }) => id));
  for (const gap of gaps) {
    const links = await linked(demo, gap.id, audit!.id);
    assert.ok(
      links.some(({ id }) => found.has(id)),
      `${gap.section_title} has no finding`,
    );
  }
});

rules('a completed certification says why each control of Annex A is included or excluded', async (demo) => {
  for (const audit of await completedAudits(demo)) {
    const controls = await list(demo, 'listControls', { as_of: audit.id });
    const silent = controls.filter(
      (control) => !control[control.status === 'EXCLUDED' ? 'exclusion_justification' : 'inclusion_justification'],
    );
    assert.equal(numbersOf(silent.filter((control) => !MANDATORY_CLAUSE.test(`${control.section_title}`))), []);
  }
});

rules('nobody closes a finding that they own or treated, nor after its due date', async (demo) => {
  const findings = await list(demo, 'listNonconformities', { filter: { status: ['CLOSED'] } });
  assert.ok(findings.length > 3);
  for (const { id, owner_id, due_date, reference_id } of findings) {
    const events = demo.log.filter(({ stream }) => stream === `nonconformity-${id}`);
    const actorOf = (type: string) => events.findLast((event) => event.type === type)!.metadata.actor_id;
    const closedBy = actorOf('NonconformityClosed');
    assert.not.equal(closedBy, owner_id, `${reference_id} was closed by its owner`);
    assert.not.equal(closedBy, actorOf('NonconformitySubmittedForVerification'), `${reference_id}: treated and closed`);
    const closedOn = events.findLast(({ type }) => type === 'NonconformityClosed')!.metadata.recorded_at.slice(0, 10);
    assert.ok(closedOn <= String(due_date), `${reference_id} was closed late`);
  }
});

rules('nobody is called as a role', async ({ stores }) => {
  const names = (await stores.accounts.all('names')).map(({ name }) => String(name));
  assert.equal(
    names.filter((name) => ROLE_WORD.test(name)).concat(names.filter((name) => !/^\S+ \S+$/.test(name))),
    [],
  );
});

rules('every record has an owner, or is new', async (demo) => {
  const isNew = ({ created_at }: DemoRecord) => created_at.slice(0, 10) >= addDays(TODAY, -NEW_RECORD_DAYS);
  for (const tool of ['Risks', 'Vendors', 'Measures', 'Obligations', 'Nonconformities', 'Audits']) {
    const records = await list(demo, `list${tool}`, {});
    assert.equal(namesOf(records.filter((record) => !record.owner_id && !isNew(record))), [], tool);
  }
  const evidence = demo.log.filter(({ type }) => type === 'EvidenceAdded');
  assert.ok(evidence.length > 10 && evidence.every(({ data }) => (data as { owner_id?: string }).owner_id));
});

rules('every change that an auditor asks about has a reason', ({ log }) => {
  const silent = log.filter(({ type, data }) => NEEDS_REASON.test(type) && !(data as { reason?: string }).reason);
  assert.equal(
    silent.map(({ type, stream }) => `${type} ${stream}`),
    [],
  );
  assert.ok(log.filter(({ type }) => NEEDS_REASON.test(type)).length > 80);
});

rules(
  'treated risks have measures, measures in force have a purpose, and critical vendors are linked',
  async (demo) => {
    const withoutMeasure = { status: ['IN_TREATMENT'], missing: ['MEASURES'] };
    assert.equal(namesOf(await list(demo, 'listRisks', { filter: withoutMeasure })), []);
    const withoutPurpose = { state: ['IMPLEMENTED'], missing: ['CONTROLS', 'RISKS'] };
    assert.equal(namesOf(await list(demo, 'listMeasures', { filter: withoutPurpose })), []);
    for (const vendor of await list(demo, 'listVendors', { filter: { criticality: ['HIGH', 'CRITICAL'] } })) {
      assert.ok((await linked(demo, vendor.id)).length > 0, `${vendor.name} is linked with nothing`);
    }
  },
);

rules('every vendor with personal data says which', async (demo) => {
  const vendors = await list(demo, 'listVendors', { filter: { processes_personal_data: true } });
  assert.ok(vendors.length > 10);
  assert.equal(namesOf(vendors.filter(({ data_shared }) => !data_shared)), []);
});

rules('assistants and people both change the records of each family, and only people decide', ({ log }) => {
  const programs = new Map<string, Set<string>>();
  for (const { stream, type, metadata } of log) {
    if (DECISION.test(type)) assert.is(metadata.client, null, `${type} of ${stream} by ${metadata.client?.name}`);
    const id = stream.slice(stream.indexOf('-') + 1);
    if (stream.startsWith('organization-') || stream.startsWith('link-')) continue;
    const family = familyOf(id).type;
    programs.set(family, (programs.get(family) ?? new Set()).add(metadata.client?.name ?? 'by hand'));
  }
  const both = Object.keys(FAMILIES).filter((family) => family !== 'FRAMEWORK');
  for (const family of both) {
    assert.equal(
      ['Claude', 'by hand'].filter((program) => !programs.get(family)!.has(program)),
      [],
      family,
    );
  }
});

rules.run();
