/**
 * Requests in people's words. Each must be one valid call, after the look-ups that it names. The call is checked against
 * the published schemas and then made. `answer` is the part of its answer that shows it was the right call.
 */
import { readFileSync } from 'node:fs';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSmallRegister } from '../../support/histories/small-register.ts';
import { daysAgo, writeHistory } from '../../support/histories/story.ts';
import { legacyRequest } from '../../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

interface Call {
  tool: string;
  /** The input without organization_id. `{{name}}` is a look-up's result, `{{today-30}}` a date. */
  args: Record<string, unknown>;
}
interface LookUp extends Call {
  as: string;
  /** A text that exactly one record contains, or each record if `all` is set. */
  finds: string;
  all?: true;
}
interface Asked extends Call {
  request: string;
  look_ups?: LookUp[];
  answer: { has: string[]; lacks?: string[] };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
}
interface Published {
  name: string;
  inputSchema: Schema;
}
interface Context extends ServedPair {
  tools: Map<string, Published>;
}

const requests: Asked[] = JSON.parse(readFileSync(new URL('../../fixtures/requests.json', import.meta.url), 'utf8'));
const validator = new AjvJsonSchemaValidator();

const test = suite<Context>('requests');

test.before(async (context) => {
  const pair = embeddedPair();
  await writeHistory(pair);
  const served = await serve(pair);
  await served.addMember('Priya Patel', 'EDITOR');
  await writeSmallRegister(served.owner, served.organizationId);
  const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Published[] };
  // The caller is an owner; the token of a first start is an ADMIN's.
  const owner = await served.as('OWNER');
  Object.assign(context, served, { owner, tools: new Map(tools.map((tool) => [tool.name, tool])) });
});
test.after((served) => served.close());

/** Replaces placeholders by dates and look-up results, as a whole value or within a text. */
function fillPlaceholders(value: unknown, variables: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, variables));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillPlaceholders(inner, variables)]));
  }
  if (typeof value !== 'string') return value;
  const variable = /^\{\{(\w+)\}\}$/.exec(value)?.[1];
  if (variable !== undefined && variable in variables) return variables[variable];
  return value.replace(/\{\{today([+-]\d+)?\}\}/g, (_, days = '0') => daysAgo(-Number(days)));
}

/** Returns arguments that no published property takes. */
function unpublished(value: unknown, schema: Schema, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => unpublished(item, schema.items ?? {}, `${path}[]`));
  // An import's rows are open: their fields depend on the type.
  const open = path === 'importRecords.rows[]';
  if (typeof value !== 'object' || value === null || open) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const propertySchema = schema.properties![key];
    return propertySchema === undefined ? [`${path}.${key}`] : unpublished(inner, propertySchema, `${path}.${key}`);
  });
}

async function make(
  context: Context,
  { tool, args }: Call,
  variables: Readonly<Record<string, unknown>>,
): Promise<object> {
  const { inputSchema } = context.tools.get(tool)!;
  const input = fillPlaceholders(args, variables) as Record<string, unknown>;
  if (inputSchema.required?.includes('organization_id')) input.organization_id = context.organizationId;
  assert.equal(unpublished(input, inputSchema, tool), []);
  const { valid, errorMessage } = validator.getValidator(inputSchema)(input);
  assert.ok(valid, `${tool} ${JSON.stringify(input)}: ${errorMessage}`);
  return context.owner.ok(tool, input);
}

/** Returns every object with an id that contains the text. */
function* idsContaining(value: unknown, text: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const values = Object.values(value);
  if ('id' in value && values.some((own) => typeof own === 'string' && own.includes(text))) yield String(value.id);
  for (const inner of values) yield* idsContaining(inner, text);
}

async function lookUp(context: Context, look: LookUp): Promise<unknown> {
  const ids = [...idsContaining(await make(context, look, {}), look.finds)];
  if (look.all) {
    assert.ok(ids.length > 1, `${look.finds} is found several times`);
    return ids;
  }
  assert.is(ids.length, 1, `${look.tool} ${JSON.stringify(look.args)} finds ${look.finds} once`);
  return ids[0];
}

for (const { request, look_ups = [], answer, ...call } of requests) {
  test(request, async (context) => {
    const variables: Record<string, unknown> = {};
    for (const look of look_ups) variables[look.as] = await lookUp(context, look);
    const answerText = JSON.stringify(await make(context, call, variables));
    const answerStart = `${answerText.slice(0, 1_000)}…`;
    for (const text of answer.has)
      assert.ok(answerText.includes(String(fillPlaceholders(text, variables))), `${text} is in ${answerStart}`);
    for (const text of answer.lacks ?? []) assert.not.ok(answerText.includes(text), `${text} is not in ${answerStart}`);
  });
}

test('the 62 requests cover every tool', ({ tools }) => {
  assert.is(new Set(requests.map(({ request }) => request)).size, 62);
  assert.equal([...new Set(requests.map(({ tool }) => tool))].sort(), [...tools.keys()].sort());
});

test.run();
