/** Records by their number or name, wherever a tool takes an id. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { RecordNames } from '../../../src/tools/record-names.ts';
import { shapeOf } from '../../../src/tools/schema/client-values.ts';
import { recordPlaces } from '../../../src/tools/schema/record-words.ts';
import {
  OTHER_PREFIX,
  startTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/two-organizations.ts';
import type { RefusalError } from '../../support/mcp/refusals.ts';
import { type Answer, callerAs, ORGANIZATION } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';

interface Named {
  id: string;
  name: string;
}
interface Context extends TwoOrganizations {
  /** The ids of the records that the suite adds, by name or number. */
  ids: Map<string, string>;
}

const organization_id = ORGANIZATION;
const test = suite<Context>('records by number or name');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations(), { ids: new Map() });
  for (const name of ['Nimbus Quay', 'Åre Snöröjning', 'Twin', 'Twin', '§']) await add(context, 'vendor', { name });
  for (const reference_id of ['R1', 'R01', 'R2', 'R3', 'R3']) {
    await add(context, 'risk', { reference_id, name: `Risk ${reference_id}` });
  }
  await add(context, 'measure', { reference_id: 'M-7', name: 'Logs are kept' });
  await add(context, 'obligation', { requirement: 'Tell the authority within 72 hours.' });
  await add(context, 'nonconformity', { reference_id: 'NC-09', description: 'A door stood open.\nFor a week.' });
  for (const library_id of ['ISO_27001_2022', 'SOC2_2017']) await call(context, 'addFramework', { library_id });
});
test.after(({ register }) => register.stop());

async function call(context: Context, tool: string, input: object, caller?: Caller): Promise<Answer> {
  const answer = await context.register.call<Answer>(tool, { organization_id, ...input }, caller);
  assert.is(answer.error, undefined, `${tool} ${JSON.stringify(answer)}`);
  return answer;
}

/** Calls a tool that must refuse, and returns its error. */
async function refused({ register }: Context, tool: string, input: object, caller?: Caller) {
  const { error } = await register.call<{ error: RefusalError & { candidates?: Named[] } }>(tool, input, caller);
  assert.is.not(error, undefined, tool);
  return error;
}

/** Adds a record, and notes its id by its number or name. */
async function add(context: Context, singular: string, fields: Record<string, unknown>): Promise<string> {
  const tool = `add${singular[0]!.toUpperCase()}${singular.slice(1)}`;
  const { id } = (await call(context, tool, fields))[singular] as Named;
  context.ids.set(String(fields.reference_id ?? fields.name ?? fields.requirement), id);
  return id;
}

const idOf = (answer: Answer, singular: string) => (answer[singular] as Named).id;
const listed = (answer: Answer, plural: string) => (answer[plural] as Named[]).map(({ id }) => id);

test('an update takes the number or the whole name, without case, accents and padding', async (context) => {
  const { ids } = context;
  for (const word of ['Nimbus Quay', ' nimbus QUAY ']) {
    assert.is(idOf(await call(context, 'updateVendor', { id: word, country: 'NO' }), 'vendor'), ids.get('Nimbus Quay'));
  }
  assert.is(
    idOf(await call(context, 'updateVendor', { id: 'are snorojning', country: 'SE' }), 'vendor'),
    ids.get('Åre Snöröjning'),
  );
  assert.is(idOf(await call(context, 'updateVendor', { id: '§', country: 'SE' }), 'vendor'), ids.get('§'));
  for (const word of ['R2', 'r02', 'Risk R2']) {
    assert.is(idOf(await call(context, 'updateRisk', { id: word, note: word }), 'risk'), ids.get('R2'), word);
  }
  assert.is(
    idOf(await call(context, 'updateRisk', { id: 'R1', note: 'n' }), 'risk'),
    ids.get('R1'),
    'R1 is rather R1 than R01',
  );
  assert.is(idOf(await call(context, 'updateRisk', { id: 'R01', note: 'n' }), 'risk'), ids.get('R01'));
  const obligation = await call(context, 'updateObligation', {
    id: 'tell the authority within 72 hours.',
    area: 'Privacy',
  });
  assert.is(idOf(obligation, 'obligation'), ids.get('Tell the authority within 72 hours.'));
  for (const word of ['NC-9', 'NC-09: A door stood open. For a week.', 'A door stood open.\nFor a week.']) {
    const { nonconformity } = await call(context, 'updateNonconformity', {
      id: word,
      severity: 'MINOR',
      reason: 'Found out',
    });
    assert.is((nonconformity as Named).id, ids.get('NC-09'), word);
  }
  const { vendor } = await call(context, 'reviewVendor', { id: 'nimbus quay', outcome: 'APPROVED' });
  assert.is((vendor as Named).id, ids.get('Nimbus Quay'));
});

