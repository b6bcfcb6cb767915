/** Runs `veritrail import` in this process, on stores in a temporary folder. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type uvu } from 'uvu';
import { run } from '../../../src/cli/run.ts';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { firstStart } from '../../../src/identity/installation/installation.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { Members } from '../../../src/identity/memberships/members.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { readable } from '../histories/readable.ts';
import { closeAll, open, type TestIdentity, temporaryFolder } from '../identity/identity.ts';

export type ImportInstallation = TestIdentity & { organizationId: string };

interface CommandResult {
  code: number;
  out: string;
  err: string;
  /** The texts on the terminal's last line, in order. */
  bars: string[];
}

export async function openInstallation(): Promise<ImportInstallation> {
  const identity = await open();
  const { organizationId } = await firstStart({ ...identity, now: () => new Date() });
  return { ...identity, organizationId };
}

/**
 * Returns a suite whose tests each have an installation of their own.
 * @param prepare adds what all tests need, once: each test gets a copy of that installation
 */
export function importSuite(
  name: string,
  prepare?: (identity: ImportInstallation) => Promise<void>,
): uvu.Test<{ identity: ImportInstallation }> {
  const test = suite<{ identity: ImportInstallation }>(name);
  let prepared: ImportInstallation | undefined;
  test.before(async () => {
    if (prepare === undefined) return;
    prepared = await openInstallation();
    await prepare(prepared);
    await closeAll();
  });
  test.before.each(async (context) => {
    context.identity = prepared === undefined ? await openInstallation() : await openCopy(prepared);
  });
  test.after.each(closeAll);
  return test;
}

async function openCopy({ dataDir, organizationId }: ImportInstallation): Promise<ImportInstallation> {
  const copy = temporaryFolder();
  cpSync(dataDir, copy, { recursive: true });
  return { ...(await open(copy)), organizationId };
}

export async function veritrail({ dataDir }: TestIdentity, ...args: string[]): Promise<CommandResult> {
  const [out, err, bars]: string[][] = [[], [], []];
  const shell = {
    env: { DATA_DIR: dataDir },
    cwd: dataDir,
    out: (text: string) => out!.push(text),
    err: (text: string) => err!.push(text),
    bar: (text: string) => bars!.push(text),
  };
  return { code: await run(args, shell), out: out!.join('\n'), err: err!.join('\n'), bars: bars! };
}

/** Writes a file into the data folder, where the command runs. Returns its name. */
export function saveFile({ dataDir }: TestIdentity, name: string, ...lines: string[]): string {
  writeFileSync(join(dataDir, name), lines.join('\n'));
  return name;
}

/** Adds a member with an account. Returns its id. */
export async function addMember(identity: ImportInstallation, name: string, email: string | null): Promise<string> {
  const { accounts, handler, organizationId } = identity;
  const id = randomId('acc');
  const email_key = email?.toLowerCase() ?? null;
  await accounts.insert('accounts', { id, name, email, email_key, organizations: [], created_at: '' });
  const { state } = await handler.load(organizationAggregate(organizationId));
  const [owner] = Object.keys(state!.members);
  await new Members(identity).add(organizationId, id, 'EDITOR', accountActor(owner!));
  return id;
}

export async function eventsOf({ events }: TestIdentity, ...types: string[]): Promise<TrailEvent[]> {
  const storedEvents: TrailEvent[] = [];
  for await (const page of events.readAll(null))
    storedEvents.push(...readable(page).filter(({ type }) => types.includes(type)));
  return storedEvents;
}

export const dataOf = (events: readonly TrailEvent[]) => events.map(({ data }) => data);
