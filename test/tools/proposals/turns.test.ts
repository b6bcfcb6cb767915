/** The turns that proposals take in the event loop, and those of bulk calls. What is done in each is counted, not timed. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { readProposedCalls } from '../../../src/queries/changes/proposed-calls.ts';
import { listProposals, PROPOSALS, readProposals } from '../../../src/queries/proposals.ts';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { openDependencies } from '../../../src/tools/proposals/dependencies.ts';
import { Proposals } from '../../../src/tools/proposals/proposals.ts';
import type { ToolService } from '../../../src/tools/tool.ts';
import { createToolBox } from '../../../src/tools/toolbox.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('turns of proposals');

const assistant = callerAs('OWNER', { autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY']]) });

interface Pending {
  pending_approval: { proposal_id: string; record_id: string };
}

async function propose(register: TestRegister, name: string): Promise<string> {
  const input = { organization_id: ORGANIZATION, name };
  const { pending_approval } = await register.call<Pending>('addVendor', input, assistant);
  return pending_approval.proposal_id;
}

/** Counts the calls of a function in each turn of the loop, while `work` runs. Returns the most of any turn. */
async function mostInTurn(work: (count: () => void) => Promise<unknown>): Promise<number> {
  let inTurn = 0;
  let most = 0;
  let isDone = false;
  const turns = async () => {
    for (; !isDone; await nextTurn()) inTurn = 0;
  };
  const counting = turns();
  await work(() => {
    inTurn += 1;
    most = Math.max(most, inTurn);
  });
  isDone = true;
  await counting;
  return most;
}

test('reads one proposal in each turn, for they are large', async ({ register }) => {
  const ids: string[] = [];
  for (const name of ['Redpoll', 'Siskin', 'Linnet']) ids.push(await propose(register, name));
  const snapshot = register.reader.snapshot();
  const most = await mostInTurn(async (count) => {
    const models = Object.create(snapshot.models, {
      find: {
        value: (query: { collection: string; limit: number }) =>
          read(query.limit, () => snapshot.models.find(query as never)),
      },
      get: {
        value: (name: string, some: readonly string[]) =>
          name === PROPOSALS
            ? read(some.length, () => snapshot.models.get(name, some))
            : snapshot.models.get(name, some),
      },
    });
    const read = <Row>(documents: number, reading: () => Row): Row => {
      for (let read = 0; read < documents; read++) count();
      return reading();
    };
    const counted = Object.create(snapshot, { models: { value: models } });
    assert.is((await listProposals(counted, ORGANIZATION, { only: 'OPEN', limit: 20 })).length, 3);
    assert.is((await readProposals(counted, [ORGANIZATION], ids)).length, 3);
    const open = { snapshot: counted, organizationId: ORGANIZATION };
    assert.is((await readProposedCalls(open, ['a call', 'another'])).size, 0);
  });
  assert.is(most, 1);
});

test('ends dependents one by one, so that only one is in memory', async ({ register }) => {
  const first = await register.call<Pending>(
    'addVendor',
    { organization_id: ORGANIZATION, name: 'Dunnock' },
    assistant,
  );
  const { proposal_id, record_id } = first.pending_approval;
  for (const note of ['one', 'two']) {
    const update = { id: record_id, description: note };
    const { pending_approval } = await register.call<Pending>('updateVendor', update, assistant);
    assert.ok(pending_approval);
  }
  const log: string[] = [];
  const { handler, reader } = register;
  const snapshot = reader.snapshot();
  const find = (query: Parameters<typeof snapshot.models.find>[0]) => {
    log.push('read');
    return snapshot.models.find(query);
  };
  const execute = (...args: Parameters<typeof handler.execute>) => {
    log.push('end');
    return handler.execute(...args);
  };
  const models = Object.create(snapshot.models, { find: { value: find } });
  const logged = Object.create(snapshot, { models: { value: models } });
  const service = {
    ...register,
    handler: Object.create(handler, { execute: { value: execute } }),
    reader: Object.create(reader, { snapshot: { value: () => logged } }),
    waitUntilProjected: async () => true,
  };
  const proposals = new Proposals(ALL_TOOLS, service as unknown as ToolService);
  await proposals.decline(proposal_id, callerAs(), 'Not needed');
  assert.equal(log, ['end', 'read', 'end', 'read', 'end', 'read']);
});

test('looks up the records that a text names in many turns', async ({ register }) => {
  const note = Array.from({ length: 200 }, () => randomId('vnd')).join(' ');
  const most = await mostInTurn(async (count) => {
    const load = (...args: Parameters<typeof register.handler.load>) => {
      count();
      return register.handler.load(...args);
    };
    const service = { ...register, handler: Object.create(register.handler, { load: { value: load } }) };
    await openDependencies(service as unknown as ToolService, [ORGANIZATION], { note }, assistant);
  });
  assert.ok(most > 0 && most <= 20, `${most} in one turn`);
});

test('previews and approves when it is the turn of the account, with the rights of that moment', async ({
  register,
}) => {
  const id = await propose(register, 'Brambling');
  const kept: Caller[] = [];
  const turns = {
    runBulk: <T>(caller: Caller, run: (caller: Caller) => Promise<T>) => {
      kept.push(caller);
      return run(callerAs('OWNER', { roles: new Map() }));
    },
  };
  const proposals = new Proposals(ALL_TOOLS, register as unknown as ToolService, turns);
  const person = callerAs();
  for (const act of [() => proposals.preview(id, person), () => proposals.approve(id, person, { seen: 'seen' })]) {
    const error = await act().catch((thrown) => thrown);
    assert.is(error.code, 'not_found');
  }
  assert.equal(kept, [person, person]);
});

test('a call that may have to be proposed waits for its turn as imports do', async ({ register }) => {
  const loads: string[] = [];
  const runner = {
    run: async ({ load }: { load: string }) => {
      loads.push(load);
      return { json: '{}', outcome: 'ok' as const, status: 200 };
    },
  };
  const tools = createToolBox(ALL_TOOLS, register as unknown as ToolService, () => assert.unreachable(), runner);
  for (const caller of [assistant, callerAs()]) {
    await tools.call('archiveRecords', { ids: [randomId('vnd')], action: 'ARCHIVE', reason: 'A test' }, { caller });
  }
  assert.equal(loads, ['BULK']);
});

test.run();
