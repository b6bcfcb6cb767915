import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { type Answer, ORGANIZATION, OWNER, startRegister, type TestRegister } from '../support/register.ts';

/*
 * Finds faults that no test of one family would notice: a field that is accepted but not stored, or a published filter
 * or order that fails. The tests read the published schemas, so they include a new family.
 */

interface Schema {
  type?: string;
  enum?: string[];
  minimum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Published {
  name: string;
  inputSchema: { properties: Record<string, Schema>; required: string[] };
}

const test = suite<{ register: TestRegister; tools: Map<string, Published>; framework: string; audit: string }>(
  'every family',
);

test.before(async (context) => {
  context.register = await startRegister();
  const published = JSON.parse(context.register.tools.listJson()) as Published[];
  context.tools = new Map(published.map((tool) => [tool.name, tool]));
  const { call } = context.register;
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const adoption = await call('addFramework', { organization_id: ORGANIZATION, name: 'House rules', controls });
  context.framework = (adoption.framework as { id: string }).id;
  const input = { organization_id: ORGANIZATION, name: 'Yearly', framework_id: context.framework };
  context.audit = ((await call('addAudit', input)).audit as { id: string }).id;
});

test.after(({ register }) => register.stop());

const NOT_FIELDS = [
  'id',
  'organization_id',
  'reason',
  'idempotency_key',
  'expected_revision',
  'fields',
  'withdraw',
  'reviewed',
];
/** Fields whose transitions have their own rules and tests. */
const STATES = ['status', 'state'];

/** Returns a valid value for a field, by its name if the schema doesn't say enough. */
function sample(field: string, schema: Schema, context: { framework: string; audit: string }): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.type === 'array') return [sample(field, schema.items!, context)];
  if (schema.type === 'object') return {};
  if (field === 'framework_id') return context.framework;
  if (field === 'audit_id') return context.audit;
  if (field === 'owner_id') return 'ME';
  if (field === 'sha256') return 'a'.repeat(64);
  if (/url$/.test(field)) return 'https://example.org/';
  if (/_at$|^last_reviewed$|^updated_since$|^reviewed_before$/.test(field)) return '2025-01-01T00:00:00.000Z';
  if (/^last_review_date$|identified$/.test(field)) return '2025-01-01';
  if (/(_due|_date|_until|_from|_on|_before|_after)$/.test(field)) return '2027-01-01';
  return 'Something';
}

function recordOf(answer: Answer): Record<string, unknown> {
  assert.not('error' in answer, JSON.stringify(answer));
  return Object.values(answer)[0] as Record<string, unknown>;
}

const expectedValue = (field: string, value: unknown) => (field === 'owner_id' ? OWNER : value);

test('every update tool stores all its fields', async (context) => {
  const { register, tools } = context;
  const updates = [...tools.values()].filter(({ name }) => name.startsWith('update'));
  assert.ok(updates.length >= 7, updates.map(({ name }) => name).join());
  for (const { name, inputSchema } of updates) {
    const addSchema = tools.get(name.replace('update', 'add'))?.inputSchema;
    const id = addSchema
      ? await addSmallest(context, name.replace('update', 'add'))
      : `ctl_${context.framework.slice(4)}000`;
    const fields = Object.entries(inputSchema.properties).filter(([field]) => !NOT_FIELDS.includes(field));
    for (const [field, schema] of fields) {
      if (STATES.includes(field)) continue;
      const value = sample(field, schema, context);
      const record = recordOf(await register.call(name, { id, [field]: value, reason: 'Found out' }));
      assert.equal(record[field], expectedValue(field, value), `${name} ${field}`);
    }
    const { records } = (await register.call('getRecords', { ids: [id] })) as unknown as { records: Answer[] };
    for (const [field, schema] of fields) {
      if (STATES.includes(field)) continue;
      assert.equal(
        records[0]![field],
        expectedValue(field, sample(field, schema, context)),
        `${name} ${field}, at the end`,
      );
    }
  }
});

/** Adds a record with only its required fields. */
async function addSmallest(
  context: { register: TestRegister; tools: Map<string, Published>; framework: string; audit: string },
  name: string,
): Promise<string> {
  const { properties, required } = context.tools.get(name)!.inputSchema;
  const requiredFields = required.map((field) => [field, sample(field, properties[field]!, context)]);
  const input = { ...Object.fromEntries(requiredFields), organization_id: ORGANIZATION };
  return String(recordOf(await context.register.call(name, input)).id);
}

test('the add tools, except those of frameworks and evidence, store all fields', async (context) => {
  const adds = [...context.tools.values()].filter(({ name }) => /^add(?!Framework|Evidence)/.test(name));
  for (const { name, inputSchema } of adds) {
    const fields = Object.entries(inputSchema.properties).filter(
      ([field]) => !NOT_FIELDS.includes(field) && !STATES.includes(field),
    );
    const input = Object.fromEntries(fields.map(([field, schema]) => [field, sample(field, schema, context)]));
    if ('implemented_at' in input) input.state = 'IMPLEMENTED';
    const record = recordOf(await context.register.call(name, { ...input, organization_id: ORGANIZATION }));
    for (const [field, value] of Object.entries(input)) {
      assert.equal(record[field], expectedValue(field, value), `${name} ${field}`);
    }
  }
});

test('every list tool answers all orders and filters, now and as of a past position', async (context) => {
  const { register, tools } = context;
  const lists = [...tools.values()].filter(({ name }) => /^list(?!Organizations|Changes)/.test(name));
  const listTools = FAMILY_DESCRIPTIONS.flatMap(({ tools: { list } }) => list?.name ?? []);
  assert.equal(lists.map(({ name }) => name).sort(), listTools.sort());
  const { as_of } = await register.call('listRisks', { organization_id: ORGANIZATION, as_of: today() });
  const { position } = as_of as { position: string };
  for (const { name, inputSchema } of lists) {
    const { order_by, filter } = inputSchema.properties;
    const inputs: object[] = [];
    for (const field of order_by!.properties!.field!.enum!) inputs.push({ order_by: { field } });
    for (const [field, schema] of Object.entries(filter!.properties!)) {
      if (field === 'ids') continue;
      if (field === 'linked_to') inputs.push({ filter: { linked_to: context.framework } });
      else if (field === 'linked_framework_id') inputs.push({ filter: { [field]: [context.framework] } });
      else if (field === 'relation')
        continue; // Only with linked_framework_id.
      else if (schema.items?.enum) inputs.push(...schema.items.enum.map((value) => ({ filter: { [field]: [value] } })));
      else if (schema.type === 'boolean') inputs.push({ filter: { [field]: true } }, { filter: { [field]: false } });
      else inputs.push({ filter: { [field]: sample(field, schema, context) } });
    }
    for (const input of inputs) {
      for (const extraInput of [{}, { as_of: position }, { view: 'COUNT' }]) {
        const answer = await register.call(name, { organization_id: ORGANIZATION, ...input, ...extraInput });
        assert.not('error' in answer, `${name} ${JSON.stringify(input)}: ${JSON.stringify(answer)}`);
      }
    }
  }
});

const today = () => new Date().toISOString().slice(0, 10);

test.run();
