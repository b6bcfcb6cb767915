import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import type { ChangeFault } from './change-fault.ts';
import { ChangeVerifier, type CheckedChange, type VerifyRequest } from './change-verifier.ts';
import { type CheckedSeal, checkNewestSeal, findMisplaced } from './check-newest-seal.ts';
import { AllowanceExhausted, EventAllowance } from './event-allowance.ts';
import type { SealAt } from './proofs.ts';
import type { Reader } from './reader.ts';
import { RecordStreams } from './record-streams.ts';

/** Where a check without this service is described. */
export const OFFLINE_CHECK = 'veritrail export, then veritrail verify FILE --key KEY: docs/trail-format.md';

/** The outcome for the part of the changes that was covered. */
export interface Verification {
  verdict: 'VALID' | 'INVALID';
  /** Nothing that was asked for is left to be verified. */
  complete: boolean;
  covered_from: string | null;
  covered_to: string | null;
  /** The numbers of events and of streams that this call has read. */
  events: number;
  streams: number;
  /** The number of changes whose data were erased in the log. */
  erased?: number;
  faults: ChangeFault[];
  seal: SealAt | null;
  key_fingerprint: string | null;
  offline_check: string;
}

/** The part of a filter that the calls before this one have not verified. */
export interface VerifyCall extends VerifyRequest {
  /** The records whose changes alone are asked for. */
  recordIds: readonly string[] | null;
  /** The position that the first call began with, and whether a call before this one found a fault. */
  top: number;
  isInvalid: boolean;
}

export interface VerifyOutcome {
  verification: Verification;
  /** The newest position that is left. */
  next: number | null;
}

export interface VerifyContext {
  signal?: AbortSignal | undefined;
  progress?: ((events: number) => void) | undefined;
}

/** Credentials that verify now. */
const verifyingCredentials = new Set<string>();

/** Verifies what was asked for, as much of it as one call may. @throws Refusal rate_limited when the credential does so already */
export async function verifyChanges(
  reader: Reader,
  caller: Caller,
  asked: VerifyCall,
  context: VerifyContext = {},
): Promise<VerifyOutcome> {
  const credential = caller.token_id ?? caller.account_id;
  if (verifyingCredentials.has(credential)) {
    throw new Refusal('rate_limited', 'This credential verifies already: wait for that answer, then repeat the call.', {
      retry_after_seconds: 5,
    });
  }
  verifyingCredentials.add(credential);
  try {
    return await verifyPart(reader, asked, context);
  } finally {
    verifyingCredentials.delete(credential);
  }
}

async function verifyPart(reader: Reader, asked: VerifyCall, { signal, progress }: VerifyContext) {
  const allowance = new EventAllowance(reader.maxEventsVerified, signal, progress);
  const verifier = new ChangeVerifier(reader, asked, allowance);
  const seal = await checkNewestSeal(reader.models, reader.events, asked.organizationId);
  if (seal !== null && !seal.isGood) verifier.report({ why: 'SEAL', position: seal.seal.position });
  const covered = asked.from > asked.to ? asked.from : await cover(reader, asked, verifier, seal);
  const isComplete = covered <= asked.from;
  const isInvalid = asked.isInvalid || verifier.faults.length > 0;
  const verification: Verification = {
    verdict: isInvalid ? 'INVALID' : 'VALID',
    complete: isComplete,
    covered_from: asked.from > asked.top ? null : String(covered),
    covered_to: asked.from > asked.top ? null : String(asked.top),
    events: allowance.count,
    streams: verifier.changes.size,
    ...(verifier.erased > 0 ? { erased: verifier.erased } : {}),
    faults: verifier.faults,
    seal: seal?.seal ?? null,
    key_fingerprint: seal?.seal.key_id ?? null,
    offline_check: OFFLINE_CHECK,
  };
  return { verification, next: isComplete ? null : covered - 1 };
}

/** @returns the lowest position that was covered */
async function cover(reader: Reader, asked: VerifyCall, verifier: ChangeVerifier, seal: CheckedSeal | null) {
  try {
    const { recordIds } = asked;
    const streams = recordIds && (await RecordStreams.read(reader, asked, verifier, recordIds));
    const places = new SealedPlaces(reader, asked, verifier, seal);
    const covered = await verifier.run((checked) => places.check(checked));
    await places.checkEnds();
    await streams?.reportHidden(verifier, covered);
    if (covered <= asked.to) return covered;
  } catch (error) {
    if (!(error instanceof AllowanceExhausted)) throw error;
  }
  throw new Refusal(
    'too_large',
    'One record here has more events than a call verifies: narrow the filter, or verify an export with veritrail verify.',
    { field: 'filter' },
  );
}

/**
 * Holds places in the log against the newest seal. Of a list of all changes its two ends suffice: between two events that
 * stand where the seal says there is room for no others than those that were found there in their order.
 */
class SealedPlaces {
  private newest: CheckedChange | null = null;
  private oldest: CheckedChange | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly request: VerifyRequest,
    private readonly verifier: ChangeVerifier,
    private readonly seal: CheckedSeal | null,
  ) {}

  async check(checked: readonly CheckedChange[]): Promise<void> {
    const sealed = checked.filter(({ position }) => position <= (this.seal?.seal.size ?? 0));
    this.newest ??= sealed[0] ?? null;
    this.oldest = sealed.at(-1) ?? this.oldest;
    if (this.request.recordKeys !== null) await this.report(sealed);
  }

  async checkEnds(): Promise<void> {
    if (this.request.recordKeys !== null || this.newest === null) return;
    await this.report([this.newest, this.oldest!]);
  }

  private async report(places: readonly CheckedChange[]): Promise<void> {
    if (this.seal === null) return;
    for (const position of await findMisplaced(this.reader.models, this.request.organizationId, this.seal, places)) {
      this.verifier.report({ why: 'MISPLACED', position: String(position) });
    }
  }
}
