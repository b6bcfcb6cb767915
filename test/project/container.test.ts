/** Checks the files for containers, as far as possible without a container engine. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig, SETTING_NAMES } from '../../src/config.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const compose = read('docker-compose.yml');
const image = read('Dockerfile');

/** Returns each service of the compose file with its lines, including the shared ones. */
function servicesOf(text: string): Map<string, string> {
  const [shared, services] = /^x-service: &service\n(.*?)^services:\n(.*?)^networks:/ms.exec(text)!.slice(1);
  const blocks = [...services!.matchAll(/^ {2}(\w+):\n(.*?)(?=^ {2}\S|$(?![\s\S]))/gms)];
  return new Map(blocks.map(([, name, own]) => [name!, own!.replace('<<: *service', shared!)]));
}

const container = suite('containers');

container('every service has no privileges, and limits for memory, processes and logs', () => {
  const services = servicesOf(compose);
  assert.equal([...services.keys()], ['veritrail', 'eventstore', 'mongodb']);
  for (const [name, lines] of services) {
    for (const part of ['no-new-privileges:true', 'cap_drop: [ALL]', 'mem_limit: ', 'pids_limit: ', 'max-size: 10m']) {
      assert.ok(lines.includes(part), `${name}: ${part}`);
    }
  }
  assert.match(services.get('veritrail')!, /read_only: true\n {4}tmpfs:\n {6}- \/tmp/);
});

container('settings come from .env, and the fixed ones are valid', () => {
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
  const settings = [...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!);
  assert.equal(settings.sort(), [...SETTING_NAMES].sort());
});

container('both stages of the image use the same Node.js', () => {
  const tags = [...image.matchAll(/^FROM (\S+)/gm)].map(([, tag]) => tag);
  assert.is(tags.length, 2);
  assert.is(new Set(tags).size, 1);
  assert.match(tags[0]!, /^node:\d+\.\d+\.\d+-slim$/);
});

container('the image copies only files that exist and that .dockerignore does not exclude', () => {
  const inputs = [...image.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '));
  const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
  assert.equal([...new Set(inputs)].sort(), allowed.sort());
  for (const path of inputs) assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
});

container('the image runs compiled code, without packages for development', () => {
  const [build, service] = image.split(/^FROM .*$/m).slice(1);
  const steps = [...build!.matchAll(/^(?:RUN|COPY) (.+)$/gm)].map(([, step]) => step!);
  assert.ok(steps.indexOf('npm ci --ignore-scripts') < steps.indexOf('src src'));
  assert.is(steps.at(-1), 'node scripts/build.mjs && npm prune --omit=dev --ignore-scripts');
  assert.match(service!, 'COPY --from=build /app/node_modules node_modules\nCOPY --from=build /app/dist dist\n');
  assert.not.match(service!, /\bsrc\b|tsx/);
  assert.match(service!, 'CMD ["node", "bin/service.js"]');
});

container('the image is healthy while the process serves, ready or not', async () => {
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
