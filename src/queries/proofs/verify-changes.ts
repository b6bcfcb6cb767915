import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { firstSealsOf, sealsCovering } from '../../projections/transparency/seal-documents.ts';
import type { SealAt } from '../../trail/seals/event-proof.ts';
import { RecordStreams } from '../files/record-streams.ts';
import type { QueryContext } from '../moments/moment.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import type { ChangeFault } from './change-fault.ts';
import { ChangeVerifier, type CheckedChange, type VerifyRequest } from './change-verifier.ts';
import { type CheckedSeal, checkNewestSeal, findMismatches } from './check-newest-seal.ts';
import { checkSeals, type FaultySeal, findFaultySeal } from './check-seals.ts';
import { AllowanceExhausted, EventAllowance } from './event-allowance.ts';
import { GrownRoots } from './grown-roots.ts';
import { type OrderNotices, readOrderNotices } from './out-of-order.ts';

/** The commands and the document for a check without this service. */
const OFFLINE_CHECK = 'veritrail export, then veritrail verify FILE --key KEY: docs/trail-format.md';

/** The outcome for the covered part of the changes. */
export interface Verification {
  verdict: 'VALID' | 'INVALID';
  /** True if nothing of the request is left to verify. */
  complete: boolean;
  covered_from: string | null;
  covered_to: string | null;
  /** Events that this call read. */
  events: number;
  /** Streams that this call read. */
  streams: number;
  /** Changes whose data was erased in the log. */
  erased?: number;
  /** Events of the whole organization that were recorded out of order; absent if none was. */
  recorded_out_of_order?: OrderNotices;
  faults: ChangeFault[];
  seal: SealAt | null;
  key_fingerprint: string | null;
  /** The key that the seal names, in base64. */
  public_key: string | null;
  offline_check: string;
}

/** The part of a request that earlier calls have not verified. */
export interface VerifyCall extends VerifyRequest {
  /** The only records to verify; null for all. */
  recordIds: readonly string[] | null;
  /** The newest position to verify. The first call starts there and goes backwards. */
  newestPosition: number;
  /** True if an earlier call found a fault. */
  isInvalid: boolean;
}

export interface VerifyOutcome {
  verification: Verification;
  /** The newest position that is left to verify; null if none is. */
  next: number | null;
}

/** Lets the caller stop a verification and follow its progress. */
export interface VerifyControl {
  signal?: AbortSignal | undefined;
  /** Called with the number of events read so far. */
  progress?: ((events: number) => void) | undefined;
}

export interface VerifyContext extends QueryContext, VerifyControl {
  caller: Caller;
}

const verifyingAccounts = new Set<string>();

/** Verifies as much of a request as one call may. @throws Refusal rate_limited if another verification of the account is running */
export async function verifyChanges(context: VerifyContext, request: VerifyCall): Promise<VerifyOutcome> {
  const { account_id } = context.caller;
  if (verifyingAccounts.has(account_id)) {
    const message = 'Your account is already verifying changes. Wait for that answer, then repeat the call.';
    throw new Refusal('rate_limited', message, { retry_after_seconds: 5 });
  }
  verifyingAccounts.add(account_id);
  try {
    return await verifyPart(context, request);
  } finally {
    verifyingAccounts.delete(account_id);
  }
}

async function verifyPart({ snapshot, signal, progress }: VerifyContext, request: VerifyCall) {
  const allowance = new EventAllowance(snapshot.maxEventsVerified, signal, progress);
  const verifier = new ChangeVerifier(snapshot, request, allowance);
  const checkedSeal = await checkNewestSeal(snapshot.models, snapshot.events, request.organizationId);
  if (checkedSeal !== null && !checkedSeal.isValid)
    verifier.addFault({ why: 'SEAL', position: checkedSeal.seal.position });
  const coveredFrom =
    request.from > request.to ? request.from : await verifyRange(snapshot, request, verifier, checkedSeal);
  const notices = await readOrderNotices(snapshot, request.organizationId);
  const isComplete = coveredFrom <= request.from;
  const isInvalid = request.isInvalid || verifier.faults.length > 0;
  const verification: Verification = {
    verdict: isInvalid ? 'INVALID' : 'VALID',
    complete: isComplete,
    covered_from: request.from > request.newestPosition ? null : String(coveredFrom),
    covered_to: request.from > request.newestPosition ? null : String(request.newestPosition),
    events: allowance.count,
    streams: verifier.recomputedChanges.size,
    ...(verifier.erasedCount > 0 ? { erased: verifier.erasedCount } : {}),
    ...(notices === null ? {} : { recorded_out_of_order: notices }),
    faults: verifier.faults,
    seal: checkedSeal?.seal ?? null,
    key_fingerprint: checkedSeal?.seal.key_id ?? null,
    public_key: checkedSeal?.publicKey ?? null,
    offline_check: OFFLINE_CHECK,
  };
  return { verification, next: isComplete ? null : coveredFrom - 1 };
}

