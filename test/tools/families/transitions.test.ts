import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { controlId } from '../../../src/commands/engine/ids.ts';
import { ok } from '../../support/controls.ts';
import {
  INITIAL_STATES,
  type InitialStates,
  REQUIRED_VALUES,
  STATE_MACHINES,
  type StateMachine,
} from '../../support/histories/state-machines.ts';
import { assertNames, refusalOf } from '../../support/mcp/refusals.ts';
import { type Answer, ORGANIZATION, startRegister, type TestRegister } from '../../support/register.ts';

/* Tests every transition of every state machine, allowed or not, with and without its required fields. */

interface Context {
  register: TestRegister;
  framework: string;
  /** Controls in their initial state. */
  fresh: string[];
}

const test = suite<Context>('transitions');

const CONTROL_COUNT = 40;

test.before(async (context) => {
  context.register = await startRegister();
  const controls = Array.from({ length: CONTROL_COUNT }, (_, index) => ({ section_title: `${index}`, name: 'Rule' }));
  const input = { organization_id: ORGANIZATION, name: 'House rules', controls };
  const { framework } = await ok<{ framework: { id: string } }>(context.register, 'addFramework', input);
  context.framework = framework.id;
  context.fresh = controls.map((_, index) => controlId(framework.id, index));
});
test.after(({ register }) => register.stop());

const EXCLUDED = { exclusion_justification: 'We have none of these' };

const valuesFor = (names: readonly string[]) => Object.fromEntries(names.map((need) => [need, REQUIRED_VALUES[need]]));
/** Returns the record in a write's answer. */
const recordOf = (answer: Answer) => Object.values(answer)[0] as Record<string, unknown> & { id: string };

/** Adds a record and changes it to a state with as few calls as possible. */
async function addRecordInState(
  { register, framework, fresh }: Context,
  title: string,
  state: string,
): Promise<string> {
  if (title === 'Control') {
    const id = fresh.pop()!;
    await ok(register, 'updateControl', { id, status: state, ...(state === 'EXCLUDED' ? EXCLUDED : {}) });
    return id;
  }
  const { field, required, requiredByState } = INITIAL_STATES.find((states) => states.title === title)!;
  const ownInput = {
    organization_id: ORGANIZATION,
    ...required,
    ...(title === 'Audit' ? { framework_id: framework } : {}),
  };
  const neededForState = requiredByState[state]!;
  const requiredFields = neededForState === null ? {} : { [field]: state, ...valuesFor(neededForState) };
  const record = recordOf(await ok(register, `add${title}`, { ...ownInput, ...requiredFields }));
  const startRecord =
    neededForState === null ? recordOf(await ENTER_STATE[title]!(register, record.id, state)) : record;
  assert.is(startRecord[field], state, `a ${title} in ${state}`);
  return record.id;
}

/** By title: changes a record to a state in which no record can be added. */
const ENTER_STATE: Record<string, (register: TestRegister, id: string, state: string) => Promise<Answer>> = {
  Risk: (register, id) => ok(register, 'decideRisk', { id, decision: 'ACCEPT', ...valuesFor(['reason', 'until']) }),
  Vendor: (register, id, outcome) => ok(register, 'reviewVendor', { id, outcome, ...valuesFor(['conditions']) }),
  Audit: (register, id, state) => ok(register, 'updateAudit', { id, state }),
};

for (const machine of STATE_MACHINES) {
  const { title, tool, field, transitions, allInputs: all, acceptsCurrentState } = machine;
  for (const [from, requiredByTarget] of Object.entries(transitions)) {
    test(`${tool} allows exactly the documented states after ${from}`, async (context) => {
      for (const to of all) {
        const label = `${tool} ${from} to ${to}`;
        const id = await addRecordInState(context, title, from);
        const neededFields = requiredByTarget[to];
        if (neededFields) await checkAllowedMove(context, machine, { id, to, neededFields, label });
        else if (acceptsCurrentState && to === from) {
          assert.equal((await ok(context.register, tool, { id, [field]: to })).event_types, [], label);
        } else {
          const refused = await refusalOf(context, tool, { id, [field]: to, ...allNeededValues(tool) }, label);
          assertNames(refused, 'invalid_transition', field, label);
          assert.equal(
            refused.allowed,
            all.filter((next) => next in requiredByTarget),
            label,
          );
        }
      }
    });
  }
}

