import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeAll } from './identity.ts';
import { type OAuthService, startOAuth } from './oauth-service.ts';

/** Creates a suite that stops its services after each test, and asserts that they reported no fault. */
export function oauthSuite(name: string) {
  const services: OAuthService[] = [];
  const test = suite(`OAuth: ${name}`);
  test.after.each(async () => {
    const faults = services.flatMap((service) => service.faults);
    for (const service of services.splice(0)) await service.stop();
    await closeAll();
    assert.equal(faults, []);
  });
  const start = async (...options: Parameters<typeof startOAuth>): Promise<OAuthService> => {
    const service = await startOAuth(...options);
    services.push(service);
    return service;
  };
  return { test, start };
}
