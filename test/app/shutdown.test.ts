import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Shutdown } from '../../src/app/shutdown.ts';

interface Context {
  logged: [level: string, step: unknown][];
  /** The lines at level info. */
  told: [message: string, details: object][];
  /** Creates a shutdown that logs into `logged`. */
  open(timeoutMs: number): Shutdown;
}

const test = suite<Context>('shutdown');

test.before.each((context) => {
  context.logged = [];
  const record = (level: string) => (details: object) =>
    void context.logged.push([level, (details as { step?: unknown }).step]);
  context.told = [];
  const info = (details: object, message: string) => void context.told.push([message, details]);
  context.open = (timeoutMs) =>
    new Shutdown({ timeoutMs, log: { info, debug: record('debug'), error: record('error') } });
});

test('the steps run in their fixed order, independent of the order in which they were added', async ({
  open,
  logged,
}) => {
  const shutdown = open(1_000);
  const done: string[] = [];
  for (const step of ['data folder lock', 'stores', 'access log', 'requests', 'schema watch'] as const) {
    shutdown.add(step, async () => void done.push(step));
  }
  const running = shutdown.run();
  assert.is(shutdown.hasBegun, true);
  await running;
  assert.equal(done, ['schema watch', 'requests', 'access log', 'stores', 'data folder lock']);
  assert.equal(
    logged,
    done.map((step) => ['debug', step]),
  );
});

test('a step that does not end is logged, and the next one runs', async ({ open, logged }) => {
  const shutdown = open(20);
  const done: string[] = [];
  shutdown.add('data folder lock', () => void done.push('lock'));
  shutdown.add('stores', () => new Promise<never>(() => undefined));
  shutdown.add('requests', async () => void done.push('requests'));
  await shutdown.run();
  assert.equal(done, ['requests', 'lock']);
  assert.equal(
    logged.filter(([level]) => level === 'error'),
    [['error', 'stores']],
  );
});

test('the log says why the service stops, and how long that took', async ({ open, told }) => {
  const shutdown = open(1_000);
  shutdown.add('requests', () => assert.equal(told, [['the service stops', { reason: 'SIGTERM' }]]));
  await shutdown.run('SIGTERM');
  const [, [message, { ms }]] = told as [unknown, [string, { ms?: number }]];
  assert.is(message, 'the service has stopped');
  assert.ok(Number.isInteger(ms));
});

test('a second shutdown repeats no step', async ({ open, told }) => {
  const shutdown = open(1_000);
  let stops = 0;
  shutdown.add('stores', () => {
    stops += 1;
  });
  await shutdown.run('SIGTERM');
  await shutdown.run('SIGINT');
  assert.equal([stops, told.length], [1, 2]);
});

test('a step that fails rejects the shutdown', async ({ open }) => {
  const shutdown = open(1_000);
  shutdown.add('stores', () => Promise.reject(new Error('broken')));
  const error = await shutdown.run().catch((thrown: Error) => thrown.message);
  assert.is(error, 'broken');
});

test.run();
