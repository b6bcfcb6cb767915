import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type SigningKey, signingKey } from '../trail/key.ts';

interface KeyRecord extends AccountRecord {
  /** PEM (PKCS8). */
  private_key: string;
  created_at: string;
}

/** Keys of this installation, numbered from 1: the highest is in force. Of others it holds those it took over. */
const OWN_KEY_PREFIX = 'seal-key:';
const IMPORTED_KEY_PREFIX = 'seal-key-of:';
/** Histories that are only half there: nothing may be sealed behind them. */
const PAUSED_PREFIX = 'being-restored:';

/** Whether a record of the table `secrets` is a key that seals are made with. */
export function isSealKey({ id }: AccountRecord): boolean {
  return id.startsWith(OWN_KEY_PREFIX) || id.startsWith(IMPORTED_KEY_PREFIX);
}

/** What the key in such a record is called. */
export function sealKeyId(record: AccountRecord): string {
  return readSigningKey(record)!.key_id;
}

/**
 * The keys that an installation seals with, in the account store, so that all instances have the same: of two that make
 * one at once, the first insert wins.
 */
export class SealKeys {
  /** Those of this installation that are known, the first one first: the last is in force. */
  private readonly ownKeys: SigningKey[] = [];

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
    await this.loadNewKeys();
    if (this.ownKeys.length === 0) {
      await this.createKey(1);
      await this.loadNewKeys();
    }
    return this.ownKeys;
  }

  /** Keys that were put in force meanwhile, here or by another process. */
  private async loadNewKeys(): Promise<void> {
    for (let number = this.ownKeys.length + 1; ; number += 1) {
      const key = readSigningKey(await this.accounts.get('secrets', `${OWN_KEY_PREFIX}${number}`));
      if (key === null) return;
      this.ownKeys[number - 1] = key;
    }
  }

  /** A key that was ever in force here or was taken over; null where it is lost. */
  async find(keyId: string): Promise<SigningKey | null> {
    const own = (await this.all()).find(({ key_id }) => key_id === keyId);
    return own ?? readSigningKey(await this.accounts.get('secrets', `${IMPORTED_KEY_PREFIX}${keyId}`));
  }

  /** Puts another key in force. The elected instance lets it follow in each organization's seals. */
  async rotate(): Promise<SigningKey> {
    await this.createKey((await this.all()).length + 1);
    return this.current();
  }

  /**
   * Takes over keys of a backup. Where there is none yet they are in force as they were; else they only sign that the
   * one in force here follows them.
   */
  async importKeys(records: readonly AccountRecord[]): Promise<number> {
    const keys = records.filter(isSealKey) as KeyRecord[];
    const isFirst = (await this.accounts.get('secrets', `${OWN_KEY_PREFIX}1`)) === null;
    // The first of the numbered ones last: as long as it is absent, this can be done again.
    for (const record of keys.sort((a, b) => numberOf(b) - numberOf(a))) {
      const id = isFirst ? record.id : `${IMPORTED_KEY_PREFIX}${readSigningKey(record)!.key_id}`;
      await this.accounts.insert('secrets', { ...record, id });
    }
    return keys.length;
  }

  /** Lets nothing of an organization be sealed, as long as its history is being restored. */
  async pauseSealing(organizationId: string): Promise<void> {
    await this.accounts.insert('secrets', { id: `${PAUSED_PREFIX}${organizationId}`, since: this.now().toISOString() });
  }

  async resumeSealing(organizationId: string): Promise<void> {
    await this.accounts.remove('secrets', `${PAUSED_PREFIX}${organizationId}`);
  }

  async isSealingPaused(organizationId: string): Promise<boolean> {
    return (await this.accounts.get('secrets', `${PAUSED_PREFIX}${organizationId}`)) !== null;
  }

  private async createKey(number: number): Promise<void> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await this.accounts.insert('secrets', {
      id: `${OWN_KEY_PREFIX}${number}`,
      private_key,
      created_at: this.now().toISOString(),
    });
  }
}

function readSigningKey(record: AccountRecord | null): SigningKey | null {
  return record && signingKey(createPrivateKey((record as KeyRecord).private_key));
}

function numberOf({ id }: KeyRecord): number {
  return id.startsWith(OWN_KEY_PREFIX) ? Number(id.slice(OWN_KEY_PREFIX.length)) : Number.MAX_SAFE_INTEGER;
}
