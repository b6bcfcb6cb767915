import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS, linkablePrefixes } from '../../../src/register/families.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { fullSchema } from '../../../src/tools/schema/json-schema.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import {
  OTHER_PREFIX,
  startTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/two-organizations.ts';
import { idOf, kindsIn } from '../../support/ids.ts';
import { fieldOf, type Place, placesOf, withValue } from '../../support/mcp/bad-input.ts';
import { assertNames, checkAnswer, refusalOf } from '../../support/mcp/refusals.ts';

/*
 * Tries ids without a record, and ids of another organization, in every place that takes an id. The answers must not
 * differ.
 * The places are read from the tools' definitions.
 */

const test = suite<TwoOrganizations>('unknown ids and ids of another organization');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

const idPlaces = ({ input }: Tool) =>
  [...placesOf(fullSchema(input as Parameters<typeof fullSchema>[0]))].filter(({ schema }) =>
    ['id', 'account', 'actor'].includes(String(schema.title)),
  );

/** For each id type that an argument accepts, returns an id without a record and one of the other organization. */
function strangeIds({ theirIds, ourIds, inputsByTool }: TwoOrganizations, tool: Tool, { path, schema }: Place) {
  const kinds = kindsIn(schema.pattern).filter((kind) => kind !== 'tok');
  const [link] = (inputsByTool.get(tool.name)!.links ?? []) as Record<string, string>[];
  const other = link?.[path.at(-1) === 'from_id' ? 'to_id' : 'from_id'];
  const isLinkable = (kind: string) =>
    path[0] !== 'links' || linkablePrefixes(String(other).slice(0, 3)).includes(kind);
  assert.ok(
    kinds.every((kind) => theirIds.has(kind) && ourIds.has(kind)),
    `the others have one of each of ${kinds}`,
  );
  return kinds.filter(isLinkable).map((kind) => [idOf(kind), theirIds.get(kind)!] as const);
}

/** Reads that search: an unknown id gives an empty result, not an error. */
const isSearched = (tool: Tool, { path }: Place) =>
  (path[0] === 'filter' && path.at(-1) === 0) || (tool.name === 'getRecords' && path[0] === 'ids');

for (const tool of ALL_TOOLS) {
  const idPaths = idPlaces(tool);
  if (idPaths.length === 0) continue;
  test(`${tool.name} answers not_found for unknown ids and another organization’s ids`, async (context) => {
    for (const idPath of idPaths) {
      for (const [nothing, theirId] of strangeIds(context, tool, idPath)) {
        const answers = [];
        for (const id of [nothing, theirId]) answers.push(shapeOf(await answerFor(context, tool, idPath, id), id));
        assert.equal(answers[1], answers[0], `${tool.name} ${fieldOf(idPath.path)} tells ${theirId} from nothing`);
      }
    }
  });
}

/** Returns the answer without the parts that differ between any two calls. */
function shapeOf(answer: object, id: string): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(id, 'ID'));
}

/** The types of reports that take an input. */
const REPORTS: Readonly<Record<string, string>> = {
  framework_id: 'STATEMENT_OF_APPLICABILITY',
  audit_id: 'AUDIT_PACK',
  filter: 'EVIDENCE',
};

/** Returns an input in which the id has a use. */
function inputFor({ inputsByTool }: TwoOrganizations, { name }: Tool, path: Place['path']): object {
  const input = inputsByTool.get(name)!;
  const place = String(path[0]);
  if (name === 'getReport' && place in REPORTS) return { ...input, type: REPORTS[place] };
  if (name !== 'importRecords' || place === 'rows') return input;
  const { rows: _rows, type: _type, ...others } = input;
  return place === 'organization_id' ? input : { ...others, set: { owner_id: 'ME' }, dry_run: true };
}

