import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mcpEndpointUrl } from '../../src/app/service-address.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/run.ts';
import { organizationStream } from '../../src/commands/families.ts';
import { firstStart } from '../../src/identity/installation/installation.ts';
import { Authenticator } from '../../src/identity/tokens/authenticator.ts';
import type { TokenRecord } from '../../src/identity/tokens/tokens.ts';
import { mcpServersConfig } from '../../src/web/texts/connect-blocks.ts';
import { closeAll, open, type TestIdentity, temporaryFolder } from '../support/identity/identity.ts';

const BIN = fileURLToPath(new URL('../../bin/veritrail.js', import.meta.url));

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the command in this process, on a data folder. */
async function veritrail(dataDir: string, ...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const shell = {
    env: { DATA_DIR: dataDir },
    cwd: temporaryFolder(),
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  };
  return { code: await run(args, shell), out: out.join('\n'), err: err.join('\n') };
}

/** Runs the command as a separate process. */
async function asProcess(dataDir: string, ...args: string[]): Promise<Ran> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [BIN, ...args], { env, cwd: dataDir });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

type Authenticate = (token: string) => ReturnType<Authenticator['authenticate']>;

/** A running service: its stores are open, and its clock is the real one. */
async function service(): Promise<TestIdentity & { organizationId: string; first: string; caller: Authenticate }> {
  const now = () => new Date();
  const identity = { ...(await open()), now };
  const { organizationId, token } = await firstStart(identity);
  const authenticator = new Authenticator(identity);
  return { ...identity, organizationId, first: token!, caller: (text) => authenticator.authenticate(text) };
}

const list = async (dataDir: string) => JSON.parse((await veritrail(dataDir, 'token', 'list', '--json')).out);

const cli = suite('cli');

cli.after.each(closeAll);

cli('as a process: creates, lists and revokes tokens while a service runs', async () => {
  const { dataDir, caller, organizationId } = await service();
  const created = await asProcess(dataDir, 'token', 'create', '--name', 'audit laptop', '--role', 'auditor');
  assert.is(created.code, 0, created.err);
  const [token, , ...block] = created.out.split('\n');
  assert.equal([...(await caller(token!))!.roles], [[organizationId, 'AUDITOR']]);
  assert.equal(JSON.parse(block.join('\n')), {
    mcpServers: {
      veritrail: { url: 'http://127.0.0.1:8080/api/mcp/v1', headers: { Authorization: `Bearer ${token}` } },
    },
  });
  const id = (await caller(token!))!.token_id!;
  assert.not.match(created.err, /vtr_/);

  const tokenList = await asProcess(dataDir, 'token', 'list');
  assert.match(tokenList.out, new RegExp(`^${id}  audit laptop  AUDITOR  …${token!.slice(-4)} .*until 20`, 'm'));
  assert.match(tokenList.out, /^ID +NAME +ROLE +TOKEN +CREATED +LAST USED +STATE$/m);
  assert.not.match(tokenList.out, /vtr_/);

  assert.is((await asProcess(dataDir, 'token', 'revoke', id, '--reason', 'lost')).code, 0);
  const otherAuthenticator = new Authenticator(await open(dataDir));
  assert.is(await otherAuthenticator.authenticate(token!), null);
  assert.match((await asProcess(dataDir, 'token', 'list')).out, new RegExp(`^${id} .*revoked 20`, 'm'));
});

cli('as a process: exits with 2 for wrong usage, with 1 for a refusal and with 0 for help', async () => {
  const { dataDir } = await service();
  const failure = await asProcess(dataDir, 'token', 'create');
  assert.equal([failure.code, failure.out], [2, '']);
  assert.match(failure.err, /--name/);
  const failed = await asProcess(dataDir, 'token', 'revoke', 'tok_unknown');
  assert.equal([failed.code, failed.out], [1, '']);
  assert.match(failed.err, /no such token/);
  assert.not.match(failed.err, /\.ts:/);
  assert.is((await asProcess(dataDir, '--help')).code, 0);
});

cli('a token has the limits that it was created with', async () => {
  const { dataDir, caller, organizationId } = await service();
  const flags = ['--role', 'OWNER', '--organization', organizationId, '--days', '7', '--read-only'];
  const { out, err } = await veritrail(dataDir, 'token', 'create', '--name', 'ci', ...flags);
  const { read_only, roles } = (await caller(out.split('\n')[0]!))!;
  assert.equal([read_only, roles.get(organizationId)], [true, 'OWNER'], err);
  const [record] = (await list(dataDir)) as TokenRecord[];
  assert.is(Date.parse(record!.expires_at) - Date.parse(record!.created_at), 7 * 86_400_000);
  assert.not.ok('hash' in record!);
});

cli('regenerating prints another token; the previous one stops working', async () => {
  const { dataDir, first, caller } = await service();
  const [record] = (await list(dataDir)) as TokenRecord[];
  const { out, code } = await veritrail(dataDir, 'token', 'regenerate', record!.id, '--days', '30');
  assert.is(code, 0);
  const token = out.split('\n')[0]!;
  assert.is((await caller(token))!.token_id, record!.id);
  assert.is(await caller(first), null);
});

cli('rebuild prints the number of events and switches', async () => {
  const { dataDir, reads } = await service();
  const { out, code } = await veritrail(dataDir, 'rebuild');
  assert.is(code, 0);
  const [, generation] = /^3 events in .* events\/s\)\. Generation (\S+) is now served/.exec(out) ?? [];
  assert.is((await reads.sharedEntry<{ generation: string }>('active'))!.value.generation, generation);
});