test('a control has its number, or its framework and number; a framework the words of its name', async (context) => {
  const both = await call(context, 'listControls', { filter: { section_title: ['A.5.1', 'CC1.1'] } });
  const [iso, soc] = listed(both, 'controls');
  for (const word of ['A.5.1', 'A.05.01', 'ISO 27001 A.5.1']) {
    const { control } = await call(context, 'updateControl', { id: word, inclusion_justification: word });
    assert.is((control as Named).id, iso, word);
  }
  await call(context, 'addFramework', { name: 'House rules', controls: [{ section_title: 'A.5.1', name: 'Ours' }] });
  const { code, message, candidates } = await refused(context, 'updateControl', { id: 'a.5.1', name: 'x' });
  assert.is(code, 'invalid_input');
  assert.match(message, 'id names several records: give the id of one');
  assert.equal(candidates!.map(({ name }) => name).sort(), [
    'House rules A.5.1 Ours',
    'ISO/IEC 27001:2022 A.5.1 Security policies are approved, published and reviewed',
  ]);
  const { control } = await call(context, 'updateControl', { id: 'house rules A.5.1', name: 'Ours, too' });
  assert.is.not((control as Named).id, iso);
  const controls = await call(context, 'listControls', {
    filter: { framework_id: ['SOC 2'], section_title: ['CC1.1'] },
  });
  assert.equal(listed(controls, 'controls'), [soc]);
  const { audit } = await call(context, 'addAudit', { framework_id: 'ISO 27001', name: 'Yearly audit' });
  assert.match(String((audit as { framework_id: string }).framework_id), /^frm_/);
  const linked = await call(context, 'linkRecords', {
    links: [
      { from_id: 'M-7', to_id: 'ISO 27001 A.5.1' },
      { from_id: 'R2', to_id: 'M-7' },
    ],
  });
  assert.equal(
    (linked.links as { result: string }[]).map(({ result }) => result),
    ['CREATED', 'CREATED'],
  );
});

test('filters, evidence, reports, changes and archiving take words', async (context) => {
  const { ids } = context;
  assert.equal(listed(await call(context, 'listMeasures', { filter: { linked_to: 'r2' } }), 'measures'), [
    ids.get('M-7'),
  ]);
  assert.equal(listed(await call(context, 'listVendors', { filter: { ids: ['Nimbus Quay'] } }), 'vendors'), [
    ids.get('Nimbus Quay'),
  ]);
  const { evidence } = await call(context, 'addEvidence', {
    record_ids: ['M-7', 'Nimbus Quay'],
    name: 'Log',
    text: 'kept',
  });
  assert.equal(
    new Set((evidence as { record_ids: string[] }).record_ids),
    new Set([ids.get('M-7'), ids.get('Nimbus Quay')]),
  );
  const report = await call(context, 'getReport', {
    type: 'STATEMENT_OF_APPLICABILITY',
    framework_id: 'ISO_27001_2022',
    format: 'JSON',
  });
  assert.match(JSON.stringify(report), 'A.5.1');
  const scalar = await call(context, 'listChanges', { filter: { record_id: 'R2' } });
  assert.ok((scalar.changes as { record: Named }[]).every(({ record }) => record.id === ids.get('R2')));
  const short = await add(context, 'vendor', { name: 'Short-lived' });
  const archive = { ids: ['short-lived'], reason: 'r', action: 'ARCHIVE' };
  assert.equal(listed(await call(context, 'archiveRecords', archive), 'records'), [short]);
  const { message, hint } = await refused(context, 'updateVendor', { id: 'Short-lived', country: 'NO' });
  assert.match(message, 'id names an archived vendor: restore it with archiveRecords, or name another');
  assert.is(hint, `Archived: Short-lived (${short})`);
  const again = await call(context, 'getRecords', { ids: ['Short-lived'] });
  assert.equal([again.records, again.not_found], [[], ['Short-lived']]);
  const found = await call(context, 'getRecords', { ids: ['Short-lived'], include: ['ARCHIVED'] });
  assert.equal(listed(found, 'records'), [short]);
  assert.equal(listed(await call(context, 'archiveRecords', { ...archive, action: 'RESTORE' }), 'records'), [short]);
  const unarchived = await refused(context, 'archiveRecords', { ...archive, action: 'RESTORE' });
  assert.match(unarchived.message, 'ids.0 names no archived record');
});

