import { organizationAggregate, recordAggregate } from '../../src/commands/families.ts';
import { CommandHandler } from '../../src/commands/handler.ts';
import { closeStores, envelopeFor, INSTALLATION, ORGANIZATION, OWNER, openStores } from './register.ts';

const DAY_MS = 86_400_000;

/** The UTC date so many days ago; of a negative number, ahead. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Lays a past into an empty folder, for a test register to start on: commands, each so many days ago, oldest first. */
export async function layPast(folder: string, past: readonly { days: number; id: string; command: object }[]) {
  const stores = openStores(folder);
  let days = past[0]!.days;
  const now = () => new Date(Date.now() - days * DAY_MS);
  const handler = new CommandHandler(stores.events, { now, maxAcceptanceDays: 366 });
  const organization = { name: 'Acme', import_key: 'an import key', installation: INSTALLATION, owner_id: OWNER };
  const create = { type: 'CreateOrganization', ...organization } as const;
  await handler.execute(organizationAggregate(ORGANIZATION), create, envelopeFor());
  for (const step of past) {
    days = step.days;
    await handler.execute(recordAggregate(step.id), step.command, envelopeFor({ input: step.command }));
  }
  await closeStores(stores);
}
