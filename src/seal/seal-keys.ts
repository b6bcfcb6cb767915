import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { type AccountRecord, type AccountStore, RESTORE_MARK_PREFIX } from '../stores/account-store.ts';
import { signingKey } from '../trail/node/signing-key.ts';
import type { SigningKey } from '../trail/seals/key.ts';

interface KeyRecord extends AccountRecord {
  /** PEM (PKCS8). */
  private_key: string;
  created_at: string;
}

/** Prefix of this installation's own keys, numbered from 1. The highest number is the current key. */
const OWN_KEY_PREFIX = 'seal-key:';
const IMPORTED_KEY_PREFIX = 'seal-key-of:';

/** Returns true if a record of the table `secrets` is a seal key. */
export function isSealKey({ id }: AccountRecord): boolean {
  return id.startsWith(OWN_KEY_PREFIX) || id.startsWith(IMPORTED_KEY_PREFIX);
}

/** Returns the key id of a seal key's record. */
export function sealKeyId(record: AccountRecord): string {
  return readSigningKey(record)!.key_id;
}

/**
 * The keys that an installation seals with. They are in the account store, so that all instances use the same ones. If
 * two instances create a key at once, the first insert wins.
 */
export class SealKeys {
  /** This installation's own keys as read so far, oldest first. The last one is current. */
  private readonly cachedKeys: SigningKey[] = [];

  constructor(
    private readonly accounts: AccountStore,
    private readonly now: () => Date,
  ) {}

  /** Returns the current key. Creates one if there is none. */
  async currentKey(): Promise<SigningKey> {
    return (await this.ownKeys()).at(-1)!;
  }

  /** Returns this installation's own keys, oldest first. Creates one if there is none. */
  async ownKeys(): Promise<readonly SigningKey[]> {
    await this.loadNewKeys();
    if (this.cachedKeys.length === 0) {
      await this.createKey(1);
      await this.loadNewKeys();
    }
    return this.cachedKeys;
  }

  /** Reads keys that were created meanwhile, here or by another process. */
  private async loadNewKeys(): Promise<void> {
    for (let number = this.cachedKeys.length + 1; ; number += 1) {
      const key = readSigningKey(await this.accounts.get('secrets', `${OWN_KEY_PREFIX}${number}`));
      if (key === null) return;
      this.cachedKeys[number - 1] = key;
    }
  }

  /** Returns an own or imported key, or null if it is lost. */
  async findKey(keyId: string): Promise<SigningKey | null> {
    const ownKey = (await this.ownKeys()).find(({ key_id }) => key_id === keyId);
    return ownKey ?? readSigningKey(await this.accounts.get('secrets', `${IMPORTED_KEY_PREFIX}${keyId}`));
  }

  /** Creates a new current key. The sealing instance then rotates to it in each organization's seal stream. */
  async rotate(): Promise<SigningKey> {
    await this.createKey((await this.ownKeys()).length + 1);
    return this.currentKey();
  }

  /**
   * Imports the keys of a backup. If there is no own key yet, they become the own keys. Otherwise they only sign the
   * rotation to the current key.
   * @returns the number of keys
   */
  async importKeys(records: readonly AccountRecord[]): Promise<number> {
    const keys = records.filter(isSealKey) as KeyRecord[];
    const hasNoOwnKey = (await this.accounts.get('secrets', `${OWN_KEY_PREFIX}1`)) === null;
    // Key 1 last: as long as it is absent, an interrupted import can be repeated.
    for (const record of keys.sort((a, b) => numberOf(b) - numberOf(a))) {
      const id = hasNoOwnKey ? record.id : `${IMPORTED_KEY_PREFIX}${readSigningKey(record)!.key_id}`;
      await this.accounts.insert('secrets', { ...record, id });
    }
    return keys.length;
  }

  /** Stops sealing an organization while its history is being restored. */
  async pauseSealing(organizationId: string): Promise<void> {
    await this.accounts.insert('secrets', {
      id: `${RESTORE_MARK_PREFIX}${organizationId}`,
      since: this.now().toISOString(),
    });
  }

  async resumeSealing(organizationId: string): Promise<void> {
    await this.accounts.remove('secrets', `${RESTORE_MARK_PREFIX}${organizationId}`);
  }

  async isSealingPaused(organizationId: string): Promise<boolean> {
    return (await this.accounts.get('secrets', `${RESTORE_MARK_PREFIX}${organizationId}`)) !== null;
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
