import { randomBytes } from 'node:crypto';
import { hashedId, isHashedId } from '../commands/engine/ids.ts';
import { normalize } from '../commands/engine/normalize.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';

/** The name of a person in an organization's imported files, as the file has it. */
interface ImportedNameRecord extends AccountRecord {
  organization_id: string;
  /** Null once erased. */
  name: string | null;
  /** The organization and the name, for finding it. Null once erased. */
  organization_name: string | null;
  /** 16 random bytes in hex; null once erased. Absent from names of earlier versions, whose ids are random. */
  salt?: string | null;
}

/** A name that an import has stored, and the id that events have instead. */
export interface ImportedName {
  id: string;
  name: string;
}

const ERASED_NAME = 'erased name';
/** Shown instead of a name that isn't the one whose hash is the id in the events. */
const ALTERED_NAME = 'altered name';

/**
 * The names of people without accounts who made decisions that were imported, such as a supplier's approval. Events have
 * an id instead of the name, so that it can be erased. The id is the name's salted hash, so that it can't be changed.
 */
export class ImportedNames {
  constructor(private readonly accounts: AccountStore) {}

  /** Returns the id of a name, and stores the name if it is new. */
  async idOf(organizationId: string, text: string): Promise<string> {
    const name = normalize(text, 'NFC').trim();
    const organization_name = keyOf(organizationId, name);
    const salt = randomBytes(16).toString('hex');
    const id = hashedNameId(organizationId, name, salt);
    const record: ImportedNameRecord = { id, organization_id: organizationId, name, organization_name, salt };
    for (;;) {
      const [stored] = await this.find(organization_name);
      if (stored !== undefined) return stored.id;
      // Another import may store the same name now. Then it is found.
      if (await this.accounts.insert('imported_names', record)) return record.id;
    }
  }

  /** Returns an organization's names by id. An erased one says so, and so does one that was altered. Ids of other organizations are left out. */
  async read(organizationId: string, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (const id of new Set(ids)) {
      const record = await this.accounts.get<ImportedNameRecord>('imported_names', id);
      if (record?.organization_id === organizationId)
        names.set(id, record.name === null ? ERASED_NAME : shownName(record, record.name));
    }
    return names;
  }

  /** Returns the names of an organization that aren't erased, in alphabetical order. */
  async list(organizationId: string): Promise<ImportedName[]> {
    const records = await this.accounts.find<ImportedNameRecord>('imported_names', 'organization_id', organizationId);
    const names = records.flatMap((record) => {
      const { id, name } = record;
      return name === null ? [] : [{ id, name: shownName(record, name) }];
    });
    return names.sort((a, b) => a.name.localeCompare(b.name));
  }

  /** Erases a name. Readers of history then see "erased name". Returns false if the organization has no such name. */
  async erase(organizationId: string, id: string): Promise<boolean> {
    const erased = { name: null, organization_name: null, salt: null };
    return this.accounts.update('imported_names', id, erased, { organization_id: organizationId });
  }

  private find(organizationName: string): Promise<ImportedNameRecord[]> {
    return this.accounts.find<ImportedNameRecord>('imported_names', 'organization_name', organizationName);
  }
}

function hashedNameId(organization_id: string, name: string, salt: string): string {
  return hashedId('nam', salt, { organization_id, name });
}

function shownName({ id, organization_id, salt }: ImportedNameRecord, name: string): string {
  return isHashedId(id) && id !== hashedNameId(organization_id, name, salt ?? '') ? ALTERED_NAME : name;
}

function keyOf(organizationId: string, name: string): string {
  return `${organizationId} ${name}`;
}
