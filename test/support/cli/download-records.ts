import { createRegister, type Register } from '../../../src/app/create-register.ts';
import { ServiceClock } from '../../../src/clock/service-clock.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { RecordFileReader } from '../../../src/http/files/record-files.ts';
import { ReportFileGenerator } from '../../../src/http/files/report-files.ts';
import { findInstallation } from '../../../src/identity/installation/installation.ts';
import type { ReportFileRequest } from '../../../src/reports/report-request.ts';
import { SILENT_LOG } from '../register.ts';
import type { ImportInstallation } from './import-command.ts';

/** Returns a file of records as the service writes it. */
export function downloadRecords(identity: ImportInstallation, file: string, format: 'csv' | 'xlsx'): Promise<Buffer> {
  return withRegister(identity, async ({ recordFiles }, caller) => {
    const request = { file, organization_id: identity.organizationId, filter: undefined };
    const call = { caller, request, format, hasContent: true };
    return contentOf((await new RecordFileReader(recordFiles).open(call)).chunks!);
  });
}

/** Returns a report as the service writes it. */
export function downloadReport(
  identity: ImportInstallation,
  type: ReportFileRequest['type'],
  format: 'csv' | 'xlsx',
): Promise<Buffer> {
  return withRegister(identity, async ({ reader }, caller) => {
    const input = { organization_id: identity.organizationId, type };
    const call = { caller, input, format, ifNoneMatch: '', registerUrl: '' };
    const generator = new ReportFileGenerator(reader, () => undefined, '0');
    const { file } = await generator.generate(call, new AbortController().signal);
    return contentOf(file!.chunks);
  });
}

async function withRegister<Result>(
  identity: ImportInstallation,
  work: (register: Register, caller: Caller) => Promise<Result>,
): Promise<Result> {
  const { organizationId, handler } = identity;
  const register = createRegister({
    ...identity,
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  const { projections } = register;
  const { state } = await handler.load(organizationAggregate(organizationId));
  const [owner] = Object.keys(state!.members);
  const roles = new Map([[organizationId, 'OWNER' as const]]);
  await projections.start((await findInstallation(identity))!.installation);
  try {
    await projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
    const caller = { account_id: owner!, token_id: null, client: null, roles, members: roles, read_only: false };
    return await work(register, caller);
  } finally {
    await projections.stop();
  }
}

async function contentOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}