async function answerFor(context: TwoOrganizations, tool: Tool, idPath: Place, id: string): Promise<object> {
  const { register } = context;
  const { path, schema } = idPath;
  const input = withValue(inputFor(context, tool, path), path, id) as object;
  const label = `${tool.name} ${fieldOf(path)} ${id}`;
  if (isSearched(tool, idPath)) {
    const answer = await register.call(tool.name, input);
    checkAnswer(answer, input, label);
    assert.is(answer.error, undefined, `${label}: ${JSON.stringify(answer)}`);
    const [foundRecords] = Object.values(answer);
    assert.equal(foundRecords, [], label);
    if (tool.name === 'getRecords') assert.equal(answer.not_found, [id]);
    return answer;
  }
  const refused = await refusalOf(context, tool.name, input, label);
  // For several ids in a list, the refusal names the list.
  const first = path.findIndex((key) => typeof key === 'number');
  const field = fieldOf(first < 0 ? path : path.slice(0, first));
  assertNames(refused, schema.title === 'account' ? 'invalid_input' : 'not_found', field, label);
  return refused;
}

test('a call can’t mix our ids with another organization’s', async (context) => {
  const { ourIds, theirIds, inputsByTool } = context;
  const links = [{ from_id: ourIds.get('rsk'), to_id: theirIds.get('vnd') }];
  const mixed: [string, object, string][] = [
    ['linkRecords', { links }, 'links'],
    ['linkRecords', { links: [...(inputsByTool.get('linkRecords')!.links as object[]), ...links] }, 'links'],
    ['archiveRecords', { ids: [ourIds.get('rsk'), theirIds.get('vnd')], action: 'ARCHIVE', reason: 'r' }, 'ids'],
    [
      'addEvidence',
      { ...inputsByTool.get('addEvidence'), record_ids: [ourIds.get('rsk'), theirIds.get('rsk')] },
      'record_ids',
    ],
  ];
  for (const [tool, input, field] of mixed) {
    assertNames(await refusalOf(context, tool, input), 'not_found', field, tool);
  }
});

test('a member of both organizations can’t mix their ids in one call', async ({
  register,
  ourIds,
  theirIds,
  otherOwner,
}) => {
  const organizations = [ourIds.get('org')!, theirIds.get('org')!];
  const roles = new Map(organizations.map((id) => [id, 'OWNER' as const]));
  const memberOfBoth = { ...otherOwner, roles, members: roles };
  const ids = [ourIds.get('rsk')!, theirIds.get('vnd')!];
  const [from_id, to_id] = ids;
  const calls: [string, object, string, string][] = [
    ['linkRecords', { links: [{ from_id, to_id }] }, 'invalid_input', 'links'],
    ['archiveRecords', { ids, action: 'ARCHIVE', reason: 'r' }, 'invalid_input', 'ids'],
    ['updateRisk', { id: from_id, organization_id: organizations[1], note: 'n' }, 'not_found', 'id'],
    ['updateRisk', { id: from_id, owner_id: 'ME' }, 'invalid_input', 'owner_id'],
  ];
  const { events } = register.stores;
  const before = (await events.head(null)).newest;
  for (const [tool, input, code, field] of calls) {
    const { error } = (await register.call(tool, input, memberOfBoth)) as { error: { code: string; field: string } };
    assert.equal([error.code, error.field], [code, field], `${tool} ${JSON.stringify(error)}`);
  }
  assert.is((await events.head(null)).newest, before);
});

test('the other organization has records of all types, with a secret that no answer may show', async ({
  register,
  theirIds,
  otherOwner,
}) => {
  const ids = [...theirIds.values()].filter((id) => !/^(org|acc)_/.test(id));
  const { records } = await register.call<{ records: object[] }>('getRecords', { ids }, otherOwner);
  assert.is(records.length, FAMILY_DESCRIPTIONS.length);
  assert.ok(JSON.stringify(records).split(OTHER_PREFIX).length > FAMILY_DESCRIPTIONS.length);
});

test.run();