/** Verifies as much of the request as the allowance permits. @returns the lowest covered position */
async function verifyRange(
  snapshot: Snapshot,
  request: VerifyCall,
  verifier: ChangeVerifier,
  checkedSeal: CheckedSeal | null,
) {
  try {
    const { recordIds } = request;
    const streams = recordIds && (await RecordStreams.read(snapshot, request, verifier, recordIds));
    // A seal that isn't valid says nothing about positions.
    const validSeal = checkedSeal?.isValid ? checkedSeal : null;
    const positions = new SealedPositions(snapshot, request, verifier, validSeal);
    const coveredFrom = await verifier.run((checkedChanges) => positions.check(checkedChanges));
    await positions.checkEnds();
    await positions.checkSeals(coveredFrom);
    await streams?.reportHidden(verifier, coveredFrom);
    if (coveredFrom <= request.to) return coveredFrom;
  } catch (error) {
    if (!(error instanceof AllowanceExhausted)) throw error;
  }
  throw new Refusal(
    'too_large',
    'One record has more events than a call can verify. Narrow the filter, or verify an export with veritrail verify.',
    { field: 'filter' },
  );
}

function toChangeFault({ why, position, event_id, from, until }: FaultySeal): ChangeFault {
  return {
    why: 'SEAL',
    position: String(position),
    event_id,
    seal_fault: { why, from: String(from), until: String(until) },
  };
}

/**
 * Checks that changes are at the positions that the newest seal proves. In a list of all changes, checking the first and
 * the last suffices. The changes between them have no gaps and follow the log's order, so they can't be elsewhere.
 */
class SealedPositions {
  private newest: CheckedChange | null = null;
  private oldest: CheckedChange | null = null;
  /** The hashes of all checked changes, by position. */
  private readonly hashes = new Map<number, string>();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly request: VerifyRequest,
    private readonly verifier: ChangeVerifier,
    private readonly checkedSeal: CheckedSeal | null,
  ) {}

  async check(checkedChanges: readonly CheckedChange[]): Promise<void> {
    for (const { position, hash } of checkedChanges) this.hashes.set(position, hash);
    const sealed = checkedChanges.filter(({ position }) => position <= (this.checkedSeal?.seal.size ?? 0));
    this.newest ??= sealed[0] ?? null;
    this.oldest = sealed.at(-1) ?? this.oldest;
    if (this.request.recordKeys !== null) await this.addMismatches(sealed);
  }

  async checkEnds(): Promise<void> {
    if (this.request.recordKeys !== null || this.newest === null) return;
    await this.addMismatches([this.newest, this.oldest!]);
  }

  /**
   * Checks every seal of the covered positions as the offline check does. Without all changes, these are the seals that
   * first covered one of the changes.
   */
  async checkSeals(coveredFrom: number): Promise<void> {
    const { organizationId, recordKeys, to } = this.request;
    if (coveredFrom > to) return;
    const { models } = this.snapshot;
    let fault: FaultySeal | null;
    if (recordKeys === null) {
      const range = { from: coveredFrom, to };
      const seals = await sealsCovering(models, organizationId, range);
      const roots = new GrownRoots(models, organizationId, range, this.hashes);
      fault = await checkSeals(this.snapshot, organizationId, seals, (seal) => roots.rootOf(seal));
    } else {
      const seals = await firstSealsOf(models, organizationId, this.hashes.keys());
      fault = await findFaultySeal(this.snapshot, organizationId, seals);
    }
    if (fault === null) return;
    const changeFault = toChangeFault(fault);
    const isKnown = ({ why, position }: ChangeFault) => why === 'SEAL' && position === changeFault.position;
    const known = this.verifier.faults.find(isKnown);
    if (known === undefined) this.verifier.addFault(changeFault);
    else Object.assign(known, changeFault);
  }

  private async addMismatches(changes: readonly CheckedChange[]): Promise<void> {
    if (this.checkedSeal === null) return;
    for (const position of await findMismatches(
      this.snapshot.models,
      this.request.organizationId,
      this.checkedSeal,
      changes,
    )) {
      this.verifier.addFault({ why: 'MISPLACED', position: String(position) });
    }
  }
}
