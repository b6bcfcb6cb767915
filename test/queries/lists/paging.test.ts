/** Pages a list forwards and backwards: the previous page of a next page is the page itself. */

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { familyQueryOfType } from '../../../src/queries/family-query.ts';
import { readRecordPage } from '../../../src/queries/lists/list-records.ts';
import { ok } from '../../support/controls.ts';
import { callerAs, startRegister, type TestRegister } from '../../support/register.ts';

const RISKS = 23;
const FAMILY = familyQueryOfType('RISK');

const test = suite<{ register: TestRegister }>('paging both ways');

test.before(async (context) => {
  context.register = await startRegister();
  // Equal scores and absent ones, so that pages begin within ties and among empty keys.
  const rows = Array.from({ length: RISKS }, (_, index) => ({
    name: `Risk ${index % 7}-${index}`,
    ...(index % 3 === 0 ? {} : { inherent_likelihood: 1 + (index % 4), inherent_impact: 2 }),
    ...(index % 5 === 0 ? { next_review_due: `2027-01-0${1 + (index % 4)}` } : {}),
  }));
  const { organizationId: organization_id } = context.register;
  await ok(context.register, 'importRecords', { organization_id, type: 'RISK', rows });
});
test.after(({ register }) => register.stop());

type PageInput = { cursor?: string; before?: string };

function pageReader({ reader, organizationId: organization_id }: TestRegister, list: object) {
  return async (page: PageInput) => {
    const input = { organization_id, size: 5, view: 'SUMMARY', ...list, ...page } as const;
    const { records, next, previous } = await readRecordPage(reader, FAMILY, 'listRisks', callerAs(), input);
    return { ids: records.map(({ id }) => id), next, previous };
  };
}

test('next and then previous gives the same records, in every order, today and in the past', async ({ register }) => {
  const lists = fc.record({
    size: fc.integer({ min: 1, max: 9 }),
    order_by: fc.record({
      field: fc.constantFrom(...FAMILY.orders),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    }),
    as_of: fc.constantFrom(undefined, String(register.reader.snapshot().newestPosition(register.organizationId))),
  });
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const read = pageReader(register, list);
      let page = await read({});
      assert.is(page.previous, null);
      const seen = [...page.ids];
      while (page.next !== null) {
        const next = await read({ cursor: page.next });
        const previous = await read({ before: next.previous! });
        assert.equal(previous, page);
        seen.push(...next.ids);
        page = next;
      }
      assert.is(new Set(seen).size, RISKS);
    }),
    { numRuns: 40 },
  );
});

test('walks back to the first page, where nothing comes before', async ({ register }) => {
  const read = pageReader(register, {});
  let page = await read({});
  const forwards = [page.ids];
  while (page.next !== null) {
    page = await read({ cursor: page.next });
    forwards.push(page.ids);
  }
  const backwards = [page.ids];
  while (page.previous !== null) {
    page = await read({ before: page.previous });
    backwards.push(page.ids);
  }
  assert.equal(backwards.reverse(), forwards);
});

test('refuses the cursor of one direction in the other', async ({ register }) => {
  const read = pageReader(register, {});
  const first = await read({});
  const second = await read({ cursor: first.next! });
  await assertRefused(() => read({ before: first.next! }));
  await assertRefused(() => read({ cursor: second.previous! }));
});

async function assertRefused(read: () => Promise<unknown>): Promise<void> {
  const error = await read().then(
    () => null,
    (thrown: { code?: string }) => thrown,
  );
  assert.is(error?.code, 'invalid_input');
}

test.run();
