import { createRegister } from '../../../src/app/create-register.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { RecordFileReader } from '../../../src/http/files/record-files.ts';
import { findInstallation } from '../../../src/identity/installation/installation.ts';
import { SILENT_LOG } from '../register.ts';
import type { ImportInstallation } from './import-command.ts';

/** Returns a file of records as the service writes it. */
export async function downloadRecords(
  identity: ImportInstallation,
  file: string,
  format: 'csv' | 'xlsx',
): Promise<Buffer> {
  const { organizationId, handler } = identity;
  const { projections, recordFiles } = createRegister({
    ...identity,
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  const { state } = await handler.load(organizationAggregate(organizationId));
  const [owner] = Object.keys(state!.members);
  const roles = new Map([[organizationId, 'OWNER' as const]]);
  await projections.start((await findInstallation(identity))!.installation);
  try {
    await projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
    const caller = { account_id: owner!, token_id: null, client: null, roles, members: roles, read_only: false };
    const request = { file, organization_id: organizationId, filter: undefined };
    const call = { caller, request, format, hasContent: true };
    const { chunks } = await new RecordFileReader(recordFiles).open(call);
    const parts: Buffer[] = [];
    for await (const chunk of chunks!) parts.push(Buffer.from(chunk));
    return Buffer.concat(parts);
  } finally {
    await projections.stop();
  }
}
