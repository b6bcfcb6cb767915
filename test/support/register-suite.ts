import { suite, type uvu } from 'uvu';
import { startRegister, type TestRegister } from './register.ts';

/** Returns a suite whose tests share a started register, or get a new one each. */
export function registerSuite(name: string, scope: 'ALL' | 'EACH' = 'ALL'): uvu.Test<{ register: TestRegister }> {
  const test = suite<{ register: TestRegister }>(name);
  const [before, after] = scope === 'ALL' ? [test.before, test.after] : [test.before.each, test.after.each];
  before(async (context) => {
    context.register = await startRegister();
  });
  after(({ register }) => register.stop());
  return test;
}
