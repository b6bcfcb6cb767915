import { CommandHandler } from '../../src/commands/engine/handler.ts';
import { organizationAggregate, recordAggregate } from '../../src/commands/families.ts';
import { closeStores, envelopeFor, INSTALLATION_ID, ORGANIZATION, OWNER, openStores } from './register.ts';

const DAY_MS = 86_400_000;

/** Returns the UTC date some days ago, or ahead for a negative number. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Runs commands at past days in an empty folder, oldest first. A test register then starts on it. */
export async function writePast(folder: string, commands: readonly { days: number; id: string; command: object }[]) {
  const stores = openStores(folder);
  let days = commands[0]!.days;
  const now = () => new Date(Date.now() - days * DAY_MS);
  const handler = new CommandHandler(stores.events, { now, maxAcceptanceDays: 366 });
  const organization = { name: 'Acme', import_key: 'an import key', installation: INSTALLATION_ID, owner_id: OWNER };
  const create = { type: 'CreateOrganization', ...organization } as const;
  await handler.execute(organizationAggregate(ORGANIZATION), create, envelopeFor());
  for (const step of commands) {
    days = step.days;
    await handler.execute(recordAggregate(step.id), step.command, envelopeFor({ input: step.command }));
  }
  await closeStores(stores);
}
