import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { adopt, assertRebuilt, list, newest, ok } from '../support/controls.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

/* Random histories of linked controls, compared with a plain model at every position. */

const test = registerSuite('relations of controls, at random', 'EACH');

const RELATIONS = ['EQUIVALENT', 'SUPPORTS', 'PARTLY'] as const;
const REVERSED = { EQUIVALENT: 'EQUIVALENT', SUPPORTS: 'SUPPORTED_BY', PARTLY: 'PARTLY_COVERED_BY' };
const NUMBERS = ['1', '2', '3'];

const pair = {
  iso: fc.constantFrom(...NUMBERS),
  csf: fc.constantFrom(...NUMBERS),
  isFromIso: fc.boolean(),
};
const relation = fc.constantFrom(...RELATIONS);
const importedPairs = fc.uniqueArray(fc.record({ ...pair, relation }), {
  minLength: 1,
  maxLength: 4,
  selector: ({ iso, csf }) => `${iso} ${csf}`,
});
const step = fc.oneof(
  /** Null unlinks. */
  { weight: 3, arbitrary: fc.record({ ...pair, relation: fc.option(relation, { freq: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ importedPairs }) },
);

/** By ISO control, then by CSF control: the relation as the ISO control has it. */
type Shared = Record<string, Record<string, string>>;

async function sharedNow(register: TestRegister, filter: object, options: object = {}): Promise<Shared> {
  const controls = await list(register, filter, options);
  return Object.fromEntries(
    controls.map(({ section_title, linked_controls }) => [
      section_title,
      Object.fromEntries((linked_controls as Answer[]).map((linked) => [linked.section_title, linked.relation])),
    ]),
  );
}

test('what two frameworks share follows from the links and imports before, at every position', async ({ register }) => {
  let names = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
    names += 1;
    const [iso, csf] = [await adopt(register, `ISO ${names}`, NUMBERS), await adopt(register, `CSF ${names}`, NUMBERS)];
    const filter = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
    const shared = new Map<string, string>();
    /** The relations that imports stated last. */
    const stated = new Map<string, string>();
    const history: [position: string, shared: Shared][] = [];
    const endsOf = ({ iso: one, csf: other, isFromIso }: { iso: string; csf: string; isFromIso: boolean }) => {
      const ids = [iso.ids[one]!, csf.ids[other]!] as const;
      return isFromIso ? ids : [ids[1], ids[0]];
    };
    for (const action of steps) {
      if ('importedPairs' in action) {
        const rows = action.importedPairs.map((row) => {
          const [from_control, to_control] = endsOf(row);
          return { from_control, to_control, relation: row.relation };
        });
        const expected = action.importedPairs.map(({ iso: one, csf: other, isFromIso, relation }) => {
          const [key, after] = [`${one} ${other}`, isFromIso ? relation : REVERSED[relation]];
          const before = stated.get(key);
          if (before === after) return 'UNCHANGED';
          stated.set(key, after);
          shared.set(key, after);
          return before === undefined ? 'CREATED' : 'UPDATED';
        });
        const input = { organization_id: ORGANIZATION, type: 'CROSSWALK', rows };
        const answer = await ok<{ rows: Answer[] }>(register, 'importRecords', input);
        assert.equal(
          answer.rows.map(({ result }) => result),
          expected,
        );
      } else {
        const { iso: one, csf: other, isFromIso, relation } = action;
        const [key, after] = [`${one} ${other}`, relation === null || isFromIso ? relation : REVERSED[relation]];
        const [from_id, to_id] = endsOf(action);
        const links = [{ from_id, to_id, ...(relation === null ? {} : { relation }) }];
        const input = { links, action: relation === null ? 'UNLINK' : 'LINK', reason: 'Found out' };
        const answer = await ok<{ links: Answer[] }>(register, 'linkRecords', input);
        assert.is(answer.links[0]!.result, resultOf(shared.get(key), after ?? undefined));
        if (after === null) shared.delete(key);
        else shared.set(key, after);
      }
      history.push([await newest(register), byControl(shared)]);
    }
    assert.equal(await sharedNow(register, filter), byControl(shared));
    for (const [as_of, then] of history) assert.equal(await sharedNow(register, filter, { as_of }), then, as_of);
  });
  await fc.assert(property, { numRuns: 8 });
  await assertRebuilt(register);
});

/** Groups relations, by the numbers of both controls, by the first. */
function byControl(relations: ReadonlyMap<string, string>): Shared {
  const shared: Shared = {};
  for (const [key, relation] of relations) {
    const [one, other] = key.split(' ') as [string, string];
    shared[one] = { ...shared[one], [other]: relation };
  }
  return shared;
}

function resultOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return 'UNCHANGED';
  if (before === undefined) return 'CREATED';
  return after === undefined ? 'REMOVED' : 'CHANGED';
}

test.run();
