import type { ServiceClock } from '../../clock/service-clock.ts';
import { CommandHandler } from '../../commands/engine/handler.ts';
import { readConfig } from '../../config.ts';
import { adoptLog } from '../../identity/installation/adopt-log.ts';
import {
  findInstallation,
  loggedInstallationId,
  storedInstallationId,
  toInstallation,
} from '../../identity/installation/installation.ts';
import { executeOrganizationCommand } from '../../identity/memberships/actor.ts';
import { addToMembershipIndex } from '../../identity/memberships/membership-index.ts';
import { Tokens } from '../../identity/tokens/tokens.ts';
import { SealKeys, sealKeyId } from '../../seal/seal-keys.ts';
import type { AccountRecord } from '../../stores/account-store.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import type { Stores } from '../../stores/open.ts';
import { readLine } from '../../trail/check/line.ts';
import { LineSplitter } from '../../trail/check/line-splitter.ts';
import type { Verdict } from '../../trail/check/verdict.ts';
import type { PublicKey } from '../../trail/seals/key.ts';
import { findOwnerAccount, requireOwnerAccount } from '../accounts/caller-for.ts';
import { printToken } from '../accounts/tokens.ts';
import { CommandError, type Shell } from '../command.ts';
import { waitForClock } from '../command-clock.ts';
import { ProgressBar } from '../progress.ts';
import { verdictText } from '../proofs/verdict-text.ts';
import { verifyFile } from '../proofs/verify-file.ts';
import { withStoresAlone } from '../with-stores-alone.ts';
import { readPieces } from './files.ts';
import { HistoryAppender } from './history-appender.ts';

interface RestoreExportOptions {
  path: string;
  /** Public keys that must have signed the seals. Empty for the keys that the history names. */
  trustedKeys: readonly PublicKey[];
  /** Records of private keys to continue sealing with. */
  keys: readonly AccountRecord[];
}

/** Half of one history must not become part of another installation. */
const UNFINISHED_MESSAGE =
  'These stores have a log, but no accounts. Repeat the interrupted restore, run veritrail init --adopt-log for a ' +
  'whole log, or use empty stores.';

/** Verifies an export, then restores it into the stores. */
export async function restoreExport({ path, trustedKeys, keys }: RestoreExportOptions, shell: Shell): Promise<void> {
  const verdict = await verifyBeforeRestore(path, trustedKeys, shell);
  const organizationId = verdict.header.organization_id;
  refuseOtherKeys(keys, verdict);
  await withStoresAlone(shell, async (stores, clock) => {
    const installationId = await storedInstallationId(stores.accounts);
    await refuseUnfinishedStart(stores, installationId);
    const belongs = ({ metadata: { organization_id } }: StoredEvent) => {
      const isOwn = organization_id === organizationId;
      if (!isOwn && installationId === null) throw new CommandError(UNFINISHED_MESSAGE);
      return isOwn;
    };
    const sealKeys = new SealKeys(stores.accounts, clock.now);
    const order = new HistoryAppender(stores.events, belongs, () => sealKeys.pauseSealing(organizationId));
    const bar = new ProgressBar(shell, 'events');
    const pieces = readPieces(path, (_bytes, share) => bar.update(order.appended + order.present, share));
    await takeAll(pieces, order).finally(() => bar.clear());
    if (keys.length > 0) await sealKeys.importKeys(keys);
    await sealKeys.resumeSealing(organizationId);
    const before = order.present === 0 ? '' : ` (${order.present} were already there)`;
    shell.err(`The log now has ${order.appended + order.present} events of ${organizationId}${before}.`);
    await waitForClock(clock, shell);
    await ensureOwner({ ...stores, clock }, installationId, organizationId, shell);
  });
}

/** @throws CommandError for a history that is not valid, or can't be continued */
async function verifyBeforeRestore(path: string, trustedKeys: readonly PublicKey[], shell: Shell): Promise<Verdict> {
  const verdict = await verifyFile(path, { keys: trustedKeys }, shell);
  const { event_fault, seal_fault, export_fault, redactions } = verdict;
  if (redactions.total > 0) throw new CommandError('This export was redacted. It can be verified, but not restored.');
  const areSealsValid = seal_fault === null || (trustedKeys.length === 0 && seal_fault.why === 'NOT_GIVEN');
  const isComplete = export_fault === null || export_fault.why === 'NO_SEAL';
  if (event_fault === null && areSealsValid && isComplete && verdict.events > 0) return verdict;
  shell.err(verdictText(verdict));
  throw new CommandError('The history is not valid, so nothing was restored.');
}

/** @throws CommandError if none of the keys made a seal of the history */
function refuseOtherKeys(records: readonly AccountRecord[], { keys }: Verdict): void {
  if (records.length === 0 || keys.total === 0 || keys.total > keys.first.length) return;
  const ids = new Set(records.map(sealKeyId));
  if (keys.first.some(({ key_id }) => ids.has(key_id))) return;
  throw new CommandError(
    'No key in that backup signed a seal of this history. Give a backup of its installation, or leave --keys out.',
  );
}

/** Refuses stores whose first start was interrupted: they have no log to add to and no account. */
async function refuseUnfinishedStart({ accounts, events }: Stores, installationId: string | null): Promise<void> {
  if (installationId === null || (await loggedInstallationId(events, async () => installationId)) === installationId)
    return;
  await findInstallation({ accounts, log: events });
  throw new CommandError('The first start with these stores was interrupted. Start the service once, then stop it.');
}

async function takeAll(pieces: AsyncIterable<Uint8Array>, order: HistoryAppender): Promise<void> {
  const splitter = new LineSplitter();
  for await (const piece of pieces) {
    for (const text of splitter.push(piece)) {
      const line = readLine(text);
      if (line.kind === 'EVENT') await order.take(line.event);
    }
  }
  await order.end();
}

/** Makes sure that the organization has an owner with an account here: by default the first organization's owner. */
async function ensureOwner(
  { accounts, events, clock }: Stores & { clock: ServiceClock },
  installationId: string | null,
  organizationId: string,
  shell: Shell,
): Promise<void> {
  const config = readConfig(shell.env, shell.cwd);
  const { now, requireTrust } = clock;
  const handler = new CommandHandler(events, { now, requireTrust, maxAcceptanceDays: config.riskAcceptanceMaxDays });
  if (installationId === null) {
    const tokens = new Tokens({ accounts, handler, now });
    printToken(await adoptLog({ accounts, log: events, tokens, handler, now }), { config }, shell);
    return;
  }
  const currentOwner = await findOwnerAccount({ accounts, handler }, organizationId);
  const owner =
    currentOwner ?? (await requireOwnerAccount({ accounts, handler }, toInstallation(installationId).organizationId));
  await addToMembershipIndex(accounts, owner, organizationId);
  if (currentOwner === null) {
    await executeOrganizationCommand(handler, organizationId, { type: 'AddMember', account_id: owner, role: 'OWNER' });
  }
  shell.out(`${owner} is OWNER of ${organizationId}. Create a token for it with veritrail token create.`);
}
