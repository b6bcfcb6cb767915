/**
 * Each way in which a call can wait, by each act that takes its rights away meanwhile. After the act, the call changes and
 * shows nothing.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_RIGHTS_AGE_MS, type Role } from '../../src/commands/organization/caller.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { until } from '../support/run/wait.ts';
import {
  ACTS,
  type ActName,
  type Answer,
  type GuardedService,
  type Person,
  startGuardedService,
  startRequest,
} from '../support/security/guarded-service.ts';

interface Context {
  service: GuardedService;
}

/** Adds the records that calls are about, and changes them meanwhile. */
let helper: Person;

const test = suite<Context>('rights at the moment of the act');

test.before(async (context) => {
  context.service = await startGuardedService();
  helper = await context.service.addPerson('EDITOR');
});
test.after(({ service }) => service.stop());

/** A word in everything that a waiting call could show. */
const SECRET = 'Quicksilver';

/** Lets a call that waits go on, and returns its answer. */
type LetGoOn = () => Promise<Answer>;

interface Way {
  role: Role;
  /** By session instead of by token. */
  bySession?: boolean;
  /** Acts that take nothing away that the call needs. */
  without?: readonly ActName[];
  /** Begins a call, and returns when it waits. */
  begin(service: GuardedService, person: Person): Promise<LetGoOn>;
  /** The status of the answer without an act. By default 200. */
  usualStatus?: number;
  /** Events that the call may write before the act. */
  written?(act: ActName): number;
  /** Checks what the answer says, if it is not simply refused. */
  checkAnswer?(answer: Answer): void;
}

const risk = (service: GuardedService, name = 'A risk') => ({ organization_id: service.organizationId, name });

async function slowBody(
  { url }: GuardedService,
  credential: { token: string } | { cookie: string },
  path: string,
  body: string,
  type?: string,
): Promise<LetGoOn> {
  const half = body.slice(0, 5);
  const options = { length: Buffer.byteLength(body), ...(type === undefined ? {} : { type }) };
  const pending = await startRequest(url, path, credential, half, options);
  await olderThanRights();
  return () => pending.finish(body.slice(5));
}

/** Waits until rights that were looked up now would be looked up again. */
async function olderThanRights(): Promise<void> {
  const since = performance.now();
  await until(() => performance.now() - since > MAX_RIGHTS_AGE_MS + 10);
}

/** Adds a risk, and returns its id. */
async function addRisk(service: GuardedService): Promise<string> {
  const { text } = await service.call(helper, 'addRisk', risk(service, `${SECRET} risk`));
  return JSON.parse(text).risk.id;
}

const streamIs = (id: string) => (stream: string) => stream.endsWith(id);

