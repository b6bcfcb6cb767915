import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { daysAgo } from '../../support/histories/story.ts';
import type { Change } from '../../support/mcp/mcp-client.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

const types = (changes: readonly Change[]) => changes.map(({ event_type }) => event_type);

await onBothPairs('listChanges', (test) => {
  test('listChanges shows who changed what, when and why, newest first', async (served) => {
    const { owner, organizationId: organization_id, accountId } = served;
    const addAnswer = await owner.ok('addVendor', { organization_id, name: 'Told', description: 'd'.repeat(300) });
    const { id } = addAnswer.vendor;
    await owner.ok('updateVendor', { id, name: 'Retold', country: 'DE', reason: 'Moved' });
    const { changes } = await owner.ok('listChanges', { organization_id, filter: { record_id: [id] } });
    assert.equal(types(changes), ['VendorDetailsChanged', 'VendorAdded']);
    const [changed, first] = changes as [Change, Change];
    const members = [
      'position',
      'event_type',
      'record',
      'revision',
      'recorded_at',
      'actor',
      'client',
      'reason',
      'changes',
    ];
    assert.equal(Object.keys(changed), members);
    assert.equal(changed.record, { id, type: 'VENDOR', name: 'Retold' });
    assert.equal(changed.actor, { id: accountId, kind: 'ACCOUNT', name: 'First owner' });
    assert.equal([changed.revision, changed.reason], [2, 'Moved']);
    assert.equal(changed.changes, [
      { field: 'name', from: 'Told', to: 'Retold' },
      { field: 'country', from: null, to: 'DE' },
    ]);
    assert.is(first.position, addAnswer.position);
    const descriptionChange = first.changes.find(({ field }) => field === 'description');
    assert.equal(descriptionChange, { field: 'description', from: null, to: `${'d'.repeat(200)}…` });
  });

  test('listChanges narrows to changes of a field, verified too', async (served) => {
    const { owner, organizationId: organization_id } = served;
    const added = await owner.ok('addVendor', { organization_id, name: 'Fielded', country: 'DE' });
    const { id } = added.vendor;
    await owner.ok('updateVendor', { id, country: 'FR' });
    const moved = await owner.ok('updateVendor', { id, country: 'ES', name: 'Moved' });
    await owner.ok('updateVendor', { id, name: 'Renamed', contract_until: '2030-01-01' });
    const { risk } = await owner.ok('addRisk', { organization_id, name: 'Linked' });
    const link = await owner.ok('linkRecords', { links: [{ from_id: risk.id, to_id: id }] });
    assert.equal(link.event_types ?? [], []);
    const list = (filter: object, more: object = {}) => owner.ok('listChanges', { organization_id, filter, ...more });
    const typesOf = async (filter: object, more: object = {}) => types((await list(filter, more)).changes);
    const record_id = [id];
    const [changed, first] = ['VendorDetailsChanged', 'VendorAdded'];
    assert.equal(await typesOf({ record_id, field: 'country' }), [changed, changed, first]);
    assert.equal(await typesOf({ record_id, field: 'name' }), [changed, changed, first]);
    assert.equal(await typesOf({ record_id, field: 'contract_until' }), [changed]);
    assert.equal(await typesOf({ record_id, field: 'category' }), []);
    assert.equal(await typesOf({ record_id, field: 'linked' }), ['RecordsLinked']);
    assert.equal(await typesOf({ record_id, field: 'name' }, { as_of: moved.position }), [changed, first]);
    assert.equal(await typesOf({ field: 'contract_until', record_types: ['VENDOR'], from: moved.position }), [changed]);
    const editor = await served.addMember('Field Editor', 'EDITOR');
    const [member] = (await list({ field: 'members' }, { size: 1 })).changes;
    assert.is(member!.changes[0]!.field, `members.${editor}`, 'an entry of a map is found by the map');
    const count = await list({ record_id, field: 'country' }, { view: 'COUNT', verify: true });
    assert.equal([count.total, count.verification.verdict, count.verification.complete], [3, 'VALID', true]);
    const verified = await list({ field: 'country' }, { size: 1, verify: true });
    assert.equal([verified.changes.length, verified.verification.verdict], [1, 'VALID']);
    const next = await list({ field: 'country' }, { size: 1, cursor: verified.next_cursor });
    assert.is(next.changes[0]!.record.id, id);
    const refused = await owner.refused('listChanges', { organization_id, filter: { field: 'contry' } });
    assert.equal([refused.field, refused.allowed![0]], ['filter.field', 'country']);
    const access = { organization_id, filter: { record_types: ['ACCESS'], field: 'name' } };
    assert.is((await owner.refused('listChanges', access)).field, 'filter.field');
  });

  test('listChanges filters by record, type, actor, event and period', async (served) => {
    const { owner, organizationId: organization_id, accountId } = served;
    const editor = await served.as('EDITOR');
    const risk = await owner.ok('addRisk', { organization_id, name: 'Filtered' });
    const vendor = await editor.ok('addVendor', { organization_id, name: 'Filtered' });
    const reviewed = await editor.ok('reviewVendor', { id: vendor.vendor.id, outcome: 'APPROVED' });
    const list = async (filter: object) => (await owner.ok('listChanges', { organization_id, filter })).changes;
    const bothRecords = { record_id: [risk.risk.id, vendor.vendor.id] };
    assert.equal(types(await list(bothRecords)), ['VendorReviewed', 'VendorAdded', 'RiskAdded']);
    assert.equal(types(await list({ ...bothRecords, record_types: ['RISK'] })), ['RiskAdded']);
    assert.equal(types(await list({ ...bothRecords, event_types: ['VendorReviewed', 'RiskAdded'] })), [
      'VendorReviewed',
      'RiskAdded',
    ]);
    for (const actor of ['ME', accountId]) assert.is((await list({ ...bothRecords, actor_id: [actor] })).length, 3);
    assert.equal(await list({ ...bothRecords, actor_id: ['SYSTEM', randomId('acc')] }), []);
    const period = { from: vendor.position, to: reviewed.position };
    assert.equal(types(await list({ ...bothRecords, ...period })), ['VendorReviewed', 'VendorAdded']);
    assert.equal(types(await list({ ...bothRecords, from: risk.position, to: risk.position })), ['RiskAdded']);
    assert.is((await list({ ...bothRecords, from: daysAgo(0), to: daysAgo(0) })).length, 3);
    assert.equal(await list({ ...bothRecords, from: daysAgo(-1) }), []);
    assert.equal(await list({ ...bothRecords, to: daysAgo(1) }), []);
    const [newest] = await list(bothRecords);
    const recordedAt = newest!.recorded_at;
    assert.equal(types(await list({ ...bothRecords, from: recordedAt, to: recordedAt })).slice(0, 1), [
      'VendorReviewed',
    ]);
    const count = await owner.ok('listChanges', { organization_id, filter: bothRecords, view: 'COUNT' });
    assert.is(count.total, 3);
    const asOf = await owner.ok('listChanges', { organization_id, filter: bothRecords, as_of: vendor.position });
    assert.equal([types(asOf.changes), asOf.as_of?.position], [['VendorAdded', 'RiskAdded'], vendor.position]);
  });

  test('listChanges finds the changes of a token and of the service', async (served) => {
    const { owner, organizationId: organization_id } = served;
    const organization = { record_types: ['ORGANIZATION'] };
    const editor = await served.as('EDITOR');
    const { vendor } = await editor.ok('addVendor', { organization_id, name: 'By token' });
    const { changes } = await owner.ok('listChanges', {
      organization_id,
      filter: { ...organization, event_types: ['TokenCreated'] },
    });
    assert.equal(changes[0]!.actor, { id: 'SYSTEM', kind: 'SYSTEM', name: 'veritrail' });
    const token = /tok_\w+/.exec(JSON.stringify(changes[0]!.changes))?.[0];
    const tokenChanges = await owner.ok('listChanges', { organization_id, filter: { actor_id: [token] } });
    assert.equal(
      tokenChanges.changes.map(({ record }) => record.id),
      [vendor.id],
    );
    const system = await owner.ok('listChanges', { organization_id, filter: { actor_id: ['SYSTEM'] }, size: 100 });
    assert.ok(system.changes.length > 0 && system.changes.every(({ actor }) => actor.id === 'SYSTEM'));
    const mixed = await owner.refused('listChanges', { organization_id, filter: { actor_id: [token, 'ME'] } });
    assert.is(mixed.field, 'filter.actor_id');
  });

  test('listChanges pages through every change once while more are added', async ({
    owner,
    organizationId: organization_id,
  }) => {
    const { vendor } = await owner.ok('addVendor', { organization_id, name: 'Paged' });
    for (let round = 0; round < 8; round++) await owner.ok('updateVendor', { id: vendor.id, category: `c${round}` });
    const list = { organization_id, filter: { record_id: [vendor.id] }, size: 2 };
    const revisions: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.ok('listChanges', cursor === undefined ? list : { ...list, cursor });
      revisions.push(...page.changes.map(({ revision }) => revision));
      cursor = page.next_cursor;
      await owner.ok('updateVendor', { id: vendor.id, category: `later${revisions.length}` });
    } while (cursor !== undefined);
    assert.equal(revisions, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('verify checks every change that the filter finds, not only the page', async ({
    owner,
    organizationId: organization_id,
  }) => {
    const { risk } = await owner.ok('addRisk', { organization_id, name: 'Verified' });
    await owner.ok('updateRisk', { id: risk.id, note: 'n' });
    const list = { organization_id, filter: { record_id: [risk.id] }, size: 1 };
    const { changes, verification } = await owner.ok('listChanges', { ...list, verify: true });
    assert.match(String(changes[0]!.event_id), /^[0-9a-f-]{36}$/);
    assert.match(String(changes[0]!.hash), /^[0-9a-f]{64}$/);
    const { verdict, complete, covered_from, streams, events, faults, inclusion } = verification;
    assert.equal([verdict, complete, covered_from, streams, events, faults], ['VALID', true, '1', 1, 2, []]);
    assert.equal(
      inclusion.map(({ position }) => position),
      [changes[0]!.position],
    );
    const plain = await owner.ok('listChanges', list);
    assert.equal([plain.verification, plain.changes[0]!.hash], [undefined, undefined]);
    const all = await owner.ok('listChanges', { organization_id, verify: true, size: 100 });
    assert.is(all.verification.verdict, 'VALID');
  });

  test('a page of listChanges is shortened to stay under 60,000 characters', async ({
    owner,
    organizationId: organization_id,
  }) => {
    const text = '"\n\u{1f600}'.repeat(500);
    const large = { description: text, note: text, category: '"'.repeat(200), reason: '"'.repeat(1_000) };
    const { risk } = await owner.ok('addRisk', { organization_id, name: 'Large', ...large });
    for (let round = 0; round < 24; round++) {
      await owner.ok('updateRisk', { ...large, id: risk.id, description: `${round}${text}`, note: `${round}${text}` });
    }
    const list = { organization_id, filter: { record_id: [risk.id] }, size: 100, verify: true };
    const first = await owner.ok('listChanges', list);
    assert.ok(first.changes.length < 25 && first.next_cursor !== undefined);
    assert.ok(JSON.stringify(first).length <= 60_000);
    assert.not.match(JSON.stringify(first), /\\ud[89a-f]/i, 'no half characters');
    const all = (await owner.walk('listChanges', 'changes', list)) as Change[];
    assert.equal(
      all.map(({ revision }) => revision),
      Array.from({ length: 25 }, (_, index) => 25 - index),
    );
    const read = await owner.ok('getRecords', { ids: [risk.id], include: ['HISTORY'] });
    assert.ok(JSON.stringify(read).length <= 60_000);
    const history = read.records[0]!.history as { changes: Change[]; truncated?: true };
    assert.ok(history.truncated && history.changes.length > 0);
  });

  test('listChanges refuses unknown filters and values', async ({ owner, organizationId: organization_id }) => {
    for (const [filter, field] of [
      [{ from: 'once' }, 'filter.from'],
      [{ to: '2026-02-30' }, 'filter.to'],
      [{ from: '2026-02-02', to: '2026-02-01' }, 'filter.from'],
      [{ from: '2026-02-02T10:00:00Z', to: '2026-02-02T09:00:00Z' }, 'filter.from'],
      [{ from: '10', to: '9' }, 'filter.from'],
      [{ record_types: ['PEOPLE'] }, 'filter.record_types.0'],
      [{ record_id: [randomId('tok')] }, 'filter.record_id.0'],
      [{ actor_id: ['Olivia'] }, 'filter.actor_id.0'],
      [{ actor: ['ME'] }, 'filter.actor'],
      [{ field: 'contract_untl' }, 'filter.field'],
      [{ field: 'x'.repeat(201) }, 'filter.field'],
      [{ event_types: ['VendorAdded', 'VENDOR_REVIEWED'] }, 'filter.event_types'],
      [{ record_types: ['ACCESS'], event_types: ['VendorReviewed'] }, 'filter.event_types'],
    ] as const) {
      const error = await owner.refused('listChanges', { organization_id, filter });
      assert.equal([error.code, error.field], ['invalid_input', field]);
    }
    const refusal = (filter: object) => owner.refused('listChanges', { organization_id, filter });
    assert.match((await refusal({ to: '2026-02-30' })).message, /^2026-02-30 does not exist in the calendar\. Give to/);
    const score = await refusal({ field: 'score' });
    assert.match(score.message, /^"score" has no changes of its own, because it follows from likelihood and impact/);
    assert.equal(score.allowed!.toSorted(), [
      'inherent_impact',
      'inherent_likelihood',
      'residual_impact',
      'residual_likelihood',
    ]);
    assert.equal((await refusal({ field: 'measure_count' })).allowed, ['linked']);
    for (const view of ['SUMMARY', 'COUNT']) {
      const input = { organization_id, view, filter: { event_types: ['VendorReviewd'] } };
      const { message, allowed } = await owner.refused('listChanges', input);
      assert.equal([allowed!.length, allowed![0]], [3, 'VendorReviewed']);
      assert.match(message, 'veritrail://event-types');
    }
    for (const [filter, next] of [
      [{ event_types: ['EXPORT_DOWNLOADED'] }, 'is an access-log type. Set record_types to ["ACCESS"]'],
      [{ event_types: ['EXPORT_DRAWN'] }, 'is an access-log type. Set record_types to ["ACCESS"]'],
      [
        { record_types: ['ACCESS'], event_types: ['VendorAdded'] },
        'is not an access-log type. Leave ACCESS out of record_types',
      ],
    ] as const) {
      assert.match((await owner.refused('listChanges', { organization_id, filter })).message, next);
    }
  });
});
