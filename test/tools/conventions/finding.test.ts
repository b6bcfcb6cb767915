import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { daysAgo } from '../../support/histories/story.ts';
import type { Item, Session } from '../../support/mcp/mcp-client.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

/** Finding records as people name them: by padded numbers, by words of a source, and with hints when nothing is found. */

interface Listed {
  hint?: string;
  total?: number;
}

/** Adds a record and returns its id. */
async function addRecord(session: Session, tool: string, singular: string, input: object): Promise<string> {
  const answer = (await session.ok(tool, input)) as unknown as Record<string, Item>;
  return answer[singular]!.id;
}

/** Returns the ids that a list finds, sorted. */
async function idsOf(session: Session, tool: string, plural: string, input: object): Promise<string[]> {
  const answer = (await session.ok(tool, input)) as unknown as Record<string, Item[]>;
  return answer[plural]!.map(({ id }) => id).sort();
}

await onBothPairs('finding records', (test) => {
  test('numbers match without regard to padding, in query and in references', async ({ owner, organizationId }) => {
    const organization_id = organizationId;
    const add = (reference_id: string) => {
      const input = { organization_id, reference_id, description: `About ${reference_id}` };
      return addRecord(owner, 'addNonconformity', 'nonconformity', input);
    };
    const [padded, plain, other] = [await add('NC-07'), await add('NC-8'), await add('NC-0100')];
    const find = (query: string, moment: object = {}) =>
      idsOf(owner, 'listNonconformities', 'nonconformities', { organization_id, filter: { query }, ...moment });
    for (const query of ['NC-7', 'nc-07', 'NC-007', '7', '07', '00007']) {
      assert.equal(await find(query), [padded], query);
      assert.equal(await find(query, { as_of: daysAgo(0) }), [padded], `${query} as of today`);
    }
    assert.equal(await find('NC-08'), [plain]);
    assert.equal(await find('NC-100'), [other]);
    assert.equal(await find('NC-0'), [padded, other].sort(), 'the beginning of a padded number');
    assert.equal(await find('NC-00'), [], 'not the beginning of another padding');
    const { position } = await owner.ok('updateNonconformity', { id: plain, reference_id: 'NC-9' });
    assert.equal(await find('NC-8', { as_of: String(Number(position) - 1) }), [plain], 'at a past position');
    const again = await owner.ok('addNonconformity', { organization_id, reference_id: 'NC-7', description: 'Again' });
    const similar = again.similar as { id: string }[];
    assert.equal(
      similar.map(({ id }) => id),
      [padded],
    );
  });

  test('a padded number in a query is that number, however it is stored, or the beginning of a padded one', async ({
    owner,
    organizationId,
  }) => {
    const organization_id = organizationId;
    const references = ['RX-1', 'RX-2', 'RX-10', 'RX-013', 'RX-019', 'RX-0012', 'RX-001', 'AX.01', 'AX.1', 'AX.10'];
    const rows = references.map((reference_id) => ({ reference_id, name: `About ${reference_id}` }));
    await owner.ok('importRecords', { organization_id, type: 'RISK', rows });
    const find = async (query: string, moment: object = {}) => {
      const filter = { query };
      const { risks } = (await owner.ok('listRisks', { organization_id, filter, ...moment })) as unknown as {
        risks: { reference_id: string }[];
      };
      return risks.map(({ reference_id }) => reference_id).sort();
    };
    for (const moment of [{}, { as_of: daysAgo(0) }]) {
      assert.equal(await find('RX-001', moment), ['RX-001', 'RX-0012', 'RX-1']);
      assert.equal(await find('rx 01', moment), ['RX-001', 'RX-013', 'RX-019', 'RX-1']);
    }
    assert.equal(await find('RX-0001'), ['RX-001', 'RX-1'], 'another padding');
    assert.equal(await find('RX-010'), ['RX-10']);
    assert.equal(await find('RX-1'), ['RX-001', 'RX-0012', 'RX-013', 'RX-019', 'RX-1', 'RX-10'], 'unpadded');
    assert.equal(await find('AX.01'), ['AX.01', 'AX.1']);
    assert.equal(await find('AX.1'), ['AX.01', 'AX.1', 'AX.10']);
    assert.equal(await find('RX-002 about'), ['RX-2'], 'beside other words');
    assert.equal(await find('RX-002 001'), []);
  });

  test('an obligation’s source is found by its words', async ({ owner, organizationId }) => {
    const organization_id = organizationId;
    const add = (source: string) => {
      const input = { organization_id, requirement: 'Do it', source, regulator: 'Sourcewatch' };
      return addRecord(owner, 'addObligation', 'obligation', input);
    };
    const [gdpr, bank, sign] = [await add('GDPR Art. 33'), await add('Contract with Bank 04'), await add('§')];
    const find = (source: string[], more: object = {}) => {
      const filter = { source, regulator: ['sourcewatch'] };
      return idsOf(owner, 'listObligations', 'obligations', { organization_id, filter, ...more });
    };
    assert.equal(await find(['gdpr']), [gdpr]);
    assert.equal(await find(['GDPR Art. 33']), [gdpr]);
    assert.equal(await find(['33 gdpr']), [gdpr]);
    assert.equal(await find(['Bank 4', 'no such']), [bank]);
    assert.equal(await find(['GDPR', 'contracts', 'contract']), [gdpr, bank].sort());
    assert.equal(await find(['GDPR bank']), [], 'all words of a value');
    assert.equal(await find(['dpr']), []);
    assert.equal(await find(['§']), [sign]);
    assert.equal(await find(['gdpr'], { as_of: daysAgo(0) }), [gdpr]);
    assert.equal(await find(['requirement']), [], 'other fields’ words don’t count');
    const another = await add('Contract with Bank 40');
    assert.equal(await find(['Bank 4']), [bank, another].sort());
    assert.equal(await find(['Bank 004', 'no such']), [bank], 'the number 4, not 40');
    const wordy = Array.from({ length: 34 }, (_, index) => `w${index}`).join(' ');
    const tooMany = await owner.refused('listObligations', {
      organization_id,
      filter: { source: [wordy, wordy, wordy] },
    });
    assert.is(tooMany.field, 'filter.source');
  });

  test('an empty list tells of archived and of near matches, to every role', async ({
    as,
    owner,
    organizationId,
    foreignOrganization,
  }) => {
    const organization_id = organizationId;
    const { vendor } = await owner.ok('addVendor', { organization_id, name: 'Nimbus Cloud', country: 'Iceland' });
    const foreign = await foreignOrganization();
    await foreign.owner.ok('addVendor', { organization_id: foreign.id, name: 'Zephyrix' });
    const list = async (session: Session, filter: object, more: object = {}): Promise<Listed> =>
      session.ok('listVendors', { organization_id, filter, ...more });
    const viewer = await as('VIEWER');
    for (const session of [owner, viewer]) {
      assert.match((await list(session, { query: 'nimbuss' })).hint!, `Near matches: Nimbus Cloud (${vendor.id})`);
      assert.match((await list(session, { query: 'clodu nimbus' }, { view: 'COUNT' })).hint!, vendor.id);
      assert.is((await list(session, { query: 'nimbus' })).hint, undefined, 'found');
      const others = `No vendor has a word that begins with "zzzzzzzz". Matches of the other words: Nimbus Cloud (${vendor.id}).`;
      assert.is((await list(session, { query: 'nimbus zzzzzzzz' })).hint, others);
      assert.is((await list(session, { query: 'zzzzzzzz' })).hint, undefined, 'not near');
      assert.is((await list(session, { query: 'Zephyrix' })).hint, undefined, 'of another organization');
    }
    const { position } = await owner.ok('updateVendor', { id: vendor.id, description: 'Backups' });
    await owner.ok('archiveRecords', { ids: [vendor.id], action: 'ARCHIVE', reason: 'gone' });
    const archived = '1 archived vendor matches. To list archived records too, set filter.include_archived.';
    for (const filter of [{ query: 'nimbus' }, { country: ['iceland'] }, { ids: [vendor.id] }]) {
      assert.is((await list(viewer, filter)).hint, archived, JSON.stringify(filter));
      assert.is((await list(owner, filter, { as_of: position })).hint, undefined, 'was live then');
      const count = await list(viewer, filter, { view: 'COUNT' });
      assert.equal([count.total, count.hint], [0, archived]);
    }
    assert.is((await list(owner, { query: 'nimbus', include_archived: true })).hint, undefined);
  });

  test('an empty list names the values in use of a text that it is filtered by', async ({
    as,
    secondOrganization,
    foreignOrganization,
  }) => {
    const organization_id = await secondOrganization();
    const owner = await as('OWNER', { organizations: [organization_id] });
    const add = (country: string, category: string) =>
      owner.ok('addVendor', { organization_id, name: `Vendor ${country} ${category}`, country, category });
    for (const country of ['DE', 'NO', 'NO', 'SE']) await add(country, 'Cloud');
    await add('Österreich', 'Payroll');
    const foreign = await foreignOrganization();
    await foreign.owner.ok('addVendor', { organization_id: foreign.id, name: 'Theirs', country: 'GL' });
    const viewer = await as('VIEWER', { organizations: [organization_id] });
    const hint = async (filter: object, more: object = {}) =>
      ((await viewer.ok('listVendors', { organization_id, filter, ...more })) as Listed).hint;
    const germany = 'No vendor has this country. Values in use: "NO", "DE", "Österreich", "SE".';
    assert.is(await hint({ country: ['Germany'] }), germany);
    assert.is(await hint({ country: ['Germany'] }, { view: 'COUNT' }), germany);
    assert.match((await hint({ country: ['Norway'] }))!, 'Values in use: "NO", ', 'begins alike');
    assert.match((await hint({ country: ['Osterreihc'] }))!, 'Values in use: "Österreich", ', 'nearest first');
    const payroll = 'No vendor has this country. Values in use: "Österreich".';
    assert.is(await hint({ country: ['France'], category: ['payroll'] }), payroll, 'with the rest of the filter');
    assert.is(await hint({ country: ['DE'], category: ['payroll'] }), undefined, 'each value is in use');
    assert.match((await hint({ country: ['GL'], query: 'vendor' }))!, 'Values in use: "NO"', 'nothing of others');
    assert.is(await hint({ country: ['DE'], criticality: ['LOW'] }), undefined, 'empty without it too');
    assert.is(await hint({ country: ['DE'] }), undefined, 'found');
  });

  test('an empty list names only near values if there are many', async ({ as, secondOrganization }) => {
    const organization_id = await secondOrganization();
    const owner = await as('OWNER', { organizations: [organization_id] });
    const framework = await addRecord(owner, 'addFramework', 'framework', {
      organization_id,
      library_id: 'ISO_27001_2022',
    });
    const hint = async (filter: object) =>
      ((await owner.ok('listControls', { organization_id, filter })) as Listed).hint;
    assert.match((await hint({ section_title: ['5.15'] }))!, /Values in use: "A\.5\.15", .* and \d+ more\.$/);
    const none = await hint({ section_title: ['zzzzzzzzzzzzz'], framework_id: [framework] });
    assert.is(none!.match(/"[^"]*"/g)!.length, 8);
    const [access] = (await owner.ok('listControls', { organization_id, filter: { section_title: ['A.5.15'] } }))[
      'controls' as 'vendors'
    ];
    const nearNumber = await hint({ query: '5.15' });
    assert.match(nearNumber!, `Near matches: A.5.15 ${access!.name} (${access!.id})`);
    assert.match((await hint({ query: '05.015' }))!, `Near matches: A.5.15 ${access!.name}`);
    assert.match((await hint({ query: '115' })) ?? '', /^(?!.*A\.5\.15 )/, 'a whole number');
    await owner.ok('addRisk', { organization_id, reference_id: 'R-7', name: 'Nimbus fails' });
    const risks = (await owner.ok('listRisks', { organization_id, filter: { query: 'nimbuss' } })) as Listed;
    assert.match(risks.hint!, 'Near matches: R-7 Nimbus fails (rsk_');
  });

  test('a SUMMARY shows the fields that its filter is about', async ({ owner, organizationId }) => {
    const organization_id = organizationId;
    const { vendor } = await owner.ok('addVendor', {
      ...{ organization_id, name: 'Summa', category: 'Cloud', country: 'Malta' },
      ...{ processes_personal_data: false, contract_until: daysAgo(-3) },
    });
    const row = async (tool: string, filter: object): Promise<Item> => {
      const answer = (await owner.ok(tool, { organization_id, filter })) as unknown as Record<string, Item[]>;
      return Object.values(answer).find((value) => Array.isArray(value))![0]!;
    };
    assert.equal(Object.keys(await row('listVendors', { ids: [vendor.id] })), ['id', 'name', 'status']);
    const { category, country, processes_personal_data, contract_until, updated_at } = await row('listVendors', {
      ...{ ids: [vendor.id], category: ['cloud'], country: ['malta'], processes_personal_data: false },
      ...{ contract_until_before: daysAgo(-4), updated_since: daysAgo(1) },
    });
    assert.equal([category, country, processes_personal_data], ['Cloud', 'Malta', false]);
    assert.equal([contract_until, updated_at], [daysAgo(-3), vendor.updated_at]);
    const { risk } = await owner.ok('addRisk', { organization_id, name: 'Summa', next_review_due: daysAgo(2) });
    const until = daysAgo(-5);
    await owner.ok('decideRisk', { id: risk.id, decision: 'ACCEPT', until, reason: 'A long reason' });
    const overdue = await row('listRisks', { ids: [risk.id], overdue: true, acceptance_until_before: daysAgo(-9) });
    assert.equal([overdue.next_review_due, overdue.acceptance], [daysAgo(2), { until, expired: false }]);
  });

  test('a SUMMARY of measures without valid evidence shows how much of it they have', async ({
    owner,
    organizationId,
  }) => {
    const organization_id = organizationId;
    const { measure } = (await owner.ok('addMeasure', { organization_id, name: 'Evidenced' })) as unknown as {
      measure: Item;
    };
    const evidence = { organization_id, name: 'Old scan', url: 'https://example.org/scan', record_ids: [measure.id] };
    await owner.ok('addEvidence', { ...evidence, valid_until: daysAgo(3) });
    const rowOf = async (missing: string[]) => {
      const filter = { ids: [measure.id], missing };
      const answer = await owner.ok('listMeasures', { organization_id, filter });
      const [{ id: _, ...row }] = (answer as unknown as { measures: [Item] }).measures;
      return row;
    };
    const row = { name: 'Evidenced', state: 'NOT_STARTED', evidence_count: 1 };
    assert.equal(await rowOf(['EVIDENCE']), { ...row, valid_evidence_count: 0 });
    assert.equal(await rowOf(['OWNER']), row);
    // Evidence is valid until the end of its last day.
    await owner.ok('addEvidence', { ...evidence, name: 'New scan', valid_until: daysAgo(0) });
    const filter = { ids: [measure.id], missing: ['EVIDENCE'] };
    const { measures } = (await owner.ok('listMeasures', { organization_id, filter })) as unknown as {
      measures: Item[];
    };
    assert.equal(measures, []);
  });

  test('every filter of every family is about fields that a SUMMARY can show', () => {
    for (const { type, fields, filters = {} } of FAMILY_DESCRIPTIONS) {
      for (const [name, { key, about = [key] }] of Object.entries(filters)) {
        for (const field of about) assert.ok(field in fields, `${type} ${name}: ${field}`);
      }
    }
  });
});
