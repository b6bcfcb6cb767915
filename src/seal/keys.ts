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
  /** Those of this installation that are known, the first one first: the last is in force. */
  private readonly own: SigningKey[] = [];

  constructor(
    private readonly accounts: AccountStore,
    private readonly now: () => Date,
  ) {}

  /** The key in force, made where there is none yet. */
  async current(): Promise<SigningKey> {
    return (await this.all()).at(-1)!;
  }

  /** All that were ever in force, the first one first. */
  async all(): Promise<readonly SigningKey[]> {
    await this.followOthers();
    if (this.own.length === 0) {
      await this.make(1);
      await this.followOthers();
    }
    return this.own;
  }

  /** Keys that were put in force meanwhile, here or by another process. */
  private async followOthers(): Promise<void> {
    for (let number = this.own.length + 1; ; number += 1) {
      const key = readRecord(await this.accounts.get('secrets', `${NUMBERED}${number}`));
      if (key === null) return;
      this.own[number - 1] = key;
    }
  }

  /** A key that was ever in force here or was taken over; null where it is lost. */
  async find(keyId: string): Promise<SigningKey | null> {
    const own = (await this.all()).find(({ key_id }) => key_id === keyId);
    return own ?? readRecord(await this.accounts.get('secrets', `${TAKEN_OVER}${keyId}`));
  }

  /** Puts another key in force. The elected instance lets it follow in each organization's seals. */
  async rotate(): Promise<SigningKey> {
    await this.make((await this.all()).length + 1);
    return this.current();
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
}

function readRecord(record: AccountRecord | null): SigningKey | null {
  return record && signingKey(createPrivateKey((record as KeyRecord).private_key));
}

function numberOf({ id }: KeyRecord): number {
  return id.startsWith(NUMBERED) ? Number(id.slice(NUMBERED.length)) : Number.MAX_SAFE_INTEGER;
}