const WAYS: Readonly<Record<string, Way>> = {
  'a slow body, direct form': {
    role: 'EDITOR',
    begin: (service, person) => slowBody(service, person, '/api/mcp/tools/addRisk', JSON.stringify(risk(service))),
  },
  'a slow body, MCP': {
    role: 'EDITOR',
    begin: (service, person) => {
      const params = { name: 'addRisk', arguments: risk(service) };
      return slowBody(
        service,
        person,
        '/api/mcp/v1',
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      );
    },
  },
  'a slow form': {
    role: 'EDITOR',
    bySession: true,
    // A VIEWER may create a token, but only with that role: see below.
    begin: async (service, person) => {
      const page = await (
        await startRequest(service.url, '/settings/tokens', { cookie: person.cookie }, null)
      ).finish();
      const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)![1]!;
      const once = /name="once" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const fields = {
        form_token,
        once,
        name: 'thief',
        role: 'EDITOR',
        days: '90',
        organizations: service.organizationId,
      };
      const type = 'application/x-www-form-urlencoded';
      return slowBody(service, { cookie: person.cookie }, '/settings/tokens', `${new URLSearchParams(fields)}`, type);
    },
  },
  'the queue of a penalty': {
    role: 'EDITOR',
    begin: async (service, person) => {
      const path = '/api/mcp/tools/addRisk';
      const invalid = `{"a":"${'x'.repeat(1_000_000)}"`;
      const calls = Array.from({ length: 8 }, () => startRequest(service.url, path, person, invalid));
      await Promise.all(calls);
      // The first answer says that the penalty runs; the others wait for it one after another.
      await (await calls[0]!).finish();
      const waiting = await startRequest(service.url, path, person, JSON.stringify(risk(service)));
      await olderThanRights();
      return () => waiting.finish();
    },
  },
  "a record's queue": {
    role: 'EDITOR',
    begin: async (service, person) => {
      const id = await addRisk(service);
      service.appends.close(streamIs(id));
      const first = service.call(helper, 'updateRisk', { id, name: 'By another' });
      await service.appends.waitFor(1);
      const second = service.call(person, 'updateRisk', { id, name: 'Mine' });
      await olderThanRights();
      return async () => {
        service.appends.open();
        await first;
        return second;
      };
    },
  },
  'the queue of imports': {
    role: 'EDITOR',
    begin: async (service, person) => {
      const { organizationId: organization_id } = service;
      const importRisk = (name: string) =>
        service.call(person, 'importRecords', { organization_id, type: 'RISK', rows: [{ name }] });
      service.appends.close((stream) => stream.includes('rsk_'));
      const first = importRisk(`First of ${person.accountId}`);
      await service.appends.waitFor(1);
      const second = importRisk(`Second of ${person.accountId}`);
      await olderThanRights();
      return async () => {
        service.appends.open();
        await first;
        return second;
      };
    },
  },
  'a form that is shown again after the queue of imports': {
    role: 'EDITOR',
    bySession: true,
    usualStatus: 409,
    // The import that is under way has a token, which doesn't end with the session.
    written: (act) => (act === 'the session ends' ? 1 : 0),
    begin: async (service, person) => {
      const { organizationId: organization_id, url } = service;
      const id = await addRisk(service);
      const { text } = await service.call(helper, 'updateRisk', { id, name: `${SECRET} renamed` });
      const path = `/organizations/${organization_id}/undo/${JSON.parse(text).call_id}`;
      const page = await (await startRequest(url, path, { cookie: person.cookie }, null)).finish();
      assert.match(page.text, SECRET);
      const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)![1]!;
      service.appends.close((stream) => stream.includes('rsk_'));
      const rows = [{ name: `First of ${person.accountId}` }];
      const first = service.call(person, 'importRecords', { organization_id, type: 'RISK', rows });
      await service.appends.waitFor(1);
      const body = `${new URLSearchParams({ form_token, selection: 'outdated' })}`;
      const type = 'application/x-www-form-urlencoded';
      const form = await startRequest(url, path, { cookie: person.cookie }, body, { type });
      await olderThanRights();
      return async () => {
        service.appends.open();
        await first;
        return form.finish();
      };
    },
  },
  'a transaction': {
    role: 'EDITOR',
    without: ['the session ends'],
    begin: async (service, person) => {
      const id = await addRisk(service);
      service.appends.close(streamIs(id));
      const call = service.call(person, 'updateRisk', { id, name: 'Mine' });
      await service.appends.waitFor(1);
      return () => {
        service.appends.open();
        return call;
      };
    },
  },
  'a repeated append': {
    role: 'EDITOR',
    begin: async (service, person) => {
      const id = await addRisk(service);
      service.appends.failNext(streamIs(id), () => new StoreUnavailable('no answer', true));
      const call = service.call(person, 'updateRisk', { id, name: 'Mine' });
      await service.appends.waitFor(1);
      return () => {
        service.appends.open();
        return call;
      };
    },
    checkAnswer: ({ status }) => assert.is(status, 503, 'the first append may have been written'),
  },
  'the rest of a call on many records': {
    role: 'ADMIN',
    written: () => 1,
    begin: async (service, person) => {
      const ids = [await addRisk(service), await addRisk(service), await addRisk(service)];
      service.appends.close((stream) => streamIs(ids[1]!)(stream) || streamIs(ids[2]!)(stream));
      const call = service.call(person, 'archiveRecords', { ids, action: 'ARCHIVE', reason: 'A test' });
      await service.appends.waitFor(2);
      await until(async () => (await service.eventsBy(person.accountId)).length === 1);
      return () => {
        service.appends.open();
        return call;
      };
    },
    checkAnswer: ({ status, text }) => {
      const { records } = JSON.parse(text);
      assert.is(status, 200, text);
      assert.type(records[0].archived_at, 'string');
      for (const { archived_at, errors } of records.slice(1)) {
        assert.equal([archived_at, errors[0].code], [null, 'forbidden']);
      }
    },
  },
  'an approval of a proposal': {
    role: 'ADMIN',
    bySession: true,
    // A VIEWER sees the proposal.
    without: ['the member becomes VIEWER'],
    usualStatus: 303,
    // The approval waits in its transaction, which knows no sessions. The records come after it.
    written: (act) => (act === 'the session ends' ? 1 : 0),
    begin: async (service, person) => {
      const { approve } = await showProposal(service, person);
      service.appends.close((stream) => stream.startsWith('proposal-'));
      const form = await approve();
      await service.appends.waitFor(1);
      await olderThanRights();
      return () => {
        service.appends.open();
        return form.finish();
      };
    },
    checkAnswer: ({ status, text }) => assert.ok([303, 404].includes(status), `${status} ${text.slice(0, 400)}`),
  },
  'the rest of an approved proposal': {
    role: 'ADMIN',
    bySession: true,
    without: ['the session ends'],
    usualStatus: 303,
    // The approval, and the first record.
    written: () => 2,
    begin: async (service, person) => {
      const { ids, approve } = await showProposal(service, person);
      service.appends.close((stream) => streamIs(ids[1]!)(stream) || streamIs(ids[2]!)(stream));
      const form = await approve();
      await service.appends.waitFor(2);
      await until(async () => (await service.eventsBy(person.accountId)).length === 2);
      await olderThanRights();
      return () => {
        service.appends.open();
        return form.finish();
      };
    },
    checkAnswer: ({ status, text }) => assert.ok([303, 404].includes(status), `${status} ${text.slice(0, 400)}`),
  },
  'a download by token': { role: 'AUDITOR', begin: (service, { token }) => download(service, { token }) },
  'a download by session': {
    role: 'AUDITOR',
    bySession: true,
    begin: (service, { cookie }) => download(service, { cookie }),
  },
};

