/** Checks the files for containers, as far as possible without a container engine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { startApp } from '../../src/app.ts';
import { readConfig, SETTING_NAMES } from '../../src/config.ts';
import { folderOfTest } from '../support/run/installed.ts';

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

container('.nvmrc names the Node.js of the image', () => {
  assert.match(image, new RegExp(`^FROM node:${read('.nvmrc').trim()}\\.`, 'm'));
});

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

container(
  'only the service has a published port, on loopback, and the databases have a network without other machines',
  () => {
    const ports = [...servicesOf(compose)].map(([name, lines]) => [
      name,
      /^ {4}ports:\n((?: {6}.*\n)+)/m.exec(lines)?.[1],
    ]);
    assert.equal(ports.slice(1), [
      ['eventstore', undefined],
      ['mongodb', undefined],
    ]);
    assert.match(ports[0]![1]!, /^ {6}- "127\.0\.0\.1:[^"\n]+:8080"\n$/);
    for (const name of ['eventstore', 'mongodb']) assert.match(servicesOf(compose).get(name)!, 'networks: [stores]');
    assert.match(compose, /^ {2}stores:\n {4}internal: true$/m);
  },
);

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

container('an image is built with the commit that its version names', () => {
  const build = image.slice(0, image.indexOf('\nFROM', 1 + image.indexOf('FROM')));
  assert.match(build, /^ARG COMMIT\nRUN node scripts\/build\.mjs/m);
  assert.match(read('scripts/build.mjs'), 'process.env.COMMIT');
  assert.match(compose, /^ {6}args:\n {8}COMMIT: \$\{COMMIT:-\}$/m);
  assert.match(read('.github/workflows/release.yml'), /^ {10}build-args: COMMIT=\$\{\{ github\.sha \}\}$/m);
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

/** Runs the command of the image's HEALTHCHECK with these settings. Returns its exit code. */
async function checkHealth(env: Record<string, string>): Promise<number> {
  const [command, ...args] = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(image)![1]!) as string[];
  assert.is(command, 'node');
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const [code] = await once(spawn(process.execPath, args, { cwd, env, stdio: 'ignore' }), 'exit');
  return code as number;
}

container('the image is healthy while the process serves, ready or not', async () => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/livez' ? 200 : 503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { HOST: '0.0.0.0', PORT: String((server.address() as AddressInfo).port) };
  assert.is(await checkHealth(env), 0);
  assert.is(await checkHealth({ ...env, HOST: '127.0.0.1' }), 0);
  assert.is(await checkHealth({ ...env, TLS_CERT: '/certificate' }), 1, 'it does not speak TLS');
  server.close();
  await once(server, 'close');
  assert.is(await checkHealth(env), 1);
});

container('the image is healthy while the service itself serves TLS', async () => {
  const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
  const tls = {
    HOST: '0.0.0.0',
    BASE_URL: 'https://veritrail.example',
    TLS_CERT: file('certificate'),
    TLS_KEY: file('key'),
  };
  const config = readConfig({ ...tls, PORT: '0', DATA_DIR: folderOfTest() }, '/nowhere');
  const app = await startApp(config, createLogger('silent'));
  assert.is(await checkHealth({ ...tls, PORT: String(app.port) }), 0);
  await app.stop();
  assert.is(await checkHealth({ ...tls, PORT: String(app.port) }), 1);
});

container.run();
