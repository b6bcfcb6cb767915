import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type SigningKey, signingKey } from '../trail/key.ts';

interface KeyRecord extends AccountRecord {
  /** PEM (PKCS8). */
  private_key: string;
  created_at: string;
}

/** Keys of this installation, numbered from 1: the highest is in force. Of others it holds those it took over. */
const NUMBERED = 'seal-key:';
const TAKEN_OVER = 'seal-key-of:';
/** Histories that are only half there: nothing may be sealed behind them. */
const RESTORED = 'being-restored:';

/** Whether a record of the table `secrets` is a key that seals are made with. */
export function isSealKey({ id }: AccountRecord): boolean {
  return id.startsWith(NUMBERED) || id.startsWith(TAKEN_OVER);
}

/** What the key in such a record is called. */
export function sealKeyId(record: AccountRecord): string {
  return readRecord(record)!.key_id;
}

/**
 * The keys that an installation seals with, in the account store, so that all instances have the same: of two that make
 * one at once, the first insert wins.
 */
export class SealKeys {
  private number = 0;
  private inForce: SigningKey | null = null;
  private readonly known = new Map<string, SigningKey>();

  constructor(
    private readonly accounts: AccountStore,
    private readonly now: () => Date,
  ) {}

  /** The key in force, made where there is none yet. */
  async current(): Promise<SigningKey> {
    await this.followOthers();
    if (this.inForce === null) {
      await this.make(1);
      await this.followOthers();
    }
    return this.inForce!;
  }

  /** Keys that were put in force meanwhile, here or by another process. */
  private async followOthers(): Promise<void> {
    for (let next = await this.read(this.number + 1); next !== null; next = await this.read(this.number + 1)) {
      this.number += 1;
      this.inForce = next;
    }
  }

  /** A key that was ever in force here or was taken over; null where it is lost. */
  async find(keyId: string): Promise<SigningKey | null> {
    await this.current();
    const known = this.known.get(keyId) ?? readRecord(await this.accounts.get('secrets', `${TAKEN_OVER}${keyId}`));
    if (known !== null) this.known.set(keyId, known);
    return known;
  }

  /** Puts another key in force. The elected instance lets it follow in each organization's seals. */
  async rotate(): Promise<SigningKey> {
    await this.current();
    await this.make(this.number + 1);
    return this.current();
  }

  /** All that were ever in force, the first one first. */
  async all(): Promise<SigningKey[]> {
    await this.current();
    const keys: SigningKey[] = [];
    for (let number = 1; number <= this.number; number += 1) keys.push((await this.read(number))!);
    return keys;
  }

  /**
   * Takes over keys of a backup. Where there is none yet they are in force as they were; else they only sign that the
   * one in force here follows them.
   */
  async takeOver(records: readonly AccountRecord[]): Promise<number> {
    const keys = records.filter(isSealKey) as KeyRecord[];
    const isFirst = (await this.accounts.get('secrets', `${NUMBERED}1`)) === null;
    // The first of the numbered ones last: as long as it is absent, this can be done again.
    for (const record of keys.sort((a, b) => numberOf(b) - numberOf(a))) {
      const id = isFirst ? record.id : `${TAKEN_OVER}${readRecord(record)!.key_id}`;
      await this.accounts.insert('secrets', { ...record, id });
    }
    return keys.length;
  }

  /** Lets nothing of an organization be sealed, as long as its history is being restored. */
  async hold(organizationId: string): Promise<void> {
    await this.accounts.insert('secrets', { id: `${RESTORED}${organizationId}`, since: this.now().toISOString() });
  }

  async letGo(organizationId: string): Promise<void> {
    await this.accounts.remove('secrets', `${RESTORED}${organizationId}`);
  }

  async isHeld(organizationId: string): Promise<boolean> {
    return (await this.accounts.get('secrets', `${RESTORED}${organizationId}`)) !== null;
  }

  private async make(number: number): Promise<void> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await this.accounts.insert('secrets', {
      id: `${NUMBERED}${number}`,
      private_key,
      created_at: this.now().toISOString(),
    });
  }

  private async read(number: number): Promise<SigningKey | null> {
    const key = readRecord(await this.accounts.get('secrets', `${NUMBERED}${number}`));
    if (key !== null) this.known.set(key.key_id, key);
    return key;
  }
}

function readRecord(record: AccountRecord | null): SigningKey | null {
  return record && signingKey(createPrivateKey((record as KeyRecord).private_key));
}

function numberOf({ id }: KeyRecord): number {
  return id.startsWith(NUMBERED) ? Number(id.slice(NUMBERED.length)) : Number.MAX_SAFE_INTEGER;
}