test('getRecords names unknown words in not_found, and refuses one of several records', async (context) => {
  const { ids } = context;
  const answer = await call(context, 'getRecords', { ids: ['R2', 'nothing like it', 'M-7', ids.get('R1')!] });
  assert.equal(listed(answer, 'records'), [ids.get('R2'), ids.get('M-7'), ids.get('R1')]);
  assert.equal(answer.not_found, ['nothing like it']);
  const { code, field, candidates } = await refused(context, 'getRecords', { ids: ['R2', 'Twin'] });
  assert.equal([code, field, candidates!.length], ['invalid_input', 'ids.1', 2]);
  for (const wrong of ['a\u0000b', 'x'.repeat(201), randomId('org')]) {
    assert.is((await refused(context, 'getRecords', { ids: [wrong] })).code, 'invalid_input', wrong);
  }
});

test('a word of several records, and of none, is refused with the records that may be meant', async (context) => {
  const several = await refused(context, 'updateRisk', { id: 'R3', note: 'n' });
  assert.equal([several.code, several.field], ['invalid_input', 'id']);
  assert.equal(
    several.candidates!.map(({ name }) => name),
    ['R3 Risk R3', 'R3 Risk R3'],
  );
  const { message, hint, candidates } = await refused(context, 'updateVendor', { id: 'Quay', country: 'NO' });
  assert.match(message, 'id names no vendor: give its id, its number or its whole name.');
  assert.is(hint, `Similar: Nimbus Quay (${context.ids.get('Nimbus Quay')})`);
  assert.is(candidates, undefined);
  const misspelt = await refused(context, 'updateVendor', { id: 'Nimbus Quai', country: 'NO' });
  assert.match(misspelt.hint!, 'Nimbus Quay');
  const ofOthers = await refused(context, 'updateVendor', { id: 'm-07', country: 'NO' });
  assert.match(ofOthers.hint!, /^Of another type: M-7 .*\(msr_\w+\)$/);
  const all = await refused(context, 'linkRecords', {
    links: [
      { from_id: 'R3', to_id: 'nobody' },
      { from_id: 'R2', to_id: 'M-7', relation: 'x' },
    ],
  });
  assert.equal(
    all.issues!.map(({ field }) => field),
    ['links.0.from_id', 'links.0.to_id', 'links.1.relation'],
  );
  for (let n = 0; n < 7; n++) await add(context, 'risk', { name: 'Sevenfold' });
  assert.is(
    (await refused(context, 'decideRisk', { id: 'sevenfold', decision: 'CLOSE', reason: 'r' })).candidates!.length,
    5,
  );
});

