import type { TrailEvent } from './event.ts';
import { fromBase64, type PublicKey, readPublicKey } from './key.ts';
import {
  isSigned,
  type LogSealed,
  readSealFact,
  type SealFact,
  type SealFactType,
  type SealKeyReplaced,
  type SealKeyRotated,
} from './seal.ts';
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

  /** @param given texts of the keys that were given */
  constructor(
    private readonly organizationId: string,
    private readonly given: ReadonlySet<string>,
    private readonly window: TreeWindow,
  ) {}

  /** The first seal that does not fit; once all are seen, also one that nobody vouches for. */
  get fault(): SealFault | null {
    return this.firstFault ?? this.distrusted;
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
    switch (fact.type) {
      case 'LogSealed':
        return this.judgeSeal(fact.data, event, position);
      case 'SealKeyIntroduced':
        return this.force === null ? this.judgeKey(fact, 'INTRODUCED', position, false) : 'KEY';
      case 'SealKeyReplaced':
        return this.judgeFollower(fact.data) ?? this.judgeKey(fact, 'REPLACED', position, false);
      case 'SealKeyRotated':
        return this.judgeRotation(fact, position);
    }
  }

  private judgeSeal(seal: LogSealed, event: TrailEvent, position: number): Why | null {
    const { force } = this;
    if (force === null || seal.key_id !== force.key.key_id) return 'KEY';
    if (!isSigned(this.organizationId, 'LogSealed', seal, seal.signature, force.key.key)) return 'SIGNATURE';
    if (seal.previous_seal !== this.previousSeal) return 'PREVIOUS_SEAL';
    if (seal.size <= this.size || seal.size >= position) return 'SIZE';
    const root = this.window.rootAt(seal.size);
    if (root === null) this.unchecked += 1;
    else if (root.toString('hex') !== seal.root) return 'ROOT';
    else this.keep(seal, event, position, force.trusted);
    return null;
  }

  private keep(seal: LogSealed, event: TrailEvent, position: number, trusted: boolean): void {
    if (this.firstFault !== null) return;
    const { size, root, sealed_at, key_id } = seal;
    if (trusted) {
      this.newest = { size, root, sealed_at, key_id, position, others: this.window.others.grown };
      this.distrusted = null;
    } else {
      this.distrusted ??= this.faultOf('NOT_GIVEN', event, position, { type: 'LogSealed', data: seal });
    }
  }

  private judgeRotation(fact: SealFact & { type: 'SealKeyRotated' }, position: number): Why | null {
    const { force } = this;
    const { data } = fact;
    if (force === null || data.from_key_id !== force.key.key_id) return 'KEY';
    const early = this.judgeFollower(data);
    if (early !== null) return early;
    if (!isSigned(this.organizationId, fact.type, data, data.old_signature, force.key.key)) return 'SIGNATURE';
    return this.judgeKey(fact, 'ROTATED', position, force.trusted);
  }

  private judgeFollower(data: SealKeyRotated | SealKeyReplaced): Why | null {
    return data.previous_seal === this.previousSeal ? null : 'PREVIOUS_SEAL';
  }

  /** A new key, which must have signed: it is in force from here on. */
  private judgeKey(
    { type, data }: Exclude<SealFact, { type: 'LogSealed' }>,
    how: KeyNote['how'],
    position: number,
    vouched: boolean,
  ): Why | null {
    if (fromBase64(data.public_key, 32) === null) return 'MALFORMED';
    const key = readPublicKey(data.public_key);
    if (key.key_id !== data.key_id) return 'KEY';
    const signature = type === 'SealKeyRotated' ? data.new_signature : data.signature;
    if (!isSigned(this.organizationId, type, data, signature, key.key)) return 'SIGNATURE';
    const trusted = vouched || this.given.has(key.text);
    this.force = { key, trusted };
    this.keysTotal += 1;
    if (this.keys.length < MOST_NOTES) {
      this.keys.push({ position, key_id: key.key_id, public_key: key.text, how, trusted });
    }
    return null;
  }

  private faultOf(why: Why, event: TrailEvent, position: number, fact: SealFact | null): SealFault {
    const from = (this.newest?.size ?? 0) + 1;
    // A seal that is right by itself says what it covers; of any other, it may be the seal that was altered.
    const isRight = fact?.type === 'LogSealed' && (why === 'ROOT' || why === 'NOT_GIVEN');
    const until = isRight ? fact.data.size : position;
    return { why, position, event_id: event.id, key_id: fact?.data.key_id ?? null, from, until: Math.max(from, until) };
  }
}
