import type { Role } from '../commands/caller.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { unbuilt } from './unbuilt.ts';

export type LinkKind = 'SETUP' | 'INVITATION' | 'RESET';

/** A link that begins something once. The id is the SHA-256 of its secret, so it may be shown and sent in forms. */
export interface Link extends AccountRecord {
  kind: LinkKind;
  /** Whose, of SETUP and RESET; null for an INVITATION. */
  account_id: string | null;
  /** Of an INVITATION, with the role. */
  organization_id: string | null;
  role: Role | null;
  /** What its maker knows the guest by: said to nobody else. */
  note: string;
  /** An account's id, or SYSTEM. */
  made_by: string;
  created_at: string;
  expires_at: string;
  used_at: string | null;
}

export type NewLink = { made_by: string; note?: string } & (
  | { kind: 'SETUP' | 'RESET'; account_id: string }
  | { kind: 'INVITATION'; organization_id: string; role: Role }
);

export interface LinksParts {
  accounts: AccountStore;
  now: () => Date;
}

/** Links that are handed over by people: `/welcome?key=<secret>`. Who may make which is for the caller to check. */
export class Links {
  constructor(private readonly parts: LinksParts) {}

  /** `secret` is told this once. */
  async create(wanted: NewLink): Promise<{ secret: string; record: Link }> {
    return unbuilt(this.parts, wanted);
  }

  /** The link that a secret opens; null when it was used or withdrawn, or is over. Uses nothing up. */
  async find(secret: string): Promise<Link | null> {
    return unbuilt(secret);
  }

  /** Invitations of an organization that can still be taken, newest first. */
  async list(organizationId: string): Promise<Link[]> {
    return unbuilt(organizationId);
  }

  /** Takes back an invitation of this organization. Answers whether there was one. */
  async withdraw(organizationId: string, id: string): Promise<boolean> {
    return unbuilt(organizationId, id);
  }
}
