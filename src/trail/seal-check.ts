import type { TrailEvent } from './event.ts';
import { type PublicKey, readPublicKey } from './key.ts';
import { isFactSigned, type LogSealed, readSealFact, type SealFact, type SealFactType } from './seal.ts';
import { type CountedSeal, type KeyNote, MOST_NOTES, type SealFault } from './verdict.ts';
import type { TreeWindow } from './window.ts';

type Why = SealFault['why'];

/** A key in force, and whether it was given or follows from one that was. */
interface Force {
  key: PublicKey;
  trusted: boolean;
}

/** Follows an organization's seal stream: keys, signatures, order and roots. */
export class SealCheck {
  readonly keys: KeyNote[] = [];
  keysTotal = 0;
  total = 0;
  unchecked = 0;
  /** The newest good seal of a trusted key. */
  newest: CountedSeal | null = null;
  /** The first of the good seals after that, which nobody vouches for. */
  private distrusted: SealFault | null = null;
  private force: Force | null = null;
  private previousSeal: string | null = null;
  private size = 0;
  private firstFault: SealFault | null = null;

  /** Those of the keys asked for that the given ones vouch for, by their texts. */
  readonly followers = new Map<string, PublicKey>();

  /**
   * @param given texts of the keys that were given
   * @param asked ids of keys that somebody wants to know of, be they beyond those that are listed
   */
  constructor(
    private readonly organizationId: string,
    private readonly given: ReadonlySet<string>,
    private readonly window: TreeWindow,
    private readonly asked: ReadonlySet<string> = new Set(),
  ) {}

  /** The first seal that does not fit; once all are seen, also one that nobody vouches for. */
  get fault(): SealFault | null {
    return this.faultBeyond(0);
  }

  /** The same where a seal kept elsewhere vouches for the first `proved` events, whosever seals in the history are. */
  faultBeyond(proved: number): SealFault | null {
    return this.firstFault ?? (this.size > proved ? this.distrusted : null);
  }

  /** The next event of the seal stream, authentic by its hash. */
  take(type: SealFactType, event: TrailEvent, position: number): void {
    const fact = readSealFact(type, event.data);
    const why = fact === null ? 'MALFORMED' : this.judge(fact, event, position);
    if (fact?.type === 'LogSealed') {
      this.total += 1;
      this.previousSeal = event.metadata.hash;
      this.size = Math.max(this.size, fact.data.size);
    }
    if (why !== null) this.firstFault ??= this.faultOf(why, event, position, fact);
  }

  private judge(fact: SealFact, event: TrailEvent, position: number): Why | null {
    const key = fact.type === 'LogSealed' ? this.force?.key : readPublicKey(fact.data.public_key);
    if (key?.key_id !== fact.data.key_id || !this.mayStandHere(fact)) return 'KEY';
    if (!isFactSigned(this.organizationId, fact, key, this.force?.key ?? null)) return 'SIGNATURE';
    if (fact.type !== 'SealKeyIntroduced' && fact.data.previous_seal !== this.previousSeal) return 'PREVIOUS_SEAL';
    if (fact.type === 'LogSealed') return this.judgeTree(fact.data, event, position);
    this.enforce(fact, key, position);
    return null;
  }

  private mayStandHere(fact: SealFact): boolean {
    if (fact.type === 'SealKeyIntroduced') return this.force === null;
    if (fact.type === 'SealKeyRotated') return fact.data.from_key_id === this.force?.key.key_id;
    return this.force !== null;
  }

  private judgeTree(seal: LogSealed, event: TrailEvent, position: number): Why | null {
    if (seal.size <= this.size || seal.size >= position) return 'SIZE';
    const root = this.window.rootAt(seal.size);
    if (root === null) this.unchecked += 1;
    else if (root.toString('hex') !== seal.root) return 'ROOT';
    else this.keep(seal, event, position);
    return null;
  }

  private keep(seal: LogSealed, event: TrailEvent, position: number): void {
    if (this.firstFault !== null) return;
    const { size, root, sealed_at, key_id } = seal;
    if (this.force!.trusted) {
      this.newest = { size, root, sealed_at, key_id, position, others: this.window.others.grown };
      this.distrusted = null;
    } else {
      this.distrusted ??= this.faultOf('NOT_GIVEN', event, position, { type: 'LogSealed', data: seal });
    }
  }

  /** From here on it is this key that seals. */
  private enforce({ type }: SealFact, key: PublicKey, position: number): void {
    const isVouchedFor = type === 'SealKeyRotated' && this.force!.trusted;
    const trusted = isVouchedFor || this.given.has(key.text);
    this.force = { key, trusted };
    this.keysTotal += 1;
    if (trusted && this.asked.has(key.key_id)) this.followers.set(key.text, key);
    if (this.keys.length === MOST_NOTES) return;
    const how = type === 'SealKeyRotated' ? 'ROTATED' : type === 'SealKeyReplaced' ? 'REPLACED' : 'INTRODUCED';
    this.keys.push({ position, key_id: key.key_id, public_key: key.text, how, trusted });
  }

  private faultOf(why: Why, event: TrailEvent, position: number, fact: SealFact | null): SealFault {
    const from = (this.newest?.size ?? 0) + 1;
    // A seal that is right by itself says what it covers; of any other, it may be the seal that was altered.
    const isRight = fact?.type === 'LogSealed' && (why === 'ROOT' || why === 'NOT_GIVEN');
    const until = isRight ? fact.data.size : position;
    return { why, position, event_id: event.id, key_id: fact?.data.key_id ?? null, from, until: Math.max(from, until) };
  }
}
