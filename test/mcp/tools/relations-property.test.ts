import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adopt, assertRebuilt, list, newest, ok } from '../../support/controls.ts';
import { type Answer, startRegister, type TestRegister } from '../../support/register.ts';

/* Random histories of linked controls, compared with a plain model at every position. */

const test = suite<{ register: TestRegister }>('relations of controls, at random');

test.before.each(async (context) => {
  context.register = await startRegister();
});
test.after.each(({ register }) => register.stop());

const RELATIONS = ['EQUIVALENT', 'SUPPORTS', 'PARTLY'] as const;
const REVERSED = { EQUIVALENT: 'EQUIVALENT', SUPPORTS: 'SUPPORTED_BY', PARTLY: 'PARTLY_COVERED_BY' };
const NUMBERS = ['1', '2', '3'];

const step = fc.record({
  iso: fc.constantFrom(...NUMBERS),
  csf: fc.constantFrom(...NUMBERS),
  isFromIso: fc.boolean(),
  /** Null unlinks. */
  relation: fc.option(fc.constantFrom(...RELATIONS), { freq: 4 }),
});

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

test('what two frameworks share follows from the links made before, at every position', async ({ register }) => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
    const [iso, csf] = [await adopt(register, 'ISO', NUMBERS), await adopt(register, 'CSF', NUMBERS)];
    const filter = { framework_id: [iso.framework], linked_framework_id: [csf.framework] };
    let shared: Shared = {};
    const history: [position: string, shared: Shared][] = [];
    for (const { iso: one, csf: other, isFromIso, relation } of steps) {
      const ids = [iso.ids[one]!, csf.ids[other]!];
      const [from_id, to_id] = isFromIso ? ids : ids.reverse();
      const { [other]: before, ...others } = shared[one] ?? {};
      const after = relation === null ? undefined : isFromIso ? relation : REVERSED[relation];
      const action = relation === null ? 'UNLINK' : 'LINK';
      const links = [{ from_id, to_id, ...(relation === null ? {} : { relation }) }];
      const answer = await ok<{ links: Answer[] }>(register, 'linkRecords', { links, action });
      assert.is(answer.links[0]!.result, resultOf(before, after));
      const { [one]: _changed, ...rest } = shared;
      const related = after === undefined ? others : { ...others, [other]: after };
      shared = Object.keys(related).length === 0 ? rest : { ...rest, [one]: related };
      history.push([await newest(register), shared]);
    }
    assert.equal(await sharedNow(register, filter), shared);
    for (const [as_of, then] of history) assert.equal(await sharedNow(register, filter, { as_of }), then, as_of);
  });
  await fc.assert(property, { numRuns: 8 });
  await assertRebuilt(register);
});

function resultOf(before: string | undefined, after: string | undefined): string {
  if (before === after) return 'UNCHANGED';
  if (before === undefined) return 'CREATED';
  return after === undefined ? 'REMOVED' : 'CHANGED';
}

test.run();
