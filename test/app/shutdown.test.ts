import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Shutdown } from '../../src/app/shutdown.ts';

interface Context {
  logged: [level: string, step: unknown][];
  /** Creates a shutdown that logs into `logged`. */
  open(timeoutMs: number): Shutdown;
}

const test = suite<Context>('shutdown');

test.before.each((context) => {
  context.logged = [];
  const record = (level: string) => (details: object) =>
    void context.logged.push([level, (details as { step?: unknown }).step]);
  context.open = (timeoutMs) => new Shutdown({ timeoutMs, log: { debug: record('debug'), error: record('error') } });
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

test('a second shutdown repeats no step', async ({ open }) => {
  const shutdown = open(1_000);
  let stops = 0;
  shutdown.add('stores', () => {
    stops += 1;
  });
  await shutdown.run();
  await shutdown.run();
  assert.is(stops, 1);
});

test('a step that fails rejects the shutdown', async ({ open }) => {
  const shutdown = open(1_000);
  shutdown.add('stores', () => Promise.reject(new Error('broken')));
  const error = await shutdown.run().catch((thrown: Error) => thrown.message);
  assert.is(error, 'broken');
});

test.run();