test('an id of another type names the tool that changes it', async (context) => {
  const risk = context.ids.get('R2')!;
  const { message, allowed } = await refused(context, 'updateVendor', { id: risk, country: 'NO' });
  assert.is(message, 'id is the id of another type (risk): updateRisk changes risks.');
  assert.equal(allowed, ['vnd_…']);
  const framework = await refused(context, 'decideRisk', { id: randomId('frm'), decision: 'CLOSE' });
  assert.is(framework.message, 'id is the id of another type (framework): frameworks don’t change.');
  const filter = await refused(context, 'listAudits', { filter: { framework_id: [risk] } });
  assert.is(filter.message, 'filter.framework_id.0 is the id of another type (risk): give an id of the form frm_….');
});

test('a repeated call finds its record by its key, though the call has changed its name, number or state', async (context) => {
  const id = await add(context, 'vendor', { name: 'Old name' });
  const rename = { id: 'Old name', name: 'New name', idempotency_key: 'rename' };
  const first = await call(context, 'updateVendor', rename);
  const other = await add(context, 'vendor', { name: 'Old name' });
  const second = await call(context, 'updateVendor', rename);
  assert.equal([idOf(second, 'vendor'), second.revision, second.repeated], [id, first.revision, true]);
  const { vendor } = await call(context, 'updateVendor', { ...rename, idempotency_key: 'another' });
  assert.is((vendor as Named).id, other, 'another key means the record that has the name now');
  const renumber = { id: 'M-7', reference_id: 'M-8', idempotency_key: 'renumber' };
  for (const repeated of [undefined, true]) {
    const answer = await call(context, 'updateMeasure', renumber);
    assert.equal([idOf(answer, 'measure'), answer.repeated], [context.ids.get('M-7'), repeated]);
  }
  const archive = { ids: ['M-8', 'Åre Snöröjning'], action: 'ARCHIVE', reason: 'r', idempotency_key: ' archive ' };
  const archived = await call(context, 'archiveRecords', archive);
  assert.equal(listed(await call(context, 'archiveRecords', archive), 'records'), listed(archived, 'records'));
  const restore = { ...archive, action: 'RESTORE', idempotency_key: 'restore' };
  for (let n = 0; n < 2; n++)
    assert.equal(listed(await call(context, 'archiveRecords', restore), 'records'), listed(archived, 'records'));
  const { error } = await context.register.call<{ error: RefusalError }>('archiveRecords', {
    organization_id,
    ...archive,
    idempotency_key: 'x',
    ids: ['never'],
  });
  assert.is(error.code, 'invalid_input');
  await call(context, 'updateMeasure', { ...renumber, id: 'M-8', reference_id: 'M-7', idempotency_key: undefined });
});

test('a key on several records repeats only the call on the record that the word named', async (context) => {
  const ids: string[] = [];
  for (const n of [1, 10, 11, 12, 13])
    ids.push(await add(context, 'risk', { reference_id: `K-${n}`, name: `Key ${n}` }));
  const change = (id: string) => ({ id, description: 'x', idempotency_key: 'several' });
  for (const [word, index] of [
    ['K-12', 3],
    ['K-1', 0],
  ] as const) {
    for (const repeated of [undefined, true]) {
      const answer = await call(context, 'updateRisk', change(word));
      assert.equal([idOf(answer, 'risk'), answer.repeated], [ids[index], repeated], word);
    }
  }
  const rows = [1, 10, 11, 12, 13].map((n) => ({ id: `K-${n}`, note: `n${n}` }));
  for (const result of ['UPDATED', 'UNCHANGED']) {
    const answer = await call(context, 'importRecords', { type: 'RISK', rows, idempotency_key: 'key rows' });
    const written = answer.rows as { id: string; result: string }[];
    assert.equal(
      written.map(({ id }) => id),
      ids,
    );
    assert.ok(written.every((row) => row.result === result));
  }
  const archive = { ids: ['K-1', 'K-12'], action: 'ARCHIVE', reason: 'r', idempotency_key: 'key archive' };
  for (let n = 0; n < 2; n++) {
    assert.equal(listed(await call(context, 'archiveRecords', archive), 'records'), [ids[0], ids[3]]);
  }
});

