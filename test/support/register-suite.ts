import { suite, type uvu } from 'uvu';
import { startRegister, type TestRegister } from './register.ts';

interface RegisterContext {
  register: TestRegister;
}

/**
 * Returns a suite whose tests share a started register, or get a new one each.
 * @param prepare returns the other members of the context
 */
export function registerSuite<Context extends RegisterContext = RegisterContext>(
  name: string,
  scope: 'ALL' | 'EACH' = 'ALL',
  prepare?: (register: TestRegister) => Promise<Omit<Context, 'register'>>,
): uvu.Test<Context> {
  const test = suite<Context>(name);
  const [before, after] = scope === 'ALL' ? [test.before, test.after] : [test.before.each, test.after.each];
  before(async (context) => {
    const register = await startRegister();
    Object.assign(context, { register }, await prepare?.(register));
  });
  after(({ register }) => register.stop());
  return test;
}
