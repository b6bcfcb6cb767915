/** A client that disconnects cancels its bulk write. The write stops at the next record, and the same call finishes it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MODERN } from '../../support/mcp/mcp-client.ts';
import { startToyService, TOKEN, type ToyService } from '../../support/mcp/toy-tools.ts';
import { callerAs, startRegister, type TestRegister } from '../../support/register.ts';
import { until } from '../../support/run/wait.ts';

interface Context {
  register: TestRegister;
  service: ToyService;
}

const test = suite<Context>('cancelled writes');

test.before(async (context) => {
  const register = await startRegister();
  const service = await startToyService({ tools: register.tools, authenticate: async () => callerAs() });
  Object.assign(context, { register, service });
});
test.after(async ({ register, service }) => {
  await service.stop();
  await register.stop();
});

const KEY = 'io.modelcontextprotocol/';
const ROWS = 200;
const rowsOf = (name: string) => Array.from({ length: ROWS }, (_, index) => ({ name: `${name} ${index}` }));

/** Lets some appends through, and holds the others until `open`. */
function holdAppends({ stores: { events } }: TestRegister, through: number): { open: () => void } {
  const append = events.append.bind(events);
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let count = 0;
  events.append = async (...args) => {
    if (++count > through) await opened;
    return append(...args);
  };
  return {
    open: () => {
      events.append = append;
      open();
    },
  };
}

/** Waits until the log stops growing, and returns its head. */
async function settledHead({ stores: { events } }: TestRegister): Promise<string> {
  let before = '';
  await until(async () => {
    const now = String((await events.head(null)).newest);
    if (now === before) return true;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return false;
  });
  return before;
}

test('an import stops when its stream is closed, and the same call finishes it', async ({ register, service }) => {
  const { organizationId: organization_id } = register;
  const input = { organization_id, type: 'VENDOR', rows: rowsOf('Closed'), idempotency_key: 'closed' };
  const _meta = {
    [`${KEY}protocolVersion`]: MODERN,
    [`${KEY}clientInfo`]: { name: 'peer', version: '1' },
    [`${KEY}clientCapabilities`]: {},
    progressToken: 1,
  };
  const params = { name: 'importRecords', arguments: input, _meta };
  const leaving = new AbortController();
  const closed = new Promise((resolve) => service.server.once('connection', (socket) => socket.once('close', resolve)));
  const gate = holdAppends(register, 10);
  const response = await fetch(`${service.url}/api/mcp/v1`, {
    method: 'POST',
    signal: leaving.signal,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'importRecords',
    },
  });
  assert.is(response.headers.get('content-type'), 'text/event-stream');
  leaving.abort();
  await closed;
  gate.open();
  await settledHead(register);
  const count = { organization_id, view: 'COUNT', filter: { query: 'Closed' } };
  const { total } = (await register.call('listVendors', count)) as { total: number };
  assert.ok(total < ROWS, `${total} of ${ROWS} were written`);
  const repeated = (await register.call('importRecords', input)) as { created: number; unchanged: number };
  assert.equal([repeated.created + repeated.unchanged, repeated.unchanged], [ROWS, total]);
});

test('imports, links and archiving stop at the next record if the client disconnects', async ({ register }) => {
  const { organizationId: organization_id } = register;
  const { rows } = (await register.call('importRecords', {
    organization_id,
    type: 'VENDOR',
    rows: rowsOf('Left'),
  })) as {
    rows: { id: string }[];
  };
  const vendors = rows.map(({ id }) => id).slice(0, 99);
  const { risk } = (await register.call('addRisk', { organization_id, name: 'Linked' })) as { risk: { id: string } };
  const archive = { action: 'ARCHIVE', reason: 'r', ids: vendors };
  const { selection } = await register.call('archiveRecords', { ...archive, dry_run: true });
  const calls: [string, object][] = [
    ['importRecords', { organization_id, type: 'VENDOR', rows: rowsOf('Other') }],
    ['linkRecords', { action: 'LINK', links: vendors.map((to_id) => ({ from_id: risk.id, to_id })) }],
    ['archiveRecords', { ...archive, selection }],
  ];
  for (const [tool, input] of calls) {
    const before = await settledHead(register);
    const context = { caller: callerAs(), signal: AbortSignal.abort() };
    const { json, status } = await register.tools.call(tool, input, context);
    assert.is(status, 503, `${tool}: ${json}`);
    assert.match(json, /was cancelled/);
    assert.is(await settledHead(register), before, `${tool} wrote nothing`);
    const { error } = (await register.call(tool, input)) as { error?: object };
    assert.is(error, undefined, tool);
  }
});

test('a single write completes even if its client disconnects', async ({ register }) => {
  const context = { caller: callerAs(), signal: AbortSignal.abort() };
  const input = { organization_id: register.organizationId, name: 'Alone' };
  assert.is((await register.tools.call('addVendor', input, context)).status, 200);
});

test.run();
