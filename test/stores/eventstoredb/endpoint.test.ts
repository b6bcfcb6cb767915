import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toEndpoint } from '../../../src/stores/eventstoredb/endpoint.ts';

const test = suite('addresses that nodes name');

test('accepts host names and addresses, with IPv6 in brackets', () => {
  assert.equal(toEndpoint('node-1.example', 2113), { address: 'node-1.example', port: 2113 });
  assert.equal(toEndpoint('10.0.0.1', 2113), { address: '10.0.0.1', port: 2113 });
  assert.equal(toEndpoint('fd00::1', 2113), { address: '[fd00::1]', port: 2113 });
});

for (const [address, port] of [
  ['', 2113],
  ['unix:/run/socket', 2113],
  ['dns:///evil', 2113],
  ['user@host', 2113],
  ['host/path', 2113],
  ['host', 0],
  ['host', 65_536],
  ['host', Number.NaN],
] as const) {
  test(`${address}:${port} is none`, () => {
    assert.is(toEndpoint(address, port), null);
  });
}

test.run();