test('a key on R-01 repeats no call on R-1, and numbers that rows move on stay apart', async (context) => {
  const padded = await add(context, 'risk', { reference_id: 'P-01', name: 'Padded' });
  const exact = await add(context, 'risk', { reference_id: 'P-1', name: 'Exact' });
  for (const [id, risk] of [
    ['P-01', padded],
    ['P-1', exact],
  ] as const) {
    const answer = await call(context, 'updateRisk', { id, note: 'x', idempotency_key: 'padding' });
    assert.equal([idOf(answer, 'risk'), answer.repeated], [risk, undefined]);
  }
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.push(await add(context, 'measure', { reference_id: `MOVE-${n}`, name: `Move ${n}` }));
  const rows = [1, 2, 3].map((n) => ({ id: `MOVE-${n}`, reference_id: `MOVE-${n + 1}` }));
  for (let n = 0; n < 2; n++) {
    const answer = await call(context, 'importRecords', { type: 'MEASURE', rows, idempotency_key: 'move' });
    assert.equal(
      (answer.rows as Named[]).map(({ id }) => id),
      ids,
    );
  }
});

test('a repeated call finds its record among very many with numbers and texts that begin alike', async (context) => {
  const count = 205;
  /** Imports rows in two calls, and returns the first record. */
  const importAll = async (type: string, rows: object[]) => {
    const { rows: first } = await call(context, 'importRecords', { type, rows: rows.slice(0, 100) });
    await call(context, 'importRecords', { type, rows: rows.slice(100) });
    return (first as Named[])[0]!;
  };
  const numbers = Array.from({ length: count }, (_, n) => ({ reference_id: `MANY-${n + 1}`, name: `Many ${n + 1}` }));
  const risks = await importAll('RISK', numbers);
  const texts = Array.from({ length: count }, (_, n) => ({ requirement: `Duty${n === 0 ? '' : ` ${n}`}` }));
  const obligations = await importAll('OBLIGATION', texts);
  const calls = [
    ['Risk', risks, { id: 'MANY-1', reference_id: 'NONE-1' }, { reference_id: 'MANY-1', name: 'Other' }],
    ['Obligation', obligations, { id: 'Duty', requirement: 'Another' }, { requirement: 'Duty' }],
  ] as const;
  for (const [type, { id }, change, other] of calls) {
    const keyed = { ...change, idempotency_key: 'many' };
    const singular = type.toLowerCase();
    assert.is(idOf(await call(context, `update${type}`, keyed), singular), id);
    await add(context, singular, other);
    const again = await call(context, `update${type}`, keyed);
    assert.equal([idOf(again, singular), again.repeated], [id, true], type);
  }
});

test('a selection without a key finds the records that its call has archived or renumbered', async (context) => {
  const names = Array.from({ length: 7 }, (_, n) => `Selected ${n}`);
  for (const name of names) await add(context, 'vendor', { name });
  const archive = { ids: names, action: 'ARCHIVE', reason: 'r' };
  const { selection } = await call(context, 'archiveRecords', { ...archive, dry_run: true });
  const first = await call(context, 'archiveRecords', { ...archive, selection });
  const again = await call(context, 'archiveRecords', { ...archive, selection });
  assert.equal([again.call_id, listed(again, 'records')], [first.call_id, listed(first, 'records')]);
  for (const n of names.keys()) await add(context, 'risk', { reference_id: `SEL-${n}`, name: `Sel ${n}` });
  const rows = [...names.keys()].map((n) => ({ id: `SEL-${n}`, reference_id: `DONE-${n}` }));
  const renumber = { type: 'RISK', rows, reason: 'r' };
  const dryRun = await call(context, 'importRecords', { ...renumber, dry_run: true });
  for (const result of ['UPDATED', 'UNCHANGED']) {
    const answer = await call(context, 'importRecords', { ...renumber, selection: dryRun.selection });
    assert.ok((answer.rows as { result: string }[]).every((row) => row.result === result));
  }
});

