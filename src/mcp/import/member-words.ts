import { idPrefix } from '../../commands/engine/ids.ts';
import { normalize } from '../../commands/engine/normalize.ts';

/** A present member of an organization, as far as the importer may see one. */
export interface MemberIdentity {
  account_id: string;
  name: string;
  /** Null if the importer may not see it. */
  email: string | null;
}

/** The account that a word means, or why it means none: a clause that follows the word. */
export type WordMeaning = { account_id: string } | { problem: 'UNKNOWN' | 'CONFUSABLE' };

/** Characters of the longest name or address. */
const MAX_WORD_CHARACTERS = 400;
/** An address behind a name, as in "Jane Doe <jane@example.org>". */
const ADDRESS = /<\s*([^<>\s]+@[^<>\s]+)\s*>$/;

/** Finds members by their whole name or their e-mail address. Case, character width and repeated spaces don't matter. */
export class MemberWords {
  private readonly accounts = new Map<string, string[]>();
  private readonly accountsByAddress = new Map<string, string>();

  constructor(members: readonly MemberIdentity[]) {
    for (const { account_id, name, email } of members) {
      if (email !== null) this.accountsByAddress.set(keyOf(email), account_id);
      for (const text of [name, email]) {
        if (text === null) continue;
        const key = keyOf(text);
        this.accounts.set(key, [...(this.accounts.get(key) ?? []), account_id]);
      }
    }
  }

  /** Returns true for ME and ids, which are never names. */
  static isReserved(word: string): boolean {
    return word === 'ME' || word === 'SYSTEM' || idPrefix(word) !== null || /^acc_/i.test(word);
  }

  find(word: string): WordMeaning {
    if (word.length > MAX_WORD_CHARACTERS) return { problem: 'UNKNOWN' };
    const [account_id, ...others] = new Set(this.accounts.get(keyOf(addressIn(word))));
    if (account_id === undefined) return { problem: 'UNKNOWN' };
    return others.length > 0 ? { problem: 'CONFUSABLE' } : { account_id };
  }

  /** Returns the account with an e-mail address; null for any other text. */
  findByAddress(word: string): string | null {
    if (word.length > MAX_WORD_CHARACTERS) return null;
    return this.accountsByAddress.get(keyOf(addressIn(word))) ?? null;
  }
}

function addressIn(word: string): string {
  return ADDRESS.exec(word)?.[1] ?? word;
}

function keyOf(text: string): string {
  return normalize(text, 'NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
