import * as assert from 'uvu/assert';
import type { Item, Session } from '../../support/mcp/mcp-client.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

const names = (items: readonly object[]) => (items as Item[]).map(({ name }) => name);

/** Adds risks in their own category, so that tests don't see each other's. */
async function addRisks(owner: Session, organization_id: string, category: string, risks: object[]): Promise<Item[]> {
  const added = risks.map((fields, index) =>
    owner.ok('addRisk', { organization_id, name: `Risk ${index}`, category, ...fields }),
  );
  return (await Promise.all(added)).map(({ risk }) => risk);
}

await onBothPairs('lists', (test) => {
  test('a page has 20 records by default, and 1 to 100 by size', async ({ owner, organizationId }) => {
    await addRisks(
      owner,
      organizationId,
      'many',
      Array.from({ length: 22 }, () => ({})),
    );
    const list = { organization_id: organizationId, filter: { category: ['many'] } };
    const first = await owner.ok('listRisks', list);
    assert.is(first.risks.length, 20);
    const second = await owner.ok('listRisks', { ...list, cursor: first.next_cursor });
    assert.equal([second.risks.length, 'next_cursor' in second], [2, false]);
    assert.is((await owner.ok('listRisks', { ...list, size: 100 })).risks.length, 22);
    const exact = await owner.ok('listRisks', { ...list, size: 22 });
    assert.equal([exact.risks.length, 'next_cursor' in exact], [22, false]);
  });

  test('lists are ordered with empty values last in both directions', async ({ owner, organizationId }) => {
    const risks = ['2026-03-01', null, '2026-01-01', '2026-02-01', null];
    await addRisks(
      owner,
      organizationId,
      'ordered',
      risks.map((due, index) => ({ name: `${'abcde'[index]}`, next_review_due: due })),
    );
    const walk = async (field: string, direction: string) => {
      const order_by = { field, direction };
      const list = { organization_id: organizationId, filter: { category: ['ordered'] }, order_by, size: 2 };
      return names(await owner.walk('listRisks', 'risks', list)).join('');
    };
    const [up, down] = [await walk('next_review_due', 'ASC'), await walk('next_review_due', 'DESC')];
    assert.equal([up.slice(0, 3), down.slice(0, 3)], ['cda', 'adc']);
    assert.equal(
      [[...up.slice(3)].sort(), [...down.slice(3)].sort()],
      [
        ['b', 'e'],
        ['b', 'e'],
      ],
    );
    assert.equal([await walk('name', 'ASC'), await walk('name', 'DESC')], ['abcde', 'edcba']);
  });

  test('lists order texts ignoring case and accents', async ({ owner, organizationId }) => {
    for (const name of ['zeta', 'Émile', 'alpha', 'Delta', 'eagle', 'ÉPSILON']) {
      await owner.ok('addVendor', { organization_id: organizationId, name, category: 'texts' });
    }
    const list = { organization_id: organizationId, filter: { category: ['TÉXTS'] } };
    assert.equal(names((await owner.ok('listVendors', list)).vendors), [
      'alpha',
      'Delta',
      'eagle',
      'Émile',
      'ÉPSILON',
      'zeta',
    ]);
  });

  test('listRisks starts with the highest score unless order_by is given', async ({ owner, organizationId }) => {
    const score = (likelihood: number) => ({ inherent_likelihood: likelihood, inherent_impact: 2 });
    await addRisks(owner, organizationId, 'scored', [score(2), {}, score(5), score(3)]);
    const list = { organization_id: organizationId, filter: { category: ['scored'] } };
    const scores = async (extraInput: object) =>
      (await owner.ok('listRisks', { ...list, ...extraInput })).risks.map((r) => r.score);
    assert.equal(await scores({}), [10, 6, 4, undefined]);
    assert.equal(await scores({ order_by: { field: 'score', direction: 'ASC' } }), [4, 6, 10, undefined]);
  });

  test('paging through a list shows each record once while others change', async ({ owner, organizationId }) => {
    const ratings = { inherent_likelihood: 3, inherent_impact: 3 };
    const equalRisks = Array.from({ length: 9 }, (_, index) => ({ name: 'Same', note: `${index}`, ...ratings }));
    const still = await addRisks(owner, organizationId, 'walked', equalRisks);
    const moving = await addRisks(owner, organizationId, 'walked', [ratings, ratings, {}]);
    for (const [round, order_by] of [
      { field: 'score', direction: 'DESC' },
      { field: 'name', direction: 'ASC' },
      { field: 'next_review_due', direction: 'ASC' },
    ].entries()) {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const size = 2 + Math.floor(Math.random() * 5);
        const list = { organization_id: organizationId, filter: { category: ['walked'] }, order_by, size };
        const page = await owner.ok('listRisks', cursor === undefined ? list : { ...list, cursor });
        ids.push(...page.risks.map(({ id }) => id));
        cursor = page.next_cursor;
        const movedRisk = moving[ids.length % moving.length]!;
        await owner.ok('updateRisk', {
          id: movedRisk.id,
          inherent_impact: 1 + (ids.length % 5),
          note: `${round}`,
          reason: 'Found out',
        });
        await addRisks(owner, organizationId, 'walked', [{ ...ratings, name: `Added ${ids.length}` }]);
      } while (cursor !== undefined && ids.length < 200);
      for (const { id } of still) assert.is(ids.filter((other) => other === id).length, 1, JSON.stringify(order_by));
    }
  });

  test('view COUNT counts the records that the filter finds', async ({ owner, organizationId }) => {
    await addRisks(owner, organizationId, 'counted', [{ treatment: 'AVOIDED' }, { treatment: 'AVOIDED' }, {}]);
    const count = async (filter: object) => {
      const { url, ...answer } = await owner.ok('listRisks', {
        organization_id: organizationId,
        filter,
        view: 'COUNT',
      });
      assert.ok(url);
      return answer;
    };
    assert.equal(await count({ category: ['counted'] }), { total: 3 });
    assert.equal(await count({ category: ['counted'], treatment: ['AVOIDED'] }), { total: 2 });
    assert.is((await count({ category: ['nothing'] })).total, 0);
  });

  test('view SUMMARY has exactly the documented fields', async ({ owner, organizationId }) => {
    const { risk } = await owner.ok('addRisk', {
      organization_id: organizationId,
      name: 'Whole',
      reference_id: 'R-1',
      category: 'summary',
      description: 'long',
      note: 'long',
      inherent_likelihood: 5,
      inherent_impact: 5,
      treatment: 'MITIGATED',
      next_review_due: '2030-01-01',
      owner_id: 'ME',
    });
    const filter = { category: ['summary'] };
    assert.equal((await owner.ok('listRisks', { organization_id: organizationId, filter })).risks, [
      {
        id: risk.id,
        reference_id: 'R-1',
        name: 'Whole',
        status: 'OPEN',
        score: 25,
        priority: 'CRITICAL',
        treatment: 'MITIGATED',
        category: 'summary',
        owner: 'First owner',
      },
    ]);
    const fullList = await owner.ok('listRisks', { organization_id: organizationId, filter, view: 'FULL' });
    assert.equal(fullList.risks, [risk]);
    const add = { organization_id: organizationId, category: 'summary', name: 'Whole' };
    const { vendor } = await owner.ok('addVendor', {
      ...add,
      description: 'long',
      country: 'DE',
      criticality: 'LOW',
      data_shared: 'long',
      last_reviewed: '2026-01-01',
      next_review_due: '2027-01-01',
    });
    const withoutOptionalFields = await owner.ok('addVendor', { ...add, name: 'Yet barer' });
    assert.equal((await owner.ok('listVendors', { organization_id: organizationId, filter })).vendors, [
      {
        id: vendor.id,
        name: 'Whole',
        status: 'PENDING_REVIEW',
        criticality: 'LOW',
        category: 'summary',
        last_reviewed: '2026-01-01',
        next_review_due: '2027-01-01',
      },
      { id: withoutOptionalFields.vendor.id, name: 'Yet barer', status: 'PENDING_REVIEW', category: 'summary' },
    ]);
  });

  test('a list shortens pages and cuts long records to stay under 60,000 characters', async ({
    owner,
    organizationId,
  }) => {
    // Characters that JSON writes as two, one of them outside the basic plane.
    const text = '\n"\n"\u{1f600}'.repeat(1_666);
    const large = {
      organization_id: organizationId,
      category: 'large',
      description: `d${text}`,
      data_shared: `s${text}`,
    };
    const added = [];
    for (const name of ['L1', 'L2', 'L3']) added.push((await owner.ok('addVendor', { ...large, name })).vendor);
    const list = { organization_id: organizationId, filter: { category: ['large'] }, view: 'FULL' };
    const first = await owner.ok('listVendors', list);
    assert.ok(JSON.stringify(first).length <= 60_000);
    assert.ok(first.vendors.length < 3 && first.next_cursor !== undefined);
    assert.equal(names(await owner.walk('listVendors', 'vendors', list)), ['L1', 'L2', 'L3']);

    const { id } = added[0]!;
    const conditions = { findings: text, conditions: text };
    const review = await owner.ok('reviewVendor', { id, outcome: 'CONDITIONAL', ...conditions });
    assert.ok(JSON.stringify(review).length <= 60_000, 'a write’s answer');
    const read = await owner.ok('getRecords', { ids: added.map((vendor) => vendor.id) });
    assert.ok(JSON.stringify(read).length <= 60_000, 'getRecords');
    assert.equal(names(read.records), ['L1']);
    assert.equal(read.omitted, [added[1]!.id, added[2]!.id]);
    assert.ok((read.records[0]!.truncated as string[]).length > 0);
    assert.ok(JSON.stringify(read).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(read)), 'no half characters');
  });
});
