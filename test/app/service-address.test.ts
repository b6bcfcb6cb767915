import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publicUrl } from '../../src/app/service-address.ts';

const test = suite('service address');

const LOCAL = { baseUrl: null, host: '127.0.0.1', port: 0, tls: null, trustedProxies: [] };

test('the public address is the configured one, or the address that the service listens on', () => {
  assert.is(publicUrl(LOCAL, 8_080), 'http://127.0.0.1:8080');
  assert.is(publicUrl({ ...LOCAL, host: '::1', tls: { cert: 'c', key: 'k' } }, 8_443), 'https://[::1]:8443');
  const baseUrl = 'https://grc.example.com';
  assert.is(publicUrl({ ...LOCAL, baseUrl, host: '0.0.0.0', trustedProxies: ['10.0.0.1'] }, 8_080), baseUrl);
});

test('the public address is unknown on all addresses of a machine, and behind a proxy, without BASE_URL', () => {
  for (const host of ['0.0.0.0', '::']) assert.is(publicUrl({ ...LOCAL, host }, 8_080), undefined);
  assert.is(publicUrl({ ...LOCAL, trustedProxies: ['127.0.0.1'] }, 8_080), undefined);
});

test.run();
