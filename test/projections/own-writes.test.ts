import { execFile } from 'node:child_process';
import * as assert from 'uvu/assert';
import { type Answer, ORGANIZATION } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('a register in process');

const KEY = { organization_id: ORGANIZATION, name: 'Unicloud' };

test('answers a repeat of a call only when the first one’s effect can be read', async ({ register }) => {
  for (let round = 0; round < 15; round++) {
    const add = () => register.call('addVendor', { ...KEY, idempotency_key: `round ${round}` });
    const answers = await Promise.all([add(), add(), add()]);
    for (const answer of answers) {
      assert.not('error' in answer, JSON.stringify(answer));
      assert.equal(answer.vendor, answers[0]!.vendor);
      assert.equal([answer.revision, answer.position], [1, answers[0]!.position]);
    }
    assert.is(answers.filter(({ repeated }) => repeated).length, 2);
  }
});

test('answers an update without changes with what another caller has just written', async ({ register }) => {
  const { vendor } = await register.call<{ vendor: { id: string } }>('addVendor', KEY);
  for (let round = 0; round < 15; round++) {
    const update = () => register.call<Answer>('updateVendor', { id: vendor.id, category: `Category ${round}` });
    const answers = await Promise.all([update(), update(), update()]);
    for (const answer of answers) {
      assert.is((answer.vendor as Answer).category, `Category ${round}`);
      assert.is(answer.revision, 2 + round);
    }
    assert.equal(
      answers.flatMap(({ event_types }) => event_types),
      ['VendorDetailsChanged'],
    );
  }
});

test('does not keep its process alive after it stopped', async () => {
  const support = new URL('../support/register.ts', import.meta.url).href;
  const script = `
    import { startRegister } from '${support}';
    const register = await startRegister();
    await register.call('addVendor', { organization_id: register.organizationId, name: 'X' });
    await register.stop();
    console.log('stopped');`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { timeout: 15_000 }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  assert.is(output.trim(), 'stopped');
});

test.run();
