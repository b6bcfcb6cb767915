/** The authors of fields, against a naive replay of the record's own events. */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { upcast } from '../../../src/commands/engine/stream-state.ts';
import { familyOf, recordAggregate } from '../../../src/commands/families.ts';
import type { FieldAuthor } from '../../../src/queries/records/field-authors.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { type Answer, callerAs, ORGANIZATION, OWNER, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

const test = registerSuite('field authors');

const person = callerAs('OWNER', { client: { name: 'veritrail web', version: '1' } });
const unknown = callerAs('OWNER');
const direct = callerAs('OWNER', { token_id: 'tok_1', client: { name: 'script', version: '1' } });
const proposing = callerAs('OWNER', {
  token_id: 'tok_2',
  client: { name: 'claude', version: '1' },
  autonomy: new Map([[ORGANIZATION, 'PROPOSE_ONLY' as const]]),
});
const CALLERS = { person, unknown, direct, proposing };
type Through = keyof typeof CALLERS;

/** A call as the test knows it: how it wrote, and the proposal that it carried out. */
interface Written {
  how: FieldAuthor['how'];
  client: string | null;
  proposal?: string;
}

/** Makes a call; one that is proposed is approved at once. Notes how its events came to be. */
async function act(register: TestRegister, calls: Map<string, Written>, through: Through, tool: string, input: object) {
  const caller = CALLERS[through];
  const key = { idempotency_key: crypto.randomUUID() };
  const answer = await register.call<Answer & { pending_approval?: { proposal_id: string; record_id?: string } }>(
    tool,
    { reason: 'why', ...key, ...input },
    caller,
  );
  const client = caller.client && `${caller.client.name} ${caller.client.version}`;
  if (answer.pending_approval === undefined) {
    const how = through === 'unknown' ? 'UNKNOWN' : 'DIRECT';
    if (answer.call_id) calls.set(String(answer.call_id), { how, client });
    return answer;
  }
  const { proposal_id, record_id } = answer.pending_approval;
  const { seen } = await register.proposals.preview(proposal_id, person);
  const { call_id } = await register.proposals.approve(proposal_id, person, { seen });
  calls.set(call_id!, { how: 'PROPOSED', client: 'claude', proposal: proposal_id });
  return { ...answer, record_id, call_id };
}

/** Replays a record's events up to a position, and returns the event of each field's last change. */
async function replay(register: TestRegister, id: string, isUntil: (event: TrailEvent) => boolean) {
  const { evolve, historyFields } = familyOf(id);
  const events = (await register.stores.events.readStream(recordAggregate(id).stream)) as TrailEvent[];
  const authors = new Map<string, TrailEvent>();
  let state: object | null = null;
  for (const event of events.filter(isUntil)) {
    const after: object = evolve(state as never, { ...event, data: upcast(event) } as never);
    for (const field of historyFields) {
      const [from, to] = [state, after].map((each) => JSON.stringify((each as never)?.[field] ?? null));
      if (from !== to) authors.set(field, event);
    }
    state = after;
  }
  return authors;
}

