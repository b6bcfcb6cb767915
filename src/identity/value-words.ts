import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { updateAtomically } from './update-atomically.ts';

/** An organization's own word for a value of a field, in its spreadsheets. */
export interface ValueWord {
  field: string;
  /** As it is compared: in lower case. */
  word: string;
  /** Empty if cells with the word count as empty. */
  value: string;
}

interface ValueWordsRecord extends AccountRecord {
  words: readonly ValueWord[];
}

/** Words of one family that are remembered. The oldest are forgotten first. */
const MAX_WORDS = 500;

/** The words of an organization's spreadsheets, which its next imports of the same family understand too. */
export class ValueWords {
  constructor(private readonly accounts: AccountStore) {}

  async of(organizationId: string, type: string): Promise<readonly ValueWord[]> {
    const record = await this.accounts.get<ValueWordsRecord>('value_words', idOf(organizationId, type));
    return record?.words ?? [];
  }

  /** Adds words. A word that has another value gets the new one. */
  async remember(organizationId: string, type: string, words: readonly ValueWord[]): Promise<void> {
    if (words.length === 0) return;
    await updateAtomically<ValueWordsRecord>(this.accounts, 'value_words', idOf(organizationId, type), (record) => {
      const isNew = ({ field, word }: ValueWord) =>
        words.every((other) => other.field !== field || other.word !== word);
      return { words: [...(record?.words ?? []).filter(isNew), ...words].slice(-MAX_WORDS) };
    });
  }

  async forget(organizationId: string, type: string): Promise<void> {
    await this.accounts.remove('value_words', idOf(organizationId, type));
  }
}

function idOf(organizationId: string, type: string): string {
  return `${organizationId} ${type}`;
}
