import type { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { vendor } from '../../../src/commands/vendor.ts';
import type { StorePosition } from '../../../src/stores/event-store.ts';
import { envelopeFor, INSTALLATION_ID, ORGANIZATION, OWNER } from '../register.ts';

/** Writes the test organization's first two events. */
export async function createOrganization(handler: CommandHandler): Promise<StorePosition> {
  const facts = { name: 'Acme', import_key: 'k', installation: INSTALLATION_ID, owner_id: OWNER };
  const command = { type: 'CreateOrganization', ...facts } as const;
  const { storePosition } = await handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
  return storePosition!;
}

/** Writes one more event: adds a vendor of this name, or renames it. */
export async function writeVendor(
  handler: CommandHandler,
  id: string,
  name = id,
  envelope = envelopeFor(),
): Promise<StorePosition> {
  const { state } = await handler.load({ stream: `vendor-${id}`, decider: vendor });
  const command =
    state === null
      ? ({ type: 'AddVendor', fields: { name } } as const)
      : ({ type: 'UpdateVendor', changes: { name } } as const);
  const { storePosition } = await handler.execute({ stream: `vendor-${id}`, decider: vendor }, command, envelope);
  return storePosition!;
}