/**
 * Returns values for all fields that a tool's transitions can require, so that a refusal is never about a missing
 * field.
 */
function allNeededValues(tool: string): object {
  const neededFields = STATE_MACHINES.filter((machine) => machine.tool === tool).flatMap(({ transitions }) =>
    Object.values(transitions).flatMap((requiredByTarget) => Object.values(requiredByTarget).flat()),
  );
  return valuesFor([...new Set(neededFields)]);
}

type Move = { id: string; to: string; neededFields: readonly string[]; label: string };

/** Checks an allowed transition: it is refused if a required field is missing, and succeeds with all of them. */
async function checkAllowedMove(context: Context, machine: StateMachine, { id, to, neededFields: needs, label }: Move) {
  const { tool, field, stateField, leadsTo } = machine;
  for (const missingField of needs) {
    const otherValues = valuesFor(needs.filter((need) => need !== missingField));
    for (const empty of [{}, { [missingField]: '' }]) {
      const input = { id, [field]: to, ...otherValues, ...(missingField === 'until' ? {} : empty) };
      const refused = await refusalOf(context, tool, input, `${label} without ${missingField}`);
      assertNames(refused, 'invalid_input', missingField, `${label} without ${missingField}`);
    }
  }
  const answer = await ok(context.register, tool, { id, [field]: to, ...valuesFor(needs) });
  assert.is(recordOf(answer)[stateField], leadsTo?.[to] ?? to, label);
  const event_types = answer.event_types as string[];
  assert.is(event_types.filter((type) => !type.endsWith('DetailsChanged')).length, 1, `${label}: ${event_types}`);
}

test('an archived record refuses every transition until it is restored', async (context) => {
  for (const { title, tool, field, transitions, allInputs: all } of STATE_MACHINES) {
    for (const from of Object.keys(transitions)) {
      const id = await addRecordInState(context, title, from);
      const archive = { ids: [id], reason: 'gone' };
      await ok(context.register, 'archiveRecords', { ...archive, action: 'ARCHIVE' });
      for (const to of all) {
        const label = `${tool} ${from} to ${to}, archived`;
        const refused = await refusalOf(context, tool, { id, [field]: to, ...allNeededValues(tool) }, label);
        assert.equal([refused.code, refused.allowed], ['invalid_transition', ['RESTORE']], label);
      }
      await ok(context.register, 'archiveRecords', { ...archive, action: 'RESTORE' });
      const { records } = await ok<{ records: Answer[] }>(context.register, 'getRecords', { ids: [id] });
      assert.is(records[0]!.state ?? records[0]!.status, from);
    }
  }
});

for (const beginning of INITIAL_STATES) {
  test(`add${beginning.title} allows exactly the documented first states`, (context) =>
    checkBeginnings(context, beginning));
}

async function checkBeginnings(
  context: Context,
  { title, field, required, requiredByState }: InitialStates,
): Promise<void> {
  const tool = `add${title}`;
  const framework = title === 'Audit' ? { framework_id: context.framework } : {};
  const input = { organization_id: ORGANIZATION, ...required, ...framework };
  const allowedStates = Object.keys(requiredByState).filter((state) => requiredByState[state] !== null);
  assert.is(recordOf(await ok(context.register, tool, input))[field], allowedStates[0], `${title} begins as`);
  for (const [state, needs] of Object.entries(requiredByState)) {
    const label = `${tool} ${state}`;
    if (needs === null) {
      const refused = await refusalOf(context, tool, { ...input, [field]: state, reason: 'r' }, label);
      assertNames(refused, 'invalid_transition', field, label);
      assert.equal(refused.allowed, allowedStates, label);
      continue;
    }
    for (const missingField of needs) {
      const otherValues = valuesFor(needs.filter((need) => need !== missingField));
      const refused = await refusalOf(context, tool, { ...input, [field]: state, ...otherValues }, label);
      assertNames(refused, 'invalid_input', missingField, `${label} without ${missingField}`);
    }
    const record = recordOf(await ok(context.register, tool, { ...input, [field]: state, ...valuesFor(needs) }));
    assert.is(record[field], state, label);
  }
}

test.run();
