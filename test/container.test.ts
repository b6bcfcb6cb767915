/** The files that containers are made by, as far as that can be tried without an engine for them. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig, SETTING_NAMES } from '../src/config.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const compose = read('docker-compose.yml');
const image = read('Dockerfile');

/** Each service of the compose file with its lines, and what all of them share. */
function servicesOf(text: string): Map<string, string> {
  const [shared, services] = /^x-service: &service\n(.*?)^services:\n(.*?)^networks:/ms.exec(text)!.slice(1);
  const blocks = [...services!.matchAll(/^ {2}(\w+):\n(.*?)(?=^ {2}\S|$(?![\s\S]))/gms)];
  return new Map(blocks.map(([, name, own]) => [name!, own!.replace('<<: *service', shared!)]));
}

const container = suite('containers');

container('every service is without privileges, and bounded in memory, processes and logs', () => {
  const services = servicesOf(compose);
  assert.equal([...services.keys()], ['veritrail', 'eventstore', 'mongodb']);
  for (const [name, lines] of services) {
    for (const part of ['no-new-privileges:true', 'cap_drop: [ALL]', 'mem_limit: ', 'pids_limit: ', 'max-size: 10m']) {
      assert.ok(lines.includes(part), `${name}: ${part}`);
    }
  }
  assert.match(services.get('veritrail')!, /read_only: true\n {4}tmpfs:\n {6}- \/tmp/);
});

container('settings come from .env, and what is fixed can be served by', () => {
  const lines = servicesOf(compose).get('veritrail')!;
  assert.match(lines, /env_file:\n {6}- path: \.env\n {8}required: false\n/);
  const fixed = [...lines.matchAll(/^ {6}([A-Z_]+): "?(.*?)"?$/gm)].map(([, name, value]) => [name!, value!] as const);
  const unset = (value: string) => value.replace(/\$\{\w+:-([^{}$]*)\}/, '$1');
  const env = Object.fromEntries(fixed.map(([name, value]) => [name, unset(unset(value))]));
  assert.equal(
    Object.keys(env).filter((name) => !SETTING_NAMES.includes(name)),
    [],
  );
  const { host, port, baseUrl, dataDir } = readConfig(env, '/nowhere');
  assert.equal([host, port, baseUrl, dataDir], ['0.0.0.0', 8080, 'http://localhost:8080', '/data']);
  assert.match(lines, `BASE_URL: \${BASE_URL:-`);
});

container('.env.example names every setting and no other', () => {
  const named = [...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!);
  assert.equal(named.sort(), [...SETTING_NAMES].sort());
});

container('both stages of the image are of one Node.js', () => {
  const tags = [...image.matchAll(/^FROM (\S+)/gm)].map(([, tag]) => tag);
  assert.is(tags.length, 2);
  assert.is(new Set(tags).size, 1);
  assert.match(tags[0]!, /^node:\d+\.\d+\.\d+-slim$/);
});

container('the image is well while the process serves, whether or not it is ready', async () => {
  const [command, ...args] = JSON.parse(/HEALTHCHECK[^\n]*\\\n\s*CMD (\[.*\])$/m.exec(image)![1]!) as string[];
  assert.is(command, 'node');
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/livez' ? 200 : 503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { ...process.env, PORT: String((server.address() as AddressInfo).port) };
  const [code] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit');
  assert.is(code, 0);
  server.close();
  await once(server, 'close');
  assert.is(spawnSync(process.execPath, args, { env }).status, 1);
});

container.run();
