import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionStringFault, readConnectionString } from '../../src/config/connection-string.ts';

const test = suite('connection strings of EventStoreDB');

test('reads hosts, user and files', () => {
  const text =
    'esdb://ops:p%40ss%3A%2F@node1.example:2114,node2.example/?tlsCAFile=%2Fetc%2Fca.pem&connectionName=grc&nodePreference=leader';
  assert.equal(readConnectionString(text), {
    hosts: [
      { address: 'node1.example', port: 2114 },
      { address: 'node2.example', port: 2113 },
    ],
    discover: false,
    credentials: { username: 'ops', password: 'p@ss:/' },
    tls: true,
    tlsCAFile: '/etc/ca.pem',
    userCertFile: null,
    userKeyFile: null,
    connectionName: 'grc',
    keepAliveIntervalMs: 10_000,
    keepAliveTimeoutMs: 10_000,
  });
});

test('accepts the parameter names that the client accepts', () => {
  const settings = readConnectionString('esdb+discover://cluster.example?TLS=false&keep_alive-interval=20000');
  assert.is(settings.tls, false);
  assert.is(settings.discover, true);
  assert.is(settings.keepAliveIntervalMs, 20_000);
});

test('raises keepalives that the client would warn about, without a message', () => {
  const settings = readConnectionString('esdb://a?tls=false&keepAliveInterval=1000&keepAliveTimeout=1500');
  assert.is(settings.keepAliveIntervalMs, 10_000);
  assert.is(settings.keepAliveTimeoutMs, 1500);
});

const REFUSED: readonly [string, RegExp][] = [
  ['http://a:2113', /must begin with esdb:\/\//],
  ['esdb://', /must list hosts/],
  ['esdb://a:port', /must list hosts/],
  ['esdb://u:secret@a?tlsVerifyCert=false', /tlsVerifyCert.*tlsCAFile/],
  ['esdb://u:secret@a?tlsVerifyCert=true', /tlsVerifyCert.*tlsCAFile/],
  ['esdb://u:secret@a?throwOnAppendFailure=false', /throwOnAppendFailure=false.*remove it/],
  ['esdb://u:secret@a?nodePreference=follower', /nodePreference.*remove it/],
  ['esdb://u:se:cret@a', /percent-encode/],
  ['esdb://u:se@cret@a', /percent-encode/],
  ['esdb://u:se/cret@a', /percent-encode/],
  ['esdb://u:se?cret@a', /percent-encode/],
  ['esdb://u:se%cret@a', /%25/],
  ['esdb://secret@a', /USER:PASSWORD@/],
  ['esdb://u:secret@a?tls=false', /tls=false/],
  ['esdb://u:secret@a?tls=no', /tls=true or tls=false/],
  ['esdb://u:secret@a?secretive=1', /unknown parameter secretive/],
  ['esdb://u:secret@a?tls', /without a value/],
  ['esdb://u:secret@a?userCertFile=x.pem', /together/],
  ['esdb://u:secret@a?keepAliveInterval=soon', /whole number/],
];

for (const [text, expected] of REFUSED) {
  test(`${text} is refused with the next step and without its values`, () => {
    const fault = connectionStringFault(text);
    assert.match(fault ?? 'nothing', expected);
    assert.not.match(fault!, /secret(?!ive)|se[:@/?%]cret/);
  });
}

test.run();
