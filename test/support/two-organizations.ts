/** A register with two organizations in it that know nothing of each other, each with something of every family. */
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/caller.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import { randomId } from '../../src/commands/ids.ts';
import { allTools } from '../../src/mcp/all-tools.ts';
import type { ToolService } from '../../src/mcp/define-tool.ts';
import { runExamples } from './examples.ts';
import { type Answer, callerAs, envelopeFor, INSTALLATION, startRegister, type TestRegister } from './register.ts';

export const TOOLS = allTools({} as ToolService);

/** It begins every name and text of the other organization. */
export const SECRET = 'Kryptonite';

export interface TwoOrganizations {
  register: TestRegister;
  /** An input of ours for each tool, which does what the tool is for. */
  right: ReadonlyMap<string, Record<string, unknown>>;
  /** Ids of ours and of the others', by kind: of a record of each, of the organization and of its owner. */
  ours: ReadonlyMap<string, string>;
  theirs: ReadonlyMap<string, string>;
  stranger: Caller;
}

export async function startTwoOrganizations(): Promise<TwoOrganizations> {
  const register = await startRegister();
  const stranger = await foundOther(register);
  const mine = await layExamples(register, callerAs());
  const others = await layExamples(register, stranger, SECRET);
  return { register, right: mine.inputs, ours: mine.ids, theirs: others.ids, stranger };
}

async function foundOther({ handler, stores }: TestRegister): Promise<Caller> {
  const organization_id = randomId('org');
  const account_id = randomId('acc');
  await stores.accounts.insert('accounts', { id: account_id, name: `${SECRET} Stranger` });
  await handler.execute(
    organizationAggregate(organization_id),
    {
      type: 'CreateOrganization',
      name: SECRET,
      import_key: 'another key',
      installation: INSTALLATION,
      owner_id: account_id,
    },
    envelopeFor({ organization_id, actor_id: account_id }),
  );
  return callerAs('OWNER', { account_id, roles: new Map([[organization_id, 'OWNER']]) });
}

/** Runs the examples of all tools; nothing stays archived. */
async function layExamples(register: TestRegister, caller: Caller, prefix = '') {
  const ran = await runExamples(TOOLS, async (tool, input) => {
    const answer = await register.call<Answer>(tool, withPrefix(input, prefix), caller);
    assert.is(answer.error, undefined, `${tool}: ${JSON.stringify(answer)}`);
    return answer;
  });
  const inputs = new Map(ran.map(({ tool, input }) => [tool.name, input]));
  for (const { tool, input } of ran.filter(({ tool }) => tool.destructive)) {
    await register.call(tool.name, { ...input, action: 'RESTORE' }, caller);
  }
  const ids = new Map<string, string>([
    ['acc', caller.account_id],
    ['org', [...caller.roles.keys()][0]!],
  ]);
  for (const { answer } of ran)
    for (const id of JSON.stringify(answer).match(/\b[a-z]{3}_[0-9A-Z]{26,29}\b/g) ?? []) {
      if (!ids.has(id.slice(0, 3))) ids.set(id.slice(0, 3), id);
    }
  return { inputs, ids };
}

/** An example's input with its texts begun by a word. */
function withPrefix(input: object, prefix: string): object {
  if (prefix === '') return input;
  const texts = Object.entries(input).filter(([key]) => /^(name|description|requirement)$/.test(key));
  return { ...input, ...Object.fromEntries(texts.map(([key, value]) => [key, `${prefix} ${value}`])) };
}