cli('init --adopt-log creates new accounts for an existing log', async () => {
  const { dataDir, close, organizationId } = await service();
  await close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `accounts.db${suffix}`), { force: true });
  const refused = await veritrail(dataDir, 'token', 'list');
  assert.is(refused.code, 1);
  assert.match(refused.err, /veritrail init --adopt-log/);

  assert.is((await veritrail(dataDir, 'init')).code, 2);
  const adopted = await veritrail(dataDir, 'init', '--adopt-log');
  assert.is(adopted.code, 0, adopted.err);
  const token = adopted.out.split('\n')[0]!;
  const caller = await new Authenticator(await open(dataDir)).authenticate(token);
  assert.is(caller!.roles.get(organizationId), 'ADMIN');
  assert.is((await veritrail(dataDir, 'init', '--adopt-log')).code, 1);

  const created = await veritrail(dataDir, 'token', 'create', '--name', 'of the new owner');
  const { account_id } = (await new Authenticator(await open(dataDir)).authenticate(created.out.split('\n')[0]!))!;
  assert.is(account_id, caller!.account_id);
});

cli('a token that is refused leaves nothing in the log', async () => {
  const { dataDir, events, organizationId } = await service();
  for (const [args, code] of [
    [['--role', 'KING'], 2],
    [['--days', 'many'], 2],
    [['--unknown'], 2],
    [['--days', '400'], 1],
    [['--organization', 'org_unknown'], 1],
  ] as const) {
    const { code: exitCode, err, out } = await veritrail(dataDir, 'token', 'create', '--name', 'x', ...args);
    assert.equal([exitCode, out], [code, ''], `${args}: ${err}`);
  }
  assert.is((await events.readStream(organizationStream(organizationId))).length, 3);
});

cli('reading commands create no missing stores', async () => {
  const dataDir = join(temporaryFolder(), 'absent');
  const { code, err } = await veritrail(dataDir, 'token', 'list');
  assert.is(code, 1);
  assert.match(err, /DATA_DIR/);
  assert.not.ok(existsSync(dataDir));
  assert.match((await veritrail(temporaryFolder(), 'token', 'list')).err, /empty/);
});

cli('wrong settings are named', async () => {
  const shell = { env: { PORT: 'x' }, cwd: temporaryFolder(), out: () => {}, err: (text: string) => output.push(text) };
  const output: string[] = [];
  assert.is(await run(['token', 'list'], shell), 1);
  assert.match(output.join('\n'), /PORT/);
});

for (const { name, summary } of COMMANDS) {
  cli(`${name} explains itself, and is in the list of commands`, async () => {
    const commandHelp = await veritrail('', ...name.split(' '), '--help');
    assert.is(commandHelp.code, 0);
    assert.match(commandHelp.out, new RegExp(`^Usage: veritrail ${name}`));
    assert.equal(await veritrail('', 'help', ...name.split(' ')), commandHelp);
    const all = await veritrail('', 'help');
    assert.ok(all.out.includes(name) && all.out.includes(summary));
  });
}

for (const word of ['token', 'member', 'account', 'framework']) {
  cli(`${word} alone lists its commands, as help if help was requested`, async () => {
    const groupCommands = COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
    const help = await veritrail('', word, '--help');
    assert.equal([help.code, help.err], [0, '']);
    for (const command of COMMANDS)
      assert.is(help.out.includes(command.summary), groupCommands.includes(command), command.name);
    for (const args of [
      [word, '-h'],
      ['help', word],
    ]) {
      assert.equal(await veritrail('', ...args), help);
    }
    for (const args of [[word], [word, '--name'], [word, 'lst', '--help']]) {
      const { code, out, err } = await veritrail('', ...args);
      assert.equal([code, out, err.endsWith(help.out)], [2, '', true], err);
    }
    assert.match((await veritrail('', word, 'lst')).err, `unknown command "${word} lst".`);
  });
}

cli('a mistake prints one line and a pointer to the help, not the whole help', async () => {
  for (const { name } of COMMANDS) {
    const { code, out, err } = await veritrail('', ...name.split(' '), '--unknown');
    assert.equal([code, out], [2, '']);
    assert.match(
      err,
      new RegExp(`^veritrail ${name}: Unknown option '--unknown'.*\n"veritrail ${name} --help" has the details\\.$`),
    );
  }
});

cli('an unknown command exits with 2 and lists the commands', async () => {
  const { code, err } = await veritrail('', 'tokens', 'list');
  assert.is(code, 2);
  assert.match(err, /token create/);
  assert.match((await veritrail('', '--version')).out, /^\d+\.\d+\.\d+$/);
});

cli('clients get an address that they can reach', () => {
  const endpointFor = (host: string, baseUrl: string | null = null) =>
    mcpEndpointUrl({ host, baseUrl, port: 8080, tls: null });
  assert.is(endpointFor('127.0.0.1'), 'http://127.0.0.1:8080/api/mcp/v1');
  assert.is(endpointFor('0.0.0.0'), 'http://localhost:8080/api/mcp/v1');
  assert.is(endpointFor('::1'), 'http://[::1]:8080/api/mcp/v1');
  assert.is(endpointFor('0.0.0.0', 'https://a.example'), 'https://a.example/api/mcp/v1');
  assert.match(mcpServersConfig('https://a.example', 'vtr_x'), /"Bearer vtr_x"/);
});

cli.run();
