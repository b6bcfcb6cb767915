import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Role } from '../../commands/organization/caller.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import type { AccountLinkEvent, LinkKind, OnLinkEvent } from '../access-log/access-events.ts';
import type { ClientInfo } from '../client-info.ts';
import { generateSecret, secretId } from '../sign-in/secret-text.ts';

/** A link that works once. Its id is the SHA-256 of its secret, so the id may be shown and sent in forms. */
export interface OneTimeLink extends AccountRecord {
  kind: LinkKind;
  /** The account of a SETUP or RESET link. For an INVITATION, the only account that may use it (see `restrictTo`). */
  account_id: string | null;
  /** The organization of an INVITATION. */
  organization_id: string | null;
  role: Role | null;
  /** The end of the membership that an INVITATION leads to. Absent or null without one. */
  until?: string | null;
  /** The creator's note about the guest. Nobody else sees it. Erased when the link is used, because it can name the guest. */
  note: string;
  /** An account's id, or SYSTEM. */
  made_by: string;
  created_at: string;
  expires_at: string;
  used_at: string | null;
}

export type NewOneTimeLink = { made_by: string; note?: string } & (
  | { kind: 'SETUP' | 'RESET'; account_id: string }
  | { kind: 'INVITATION'; organization_id: string; role: Role; until?: string | null }
);

export interface OneTimeLinksOptions {
  accounts: AccountStore;
  now: TimeSource;
  onLinkEvent?: OnLinkEvent | undefined;
}

const HOUR_MS = 3_600_000;
const LIFETIME_MS: Readonly<Record<LinkKind, number>> = {
  SETUP: 24 * HOUR_MS,
  INVITATION: 7 * 24 * HOUR_MS,
  RESET: HOUR_MS,
};

/** Links that people pass on: `/welcome?key=<secret>`. The caller checks who may create which kind. */
export class OneTimeLinks {
  constructor(private readonly options: OneTimeLinksOptions) {}

  /** Creates a link. `secret` is returned only here. SETUP is valid for a day, INVITATION a week, RESET an hour. */
  async create(newLink: NewOneTimeLink, clientInfo?: ClientInfo): Promise<{ secret: string; record: OneTimeLink }> {
    const secret = generateSecret();
    const now = this.options.now();
    const record: OneTimeLink = {
      account_id: null,
      organization_id: null,
      role: null,
      note: '',
      ...newLink,
      id: secretId(secret)!,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIFETIME_MS[newLink.kind]).toISOString(),
      used_at: null,
    };
    await this.options.accounts.insert('links', record);
    this.reportLinkEvent('ACCOUNT_LINK_CREATED', record, record.made_by, clientInfo);
    return { secret, record };
  }

  /** Returns a secret's link without using it; null if it was used, revoked or has expired. */
  async find(secret: string): Promise<OneTimeLink | null> {
    const id = secretId(secret);
    const link = id === null ? null : await this.options.accounts.get<OneTimeLink>('links', id);
    return link !== null && this.isOpen(link) ? link : null;
  }

  /** Returns a secret's valid link of this kind. @throws Refusal not_found */
  async require(secret: string, kind: LinkKind): Promise<OneTimeLink> {
    const link = await this.find(secret);
    if (link?.kind === kind) return link;
    throw linkNotFound();
  }

  /**
   * Uses a link for some work. Of several concurrent calls, one does it. If the work fails, the link stays valid.
   * @throws Refusal not_found; otherwise as `work` does
   */
  async use<T>(secret: string, kind: LinkKind, work: (link: OneTimeLink) => Promise<T>): Promise<T> {
    const { accounts, now } = this.options;
    const link = await this.require(secret, kind);
    const used_at = now().toISOString();
    const before = { used_at: null, account_id: link.account_id };
    if (!(await accounts.update('links', link.id, { used_at, note: '' }, before))) return this.use(secret, kind, work);
    try {
      return await work(link);
    } catch (error) {
      await accounts.update('links', link.id, { used_at: null, note: link.note });
      throw error;
    }
  }

  /** Restricts an invitation to one account: one that may have used it already, or whose address was entered. */
  async restrictTo(id: string, accountId: string): Promise<void> {
    await this.options.accounts.update('links', id, { account_id: accountId });
  }

  /** Returns an organization's open invitations, newest first. */
  async list(organizationId: string): Promise<OneTimeLink[]> {
    const links = await this.options.accounts.find<OneTimeLink>('links', 'organization_id', organizationId);
    const open = links.filter((link) => link.kind === 'INVITATION' && this.isOpen(link));
    return open.sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id));
  }

  /** Revokes an invitation of this organization. Returns false if there is none. `by` is an account's id, or SYSTEM. */
  async revoke(organizationId: string, id: string, by = 'SYSTEM', clientInfo?: ClientInfo): Promise<boolean> {
    const { accounts } = this.options;
    const link = await accounts.get<OneTimeLink>('links', id);
    if (link?.organization_id !== organizationId || !(await accounts.remove('links', id))) return false;
    this.reportLinkEvent('ACCOUNT_LINK_REVOKED', link, by, clientInfo);
    return true;
  }

  /** Revokes all links into an account. */
  async revokeAllOf(accountId: string): Promise<void> {
    const { accounts } = this.options;
    for (const { id } of await accounts.find<OneTimeLink>('links', 'account_id', accountId))
      await accounts.remove('links', id);
  }

  private reportLinkEvent(
    type: AccountLinkEvent['type'],
    { kind, account_id, organization_id }: OneTimeLink,
    by: string,
    clientInfo: ClientInfo | undefined,
  ): void {
    this.options.onLinkEvent?.({ type, kind, account_id, organization_id, by, clientInfo });
  }

  private isOpen(link: OneTimeLink): boolean {
    return link.used_at === null && !hasPassed(link.expires_at, this.options.now);
  }
}

export function linkNotFound(): Refusal {
  return new Refusal('not_found', 'This link was used, was revoked or has expired. Ask for another.');
}