test('a repeated call finds a control by its framework, and a framework by words of its name', async (context) => {
  for (const word of ['ISO 27001 A.5.3', 'SOC 2']) {
    const archive = { ids: [word], action: 'ARCHIVE', reason: 'r', idempotency_key: `archive ${word}` };
    const archived = listed(await call(context, 'archiveRecords', archive), 'records');
    assert.equal(listed(await call(context, 'archiveRecords', archive), 'records'), archived, word);
    await call(context, 'archiveRecords', { ids: archived, action: 'RESTORE', reason: 'r' });
  }
});

test('a keyed call looks for earlier attempts only on records that it changes', async (context) => {
  const { events } = context.register.stores;
  let reads = 0;
  const readStream = events.readStream.bind(events);
  events.readStream = (...args: Parameters<typeof readStream>) => {
    reads++;
    return readStream(...args);
  };
  try {
    const readsOf = async (key: object) => {
      reads = 0;
      const links = [{ from_id: 'R2', to_id: 'M-7' }];
      await call(context, 'linkRecords', { links, dry_run: true, ...key });
      return reads;
    };
    assert.is(await readsOf({ idempotency_key: 'reads' }), await readsOf({}));
  } finally {
    events.readStream = readStream;
  }
});

test('rows, and set with its filter, take words', async (context) => {
  const { ids } = context;
  const rows = async (type: string, given: object[], more: object = {}) =>
    (await call(context, 'importRecords', { type, rows: given, ...more })).rows as { id: string; result: string }[];
  const [risk] = await rows('RISK', [{ id: 'r2', note: 'by row' }]);
  assert.equal([risk!.id, risk!.result], [ids.get('R2'), 'UPDATED']);
  const [control] = await rows('CONTROL', [{ id: 'ISO 27001 A.5.2', inclusion_justification: 'by row' }]);
  assert.match(control!.id, /^ctl_/);
  const [evidence] = await rows('EVIDENCE', [{ name: 'By row', text: 't', record_ids: ['M-7', 'Nimbus Quay'] }]);
  const { records } = await call(context, 'getRecords', { ids: [evidence!.id] });
  assert.equal(
    new Set((records as { record_ids: string[] }[])[0]!.record_ids),
    new Set([ids.get('M-7'), ids.get('Nimbus Quay')]),
  );
  const finding = { description: 'Found in the audit', audit_id: 'Yearly audit' };
  const [byName] = await rows('NONCONFORMITY', [finding]);
  assert.is((await rows('NONCONFORMITY', [finding]))[0]!.id, byName!.id, 'the same row is the same record');
  const renumber = [{ id: 'R2', reference_id: 'R9' }];
  for (const result of ['UPDATED', 'UNCHANGED']) {
    assert.is((await rows('RISK', renumber, { idempotency_key: 'rows' }))[0]!.result, result);
  }
  await rows('RISK', [{ id: 'R9', reference_id: 'R2' }]);
  const wrong = await context.register.call<Answer>('importRecords', {
    organization_id,
    type: 'RISK',
    rows: [
      { id: 'R3', note: 'n', priority: 'LOW' },
      { id: 'nobody', note: 'n' },
    ],
  });
  const errors = (wrong.rows as { errors: { field: string; message: string; hint?: string }[] }[]).map(
    ({ errors }) => errors,
  );
  assert.equal(
    errors[0]!.map(({ field }) => field),
    ['id', 'priority'],
  );
  assert.match(errors[0]![0]!.message, 'names several records');
  assert.match(errors[0]![0]!.hint!, /^R3 Risk R3 \(rsk_\w+\); R3 Risk R3/);
  assert.match(errors[1]![0]!.message, 'names no risk');
  const set = {
    type: 'NONCONFORMITY',
    filter: { audit_id: 'Yearly audit' },
    set: { severity: 'MAJOR' },
    dry_run: true,
    reason: 'r',
  };
  const dryRun = await call(context, 'importRecords', set);
  assert.equal(
    (dryRun.rows as Named[]).map(({ id }) => id),
    [byName!.id],
  );
  const written = await call(context, 'importRecords', { ...set, dry_run: false, selection: dryRun.selection });
  assert.is(written.updated, 1);
  const refusedSet = await refused(context, 'importRecords', {
    organization_id,
    ...set,
    filter: { audit_id: ['Never'] },
  });
  assert.equal([refusedSet.code, refusedSet.field], ['invalid_input', 'filter.audit_id.0']);
});

