import { LRUCache } from 'lru-cache';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { OrganizationState } from '../../commands/organization/organization.ts';
import { StoreUnavailable } from '../../stores/errors.ts';

/** Something looked up, and when the look-up began. */
export interface Timestamped<T> {
  value: T;
  at: number;
}

export type MaybeOrganization = OrganizationState | null;

/** Tokens of one organization share a read of it that is no older. */
const MAX_SHARED_AGE_MS = 500;
/** While the log does not answer, what it answered at most this long ago may serve in its place. */
const MAX_FALLBACK_AGE_MS = 10_000;
/** A read waits this long for the log before an older answer is used. */
const FALLBACK_AFTER_MS = 1_000;
const CACHED_ORGANIZATIONS = 10_000;

/** Reads organizations from the log for those who check roles, and remembers what it answered last. */
export class OrganizationReads {
  private readonly running = new LRUCache<string, Timestamped<Promise<MaybeOrganization>>>({
    max: CACHED_ORGANIZATIONS,
  });
  /** The newest answer for each organization, dated by the start of its read. */
  private readonly lastAnswers = new LRUCache<string, Timestamped<MaybeOrganization>>({ max: CACHED_ORGANIZATIONS });

  /** Raised by clear(): reads that began before are not remembered. */
  private epoch = 0;

  constructor(
    private readonly handler: Pick<CommandHandler, 'load'>,
    private readonly time: () => number,
  ) {}

  /** Forgets all answers, those of reads under way too. */
  clear(): void {
    this.epoch += 1;
    this.running.clear();
    this.lastAnswers.clear();
  }

  /** An organization as it was not long before `at`. */
  sharedRead(id: string, at: number): Timestamped<Promise<MaybeOrganization>> {
    const read = this.running.get(id);
    return read !== undefined && at >= read.at && at - read.at < MAX_SHARED_AGE_MS ? read : this.startRead(id, at);
  }

  startRead(id: string, at: number): Timestamped<Promise<MaybeOrganization>> {
    const value = this.load(id);
    const read = { value, at };
    this.running.set(id, read);
    const { epoch } = this;
    value.then(
      (state) => epoch === this.epoch && this.remember(id, { value: state, at }),
      () => this.running.get(id) === read && this.running.delete(id),
    );
    return read;
  }

  /**
   * Returns what a read answers. Where the log is silent for a second or away, the last answer serves in its place, as long as it
   * is recent and `serves` holds for it.
   * @throws StoreUnavailable where no answer can serve
   */
  async answer(
    id: string,
    read: Timestamped<Promise<MaybeOrganization>>,
    serves: (state: MaybeOrganization) => boolean,
  ): Promise<Timestamped<MaybeOrganization>> {
    const answer = read.value.then((value) => ({ value, at: read.at }));
    if (this.recent(id, serves) === null) return answer;
    const first = await orTimeout(answer, read.at + FALLBACK_AFTER_MS - this.time());
    // Looked for again: meanwhile it may have grown too old, or a newer one may have come.
    return first ?? this.recent(id, serves) ?? answer;
  }

  private remember(id: string, answer: Timestamped<MaybeOrganization>): void {
    if ((this.lastAnswers.get(id)?.at ?? 0) <= answer.at) this.lastAnswers.set(id, answer);
  }

  private recent(id: string, serves: (state: MaybeOrganization) => boolean): Timestamped<MaybeOrganization> | null {
    const last = this.lastAnswers.get(id);
    if (last === undefined || !serves(last.value)) return null;
    const age = this.time() - last.at;
    // A clock that was set back makes an answer no younger.
    return age >= 0 && age <= MAX_FALLBACK_AGE_MS ? last : null;
  }

  private async load(id: string): Promise<MaybeOrganization> {
    try {
      return (await this.handler.load(organizationAggregate(id), true)).state;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'unavailable') throw error;
      throw new StoreUnavailable('the log cannot be asked for roles', false, { cause: error });
    }
  }
}

/** Returns what a promise answers within `ms`; null where it does not, or where the store is away. */
async function orTimeout<T>(answer: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), null);
  });
  try {
    return await Promise.race([answer, silence]);
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
