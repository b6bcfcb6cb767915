/** A register with two unrelated organizations. Each has at least one record of every family. */
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { isArchiving, runExamples } from '../mcp/examples.ts';
import { type Answer, callerAs, envelopeFor, INSTALLATION_ID, startRegister, type TestRegister } from '../register.ts';

/** Stands in front of every name and text of the other organization, so that a leak into an answer is noticed. */
export const OTHER_PREFIX = 'Kryptonite';

export interface TwoOrganizations {
  register: TestRegister;
  /** A valid input of our organization for each tool. */
  inputsByTool: ReadonlyMap<string, Record<string, unknown>>;
  /** Our organization's ids by prefix: one record of each family, the organization (`org`) and its owner (`acc`). */
  ourIds: ReadonlyMap<string, string>;
  /** The other organization's ids, by the same prefixes. */
  theirIds: ReadonlyMap<string, string>;
  otherOwner: Caller;
}

export async function startTwoOrganizations(): Promise<TwoOrganizations> {
  const register = await startRegister();
  const otherOwner = await createOtherOrganization(register);
  const ourExamples = await addExamples(register, callerAs());
  const theirExamples = await addExamples(register, otherOwner, OTHER_PREFIX);
  return {
    register,
    inputsByTool: ourExamples.inputs,
    ourIds: ourExamples.ids,
    theirIds: theirExamples.ids,
    otherOwner,
  };
}

async function createOtherOrganization({ handler, stores }: TestRegister): Promise<Caller> {
  const organization_id = randomId('org');
  const account_id = randomId('acc');
  await stores.accounts.insert('accounts', { id: account_id, name: `${OTHER_PREFIX} Owner` });
  await handler.execute(
    organizationAggregate(organization_id),
    {
      type: 'CreateOrganization',
      name: OTHER_PREFIX,
      import_key: 'another key',
      installation: INSTALLATION_ID,
      owner_id: account_id,
    },
    envelopeFor({ organization_id, actor_id: account_id }),
  );
  return callerAs('OWNER', { account_id, roles: new Map([[organization_id, 'OWNER']]) });
}

/** Runs the examples of all tools, then restores what they archived. Returns the inputs by tool and the ids by prefix. */
async function addExamples(register: TestRegister, caller: Caller, prefix = '') {
  const runs = await runExamples(ALL_TOOLS, async (tool, input) => {
    const answer = await register.call<Answer>(tool, withPrefix(input, prefix), caller);
    assert.is(answer.error, undefined, `${tool}: ${JSON.stringify(answer)}`);
    return answer;
  });
  const inputs = new Map(runs.map(({ tool, input }) => [tool.name, input]));
  for (const { tool, input } of runs.filter(({ tool }) => isArchiving(tool))) {
    await register.call(tool.name, { ...input, action: 'RESTORE' }, caller);
  }
  const ids = new Map<string, string>([
    ['acc', caller.account_id],
    ['org', [...caller.roles.keys()][0]!],
  ]);
  for (const { answer } of runs)
    for (const id of JSON.stringify(answer).match(/\b[a-z]{3}_[0-9A-Z]{26,29}\b/g) ?? []) {
      if (!ids.has(id.slice(0, 3))) ids.set(id.slice(0, 3), id);
    }
  return { inputs, ids };
}

/** Returns an example's input with the prefix in front of its texts. */
function withPrefix(input: object, prefix: string): object {
  if (prefix === '') return input;
  const texts = Object.entries(input).filter(([key]) => /^(name|description|requirement)$/.test(key));
  return { ...input, ...Object.fromEntries(texts.map(([key, value]) => [key, `${prefix} ${value}`])) };
}