test('a number in use is no error: adds, updates and imports name its record', async (context) => {
  const similarTo = (answer: Answer) => (answer.similar as Named[] | undefined)?.map(({ id }) => id);
  const first = await add(context, 'risk', { reference_id: 'IN-USE', name: 'First' });
  const added = await call(context, 'addRisk', { reference_id: 'in-use', name: 'Second' });
  assert.equal(similarTo(added), [first]);
  const third = await add(context, 'risk', { reference_id: 'FREE', name: 'Third' });
  const updated = await call(context, 'updateRisk', { id: 'FREE', reference_id: 'IN-USE' });
  assert.equal(new Set(similarTo(updated)), new Set([first, idOf(added, 'risk')]));
  assert.is(similarTo(await call(context, 'updateRisk', { id: third, note: 'n' })), undefined);
  const row = { reference_id: 'IN-USE', name: 'Fourth' };
  const imported = await call(context, 'importRecords', {
    type: 'RISK',
    rows: [row, { id: third, reference_id: 'R2' }],
  });
  const rows = imported.rows as { similar?: Named[] }[];
  assert.is(rows[0]!.similar!.length, 2);
  assert.equal(
    rows[1]!.similar!.map(({ id }) => id),
    [context.ids.get('R2')],
  );
  const other = await refused(context, 'importRecords', {
    organization_id,
    type: 'RISK',
    rows: [{ ...row, note: 'n' }],
  });
  assert.is(other.code, 'invalid_input');
  assert.is((await refused(context, 'updateRisk', { id: 'IN-USE', note: 'n' })).candidates!.length, 3);
  await call(context, 'updateRisk', { id: third, reference_id: 'R-free' });
});

test('a name needs organization_id where the credential reaches several', async (context) => {
  const { register, theirIds } = context;
  const roles = new Map([organization_id, theirIds.get('org')!].map((id) => [id, 'OWNER' as const]));
  const both = callerAs('OWNER', { roles, members: roles });
  const inputs: [string, object][] = [
    ['updateRisk', { id: 'R2', note: 'n' }],
    ['getRecords', { ids: ['R2'] }],
    ['linkRecords', { links: [{ from_id: 'R2', to_id: 'M-7' }] }],
    ['archiveRecords', { ids: ['R2'], action: 'ARCHIVE', reason: 'r' }],
  ];
  for (const [tool, input] of inputs) {
    const error = await refused(context, tool, input, both);
    assert.equal([error.code, error.field], ['invalid_input', 'organization_id'], tool);
    assert.equal(error.issues!.length, 1, tool);
  }
  await call(context, 'updateRisk', { id: 'R2', note: 'both' }, both);
  const alone = await register.call<Answer>('updateRisk', { id: 'R2', note: 'alone' });
  assert.is(idOf(alone, 'risk'), context.ids.get('R2'));
});

test('no name of another organization shows, whether the caller names it or not', async (context) => {
  const { register, theirIds, otherOwner } = context;
  const theirs = theirIds.get('vnd')!;
  const { records } = await register.call<{ records: Named[] }>('getRecords', { ids: [theirs] }, otherOwner);
  const { name } = records[0]!;
  assert.match(name, OTHER_PREFIX);
  const inputs: object[] = [
    { id: name },
    { id: OTHER_PREFIX },
    { id: name, organization_id },
    { id: name, organization_id: theirIds.get('org') },
  ];
  for (const input of inputs) {
    const answer = await register.call('updateVendor', { country: 'NO', ...input });
    assert.not.match(JSON.stringify(answer), OTHER_PREFIX);
    assert.ok('error' in (answer as object));
  }
  const none = callerAs('OWNER', { roles: new Map(), members: new Map() });
  const { code } = await refused(context, 'updateVendor', { id: 'Twin', organization_id, country: 'NO' }, none);
  assert.is(code, 'not_found');
});