/** Lets a credential propose to archive three risks, and shows that to the person. */
async function showProposal(service: GuardedService, person: Person) {
  const { url, organizationId, identity, ownerId: account_id } = service;
  const ids = [await addRisk(service), await addRisk(service), await addRisk(service)];
  const { token } = await identity.tokens.create({
    ...{ name: 'may only propose', account_id, role: 'ADMIN', organizations: [organizationId] },
    autonomy: 'PROPOSE_ONLY',
  });
  const archive = { ids, action: 'ARCHIVE', reason: 'A test' };
  const { text } = await service.call({ ...helper, token }, 'archiveRecords', archive);
  const path = `/organizations/${organizationId}/proposals/${JSON.parse(text).pending_approval.proposal_id}`;
  const page = await (await startRequest(url, path, { cookie: person.cookie }, null)).finish();
  const inputOf = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)![1]!;
  const body = `${new URLSearchParams({ form_token: inputOf('form_token'), seen: inputOf('seen') })}`;
  const type = 'application/x-www-form-urlencoded';
  return { ids, approve: () => startRequest(url, `${path}/approve`, { cookie: person.cookie }, body, { type }) };
}

async function download(service: GuardedService, credential: { token: string } | { cookie: string }): Promise<LetGoOn> {
  await addRisk(service);
  service.files.close();
  const path = `/api/v1/organizations/${service.organizationId}/reports/risk-register?format=json`;
  const pending = await startRequest(service.url, path, credential, null);
  await service.files.waitFor(1);
  await olderThanRights();
  return () => {
    service.files.open();
    return pending.finish();
  };
}

const isRefused = ({ status, text }: Answer) => status !== 200 || /"isError":true|"error":\{/.test(text);

for (const [wayName, way] of Object.entries(WAYS)) {
  for (const [actName, act] of Object.entries(ACTS) as [ActName, (typeof ACTS)[ActName]][]) {
    if (way.without?.includes(actName)) continue;
    if ((actName === 'the session ends') !== (way.bySession ?? false) && /session|token/.test(actName)) continue;
    test(`${wayName}: ${actName}`, async ({ service }) => {
      const person = await service.addPerson(way.role);
      const letGoOn = await way.begin(service, person);
      await act(service, person);
      const answer = await letGoOn();
      if (way.checkAnswer === undefined) assert.ok(isRefused(answer), `${answer.status} ${answer.text.slice(0, 400)}`);
      else way.checkAnswer(answer);
      assert.not.match(answer.text, SECRET);
      const writes = (await service.eventsBy(person.accountId)).filter(({ type }) => type !== 'TokenRevoked');
      assert.is(writes.length, way.written?.(actName) ?? 0, writes.map(({ type }) => type).join());
    });
  }
}

test('without an act, each call that waited does what it was asked for', async ({ service }) => {
  for (const [wayName, way] of Object.entries(WAYS)) {
    const person = await service.addPerson(way.role);
    const letGoOn = await way.begin(service, person);
    const answer = await letGoOn();
    assert.is(answer.status, way.usualStatus ?? 200, `${wayName}: ${answer.text.slice(0, 400)}`);
    if (way.usualStatus === undefined) assert.not.ok(isRefused(answer), wayName);
  }
});

test.run();
