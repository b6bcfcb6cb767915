import { type CountedSeal, type KeyNote, MAX_NOTES, type SealFault } from '../check/verdict.ts';
import type { TrailCrypto } from '../crypto.ts';
import type { TrailEvent } from '../event.ts';
import { type PublicKey, readPublicKey } from './key.ts';
import { isSealEventSigned, type LogSealed, readSealEvent, type SealEvent, type SealEventType } from './seal-events.ts';

type SealFaultCode = SealFault['why'];

/** The key that seals must be signed with. */
interface ActiveKey {
  key: PublicKey;
  /** True if the caller trusts the key, or a trusted key rotated to it. */
  trusted: boolean;
}

/** The tree that seals are checked against. `TreeWindow` is one. */
interface SealedTree {
  /** Returns the root over the first `size` events. Null if it isn't known. */
  rootAt(size: number): string | null;
  readonly nonSealEvents: { inTree: number };
}

/** The seal before the first event that is checked, and its key. */
export interface SealCheckStart {
  key: PublicKey;
  /** The `hash` of the seal's event. */
  previousSeal: string;
  sealedSize: number;
}

/** Checks an organization's seal stream: keys, signatures, order and roots. */
export class SealCheck {
  readonly keys: KeyNote[] = [];
  keysTotal = 0;
  total = 0;
  unchecked = 0;
  /** The newest valid seal that a trusted key signed. */
  newest: CountedSeal | null = null;
  /** The first valid seal after that, signed with a key that isn't trusted. */
  private firstUntrusted: SealFault | null = null;
  private activeKey: ActiveKey | null = null;
  private previousSeal: string | null = null;
  private sealedSize = 0;
  private firstFault: SealFault | null = null;

  /** The trusted keys among `wantedKeyIds`, by their texts. */
  readonly wantedTrustedKeys = new Map<string, PublicKey>();

  /**
   * @param isTrusted returns true for the texts of keys that the caller trusts
   * @param wantedKeyIds ids of keys to look for among all keys, also after `keys` is full
   * @param start null to check the stream from its first event
   */
  constructor(
    private readonly crypto: TrailCrypto,
    private readonly organizationId: string,
    private readonly isTrusted: (keyText: string) => boolean,
    private readonly tree: SealedTree,
    private readonly wantedKeyIds: ReadonlySet<string> = new Set(),
    start: SealCheckStart | null = null,
  ) {
    if (start === null) return;
    this.activeKey = { key: start.key, trusted: isTrusted(start.key.text) };
    this.previousSeal = start.previousSeal;
    this.sealedSize = start.sealedSize;
  }

  /** The first faulty seal. If there is none, the first one whose key isn't trusted. */
  get fault(): SealFault | null {
    return this.faultBeyond(0);
  }

  /** Returns the first fault, but allows untrusted keys' seals of the first `proved` events, which a kept seal covers. */
  faultBeyond(proved: number): SealFault | null {
    return this.firstFault ?? (this.sealedSize > proved ? this.firstUntrusted : null);
  }

  /** Checks the next event of the seal stream. Its own hash is already verified. */
  checkEvent(type: SealEventType, event: TrailEvent, position: number): void {
    const sealEvent = readSealEvent(type, event.data);
    const why = sealEvent === null ? 'MALFORMED' : this.findFault(sealEvent, event, position);
    if (sealEvent?.type === 'LogSealed') {
      this.total += 1;
      this.previousSeal = event.metadata.hash;
      this.sealedSize = Math.max(this.sealedSize, sealEvent.data.size);
    }
    if (why !== null) this.firstFault ??= this.toSealFault(why, event, position, sealEvent);
  }

  private findFault(sealEvent: SealEvent, event: TrailEvent, position: number): SealFaultCode | null {
    const key =
      sealEvent.type === 'LogSealed' ? this.activeKey?.key : readPublicKey(this.crypto, sealEvent.data.public_key);
    if (key?.key_id !== sealEvent.data.key_id || !this.isAllowedHere(sealEvent)) return 'KEY';
    if (!isSealEventSigned(this.organizationId, sealEvent, key, this.activeKey?.key ?? null)) return 'SIGNATURE';
    if (sealEvent.type !== 'SealKeyIntroduced' && sealEvent.data.previous_seal !== this.previousSeal)
      return 'PREVIOUS_SEAL';
    if (sealEvent.type === 'LogSealed') return this.findTreeFault(sealEvent.data, event, position);
    this.activateKey(sealEvent, key, position);
    return null;
  }

  private isAllowedHere(sealEvent: SealEvent): boolean {
    if (sealEvent.type === 'SealKeyIntroduced') return this.activeKey === null;
    if (sealEvent.type === 'SealKeyRotated') return sealEvent.data.from_key_id === this.activeKey?.key.key_id;
    return this.activeKey !== null;
  }

  private findTreeFault(seal: LogSealed, event: TrailEvent, position: number): SealFaultCode | null {
    if (seal.size <= this.sealedSize || seal.size >= position) return 'SIZE';
    const root = this.tree.rootAt(seal.size);
    if (root === null) this.unchecked += 1;
    else if (root !== seal.root) return 'ROOT';
    else this.recordGoodSeal(seal, event, position);
    return null;
  }

  private recordGoodSeal(seal: LogSealed, event: TrailEvent, position: number): void {
    if (this.firstFault !== null) return;
    const { size, root, sealed_at, key_id } = seal;
    if (this.activeKey!.trusted) {
      this.newest = { size, root, sealed_at, key_id, position, nonSealEvents: this.tree.nonSealEvents.inTree };
      this.firstUntrusted = null;
    } else {
      this.firstUntrusted ??= this.toSealFault('NOT_GIVEN', event, position, { type: 'LogSealed', data: seal });
    }
  }

  /** Makes a key the one that later seals must be signed with. */
  private activateKey({ type }: SealEvent, key: PublicKey, position: number): void {
    const isRotatedFromTrusted = type === 'SealKeyRotated' && this.activeKey!.trusted;
    const trusted = isRotatedFromTrusted || this.isTrusted(key.text);
    this.activeKey = { key, trusted };
    this.keysTotal += 1;
    if (trusted && this.wantedKeyIds.has(key.key_id)) this.wantedTrustedKeys.set(key.text, key);
    if (this.keys.length === MAX_NOTES) return;
    const change = type === 'SealKeyRotated' ? 'ROTATED' : type === 'SealKeyReplaced' ? 'REPLACED' : 'INTRODUCED';
    this.keys.push({ position, key_id: key.key_id, public_key: key.text, how: change, trusted });
  }

  private toSealFault(why: SealFaultCode, event: TrailEvent, position: number, sealEvent: SealEvent | null): SealFault {
    const from = (this.newest?.size ?? 0) + 1;
    // These seals are genuine, so what they cover is at fault. For other faults, the seal itself may be altered.
    const isGenuine = sealEvent?.type === 'LogSealed' && (why === 'ROOT' || why === 'NOT_GIVEN');
    const until = isGenuine ? sealEvent.data.size : position;
    return {
      why,
      position,
      event_id: event.id,
      key_id: sealEvent?.data.key_id ?? null,
      from,
      until: Math.max(from, until),
    };
  }
}