test('a refusal shows no names to whom has lost access while the words were looked up', async (context) => {
  const rights = callerAs('EDITOR');
  const after: Readonly<Record<string, Caller | null>> = {
    'the credential ended': null,
    'the member is removed': callerAs('EDITOR', { roles: new Map(), members: new Map() }),
    'the member became VIEWER': callerAs('VIEWER'),
  };
  const words = { ids: ['Twin'], action: 'ARCHIVE', reason: 'A test' };
  const inputs = [['archiveRecords', words] as const, ['updateVendor', { id: 'Nimbus', country: 'NO' }] as const];
  for (const [tool, input] of inputs) {
    const shown = await refused(context, tool, { organization_id, ...input }, rights);
    assert.match(JSON.stringify(shown), /Twin|Nimbus Quay/);
    for (const [act, now] of Object.entries(after)) {
      const caller: Caller = { ...rights, checkedAt: 0, renew: async () => now };
      const error = await refused(context, tool, { organization_id, ...input }, caller);
      assert.is(error.code, 'conflict', act);
      assert.not.match(JSON.stringify(error), /vnd_|Nimbus Quay/, act);
    }
  }
});

test('words of an account are looked up in its turns of the loop, and none after its client has gone', async (context) => {
  const { register } = context;
  const { reader } = register;
  let finds = 0;
  const { models } = reader.snapshot();
  const counted = Object.create(models, {
    find: {
      value: (query: Parameters<typeof models.find>[0]) => {
        finds += 1;
        // As long as a search takes in a large register.
        const end = performance.now() + 0.5;
        while (performance.now() < end);
        return models.find(query);
      },
    },
  });
  const words = Array.from({ length: 5 }, (_, index) => `Nobody ${index}`);
  const options = { models: counted, organizationId: ORGANIZATION };
  const look = (names: RecordNames) =>
    names.replace(
      null,
      words.map((word) => ({ word, prefixes: ['vnd'], path: [] })),
    );
  const many = Array.from({ length: 20 }, () => look(new RecordNames({ ...options, caller: callerAs() })));
  await nextTurn();
  await nextTurn();
  // All words at once would take 240.
  assert.ok(finds <= 80, `${finds} searches in two turns of the loop`);
  await Promise.all(many);

  finds = 0;
  const controller = new AbortController();
  const gone = new Error('gone');
  const left = rejection(look(new RecordNames({ ...options, caller: callerAs(), signal: controller.signal })));
  controller.abort(gone);
  assert.is(await left, gone);
  assert.ok(finds <= 12, `${finds} searches after the client had gone`);
});

test('a list that is too long is refused before any word in it is looked up', async (context) => {
  const places = ALL_TOOLS.flatMap(({ parser }) => recordPlaces(shapeOf(parser.schema)));
  const limits = places.flatMap(({ path }) => path.flatMap((step) => (typeof step === 'string' ? [] : step.maxItems)));
  assert.ok(limits.length > 10 && limits.every((limit) => limit <= 200), limits.join());
  for (const [tool, input, max] of [
    ['getRecords', { ids: 'Twin' }, 50],
    ['addEvidence', { name: 'x', text: 'x', record_ids: 'Twin' }, 20],
    ['archiveRecords', { ids: 'Twin', action: 'ARCHIVE', reason: 'x' }, 100],
  ] as const) {
    const long = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, value === 'Twin' ? Array(max + 1).fill('Twin') : value]),
    );
    const error = await refused(context, tool, { organization_id, ...long });
    assert.is(error.candidates, undefined, tool);
    assert.match(error.message, `at most ${max} values`, tool);
  }
});

test.run();