const STEPS = fc.array(
  fc.record({
    through: fc.constantFrom(...(Object.keys(CALLERS) as Through[])),
    act: fc.constantFrom('name', 'owner', 'rate', 'clear', 'accept', 'undo'),
    value: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

test('every field’s author at every moment is that of a naive replay', async ({ register }) => {
  await fc.assert(
    fc.asyncProperty(STEPS, fc.constantFrom<Through>('person', 'direct', 'proposing'), async (steps, first) => {
      const calls = new Map<string, Written>();
      const name = `Risk ${crypto.randomUUID()}`;
      const fields = { name, inherent_likelihood: 2, inherent_impact: 2 };
      const added = await act(register, calls, first, 'addRisk', { organization_id: ORGANIZATION, ...fields });
      const id = String((added as { record_id?: string }).record_id ?? (added.risk as { id: string }).id);
      let last = String(added.call_id);
      for (const step of steps) {
        const inputs: Record<string, [string, object]> = {
          name: ['updateRisk', { id, name: `${name} ${step.value}` }],
          owner: ['updateRisk', { id, owner_id: OWNER }],
          rate: ['updateRisk', { id, inherent_likelihood: step.value }],
          clear: ['updateRisk', { id, owner_id: null }],
          accept: ['decideRisk', { id, decision: 'ACCEPT', until: untilIn(step.value), approver_id: 'ME' }],
          undo: ['importRecords', { organization_id: ORGANIZATION, undo: { call_id: last } }],
        };
        const [tool, input] = inputs[step.act]!;
        if (step.act === 'undo' && last === String(added.call_id)) continue;
        const answer = await act(register, calls, step.through, tool, input);
        if (answer.call_id) last = String(answer.call_id);
      }
      await compare(register, calls, id);
    }),
    { numRuns: 12 },
  );
});

const untilIn = (months: number) => new Date(Date.now() + months * 30 * 86_400_000).toISOString().slice(0, 10);

async function compare(register: TestRegister, calls: ReadonlyMap<string, Written>, id: string): Promise<void> {
  const filter = { record_id: [id] };
  const { changes } = await register.call<{ changes: { position: string; event_id: string }[] }>('listChanges', {
    filter,
    verify: true,
    size: 50,
  });
  const positionOf = new Map(changes.map(({ event_id, position }) => [event_id, Number(position)]));
  for (const { position } of changes) {
    const { authors } = await authorsOf(register, id, { as_of: position });
    const isUntil = (event: TrailEvent) => positionOf.get(event.id)! <= Number(position);
    const expected = [...(await replay(register, id, isUntil))].map(([field, { id: event, metadata }]) => {
      const { how, client, proposal } = calls.get(metadata.correlation_id)!;
      return [field, [String(positionOf.get(event)), how, client, proposal]];
    });
    const told = Object.entries(authors).map(([field, { position, how, client, proposal_id }]) => [
      field,
      [position, how, client, proposal_id],
    ]);
    assert.equal(told.sort(), expected.sort());
  }
}

async function authorsOf(register: TestRegister, id: string, moment: object = {}) {
  const { records } = await register.call<{ records: { authors: Record<string, FieldAuthor> }[] }>('getRecords', {
    ids: [id],
    organization_id: ORGANIZATION,
    include: ['AUTHORS', 'ARCHIVED'],
    ...moment,
  });
  return records[0]!;
}

test('a row’s record is imported until somebody changes it, and a proposal’s author is who proposed', async ({
  register,
}) => {
  const rows = [{ name: 'Redpoll', country: 'EE' }];
  const { rows: done } = await register.call<{ rows: { id: string }[] }>(
    'importRecords',
    { organization_id: ORGANIZATION, type: 'VENDOR', rows },
    direct,
  );
  const id = done[0]!.id;
  const before = (await authorsOf(register, id)).authors;
  assert.equal([before.name!.how, before.country!.how], ['IMPORTED', 'IMPORTED']);
  await act(register, new Map(), 'proposing', 'updateVendor', { id, country: 'FI' });
  const { authors } = await authorsOf(register, id);
  assert.is(authors.name!.how, 'IMPORTED');
  const { how, client, actor, approved_by } = authors.country!;
  assert.equal([how, client, actor.name, approved_by!.id], ['PROPOSED', 'claude', 'Olivia Owner', OWNER]);
  assert.not.ok('reference_id' in authors, 'a field that never had a value has no author');
});

test('finds an author before the newest hundred changes', async ({ register }) => {
  const calls = new Map<string, Written>();
  const added = await act(register, calls, 'direct', 'addVendor', { organization_id: ORGANIZATION, name: 'Old' });
  const { id } = added.vendor as { id: string };
  await act(register, calls, 'direct', 'updateVendor', { id, country: 'EE' });
  await act(register, calls, 'person', 'updateVendor', { id, country: null });
  for (let n = 0; n < 100; n += 1) await act(register, calls, 'unknown', 'updateVendor', { id, description: `${n}` });
  const { authors } = await authorsOf(register, id);
  assert.equal(
    [authors.name!.client, authors.country!.client, authors.description!.how],
    ['script 1', 'veritrail web 1', 'UNKNOWN'],
  );
});

test('a value that the approver changed is the approver’s, and the others are the proposer’s', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, name: 'Fieldfare', country: 'FI', reason: 'why' };
  const { pending_approval } = await register.call<{ pending_approval: { proposal_id: string; record_id: string } }>(
    'addVendor',
    input,
    proposing,
  );
  const { proposal_id, record_id } = pending_approval;
  const { seen } = await register.proposals.preview(proposal_id, person);
  await register.proposals.approve(proposal_id, person, { seen, changes: { country: 'SE' } });
  const { authors } = await authorsOf(register, record_id);
  const clients = [authors.name, authors.country].map((author) => [author!.how, author!.client]);
  assert.equal(clients, [
    ['PROPOSED', 'claude'],
    ['PROPOSED', 'veritrail web 1'],
  ]);
});

test('a control’s first fields are its framework’s adoption', async ({ register }) => {
  const adoption = { organization_id: ORGANIZATION, library_id: 'GDPR' };
  const { framework, call_id } = await register.call<{ framework: { id: string }; call_id: string }>(
    'addFramework',
    adoption,
    person,
  );
  const list = { organization_id: ORGANIZATION, filter: { framework_id: framework.id }, size: 1 };
  const { controls } = await register.call<{ controls: { id: string }[] }>('listControls', list);
  const { id } = controls[0]!;
  await register.call('updateControl', { id, owner_id: OWNER, reason: 'why' }, direct);
  const { authors } = await authorsOf(register, id);
  const { changes } = await register.call<{ changes: { position: string }[] }>('listChanges', { filter: { call_id } });
  const { owner_id, ...first } = authors;
  assert.equal([...new Set(Object.values(first).map(({ position }) => position))], [changes[0]!.position]);
  assert.equal([owner_id!.how, owner_id!.client], ['DIRECT', 'script 1']);
});

test.run();
