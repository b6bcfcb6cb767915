import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Role } from '../../commands/caller.ts';
import { lowerRole } from '../../commands/permissions.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { accountActor } from '../actor.ts';
import type { Members } from '../members.ts';
import { hashToken } from '../token.ts';
import { DEFAULT_TOKEN_DAYS, type TokenRecord } from '../token-record.ts';
import type { Tokens } from '../tokens.ts';
import { OAUTH_PATHS, type OAuthAddresses, READ_SCOPE, WRITE_SCOPE } from './addresses.ts';
import type { Clients } from './clients.ts';
import { errors, type InteractionResults, type Provider } from './oidc-provider.ts';
import { type RedirectKind, redirectHost, redirectKind } from './redirects.ts';
import { storedModelId } from './stored-model.ts';

export interface ConsentOptions {
  provider: Provider;
  addresses: OAuthAddresses;
  accounts: AccountStore;
  clients: Clients;
  tokens: Pick<Tokens, 'connect' | 'revoke' | 'listOfAccount'>;
  members: Pick<Members, 'organizationsOf'>;
  now: () => Date;
}

/** The request and response of the consent page: the browser's cookies say which request it answers. */
export interface ConsentRequest {
  req: IncomingMessage;
  res: ServerResponse;
}

/** The client's request, for the consent page. */
export interface ConsentDetails {
  /** The request's id. The page's address ends in it. */
  uid: string;
  client: {
    id: string;
    /** As it calls itself. Nobody has checked it. */
    name: string | null;
    uri: string | null;
    /** The host whose document names the client; null for one that registered itself and could be anybody. */
    publishedBy: string | null;
  };
  /** The redirect, in full and as a person can judge it: a host with its port, or a program's scheme. */
  redirect: { uri: string; host: string; kind: RedirectKind };
  asksToWrite: boolean;
  /** The person's organizations, and what they are there. */
  organizations: { id: string; name: string; role: Role }[];
  /** Suggested: the highest role that the person has everywhere, but no more than EDITOR. */
  role: Role;
  days: number;
}

export interface ConsentGrant {
  organizations: readonly string[];
  /** The most that the assistant may do: in each organization it is no more than the person's own role. */
  role: Role;
  read_only: boolean;
  /** 1 to 366; 90 unless given. */
  days?: number;
}

/** The result of answering a request. */
export interface ConsentAnswer {
  /** The address to send the browser to. */
  to: string;
  /** False where another one had been given before: this one changed nothing, whatever it said. */
  counted: boolean;
}

/** Somebody who answers at the same time is waited for so often, and so long each time. */
const MAX_CLAIM_ATTEMPTS = 20;
const CLAIM_RETRY_MS = 100;

/** Puts requests of OAuth clients to people, and takes their answers. */
export class Consent {
  constructor(private readonly options: ConsentOptions) {}

  /** @throws Refusal not_found where the browser has no such request, or no longer */
  async details(exchange: ConsentRequest, accountId: string): Promise<ConsentDetails> {
    const { uid, params } = await this.pendingInteraction(exchange);
    const client = await this.options.provider.Client.find(params.client_id);
    if (client === undefined) throw expired();
    const organizations = await this.options.members.organizationsOf(accountId);
    const uri = params.redirect_uri;
    return {
      uid,
      client: {
        id: client.clientId,
        name: client.clientName ?? null,
        uri: client.clientUri ?? null,
        publishedBy: URL.canParse(client.clientId) ? new URL(client.clientId).host : null,
      },
      redirect: { uri, host: redirectHost(uri), kind: redirectKind(uri)! },
      asksToWrite: params.scope.split(' ').includes(WRITE_SCOPE),
      organizations: organizations.map(({ id, name, role }) => ({ id, name, role })),
      role: organizations.reduce<Role>((lowest, { role }) => lowerRole(lowest, role), 'EDITOR'),
      days: DEFAULT_TOKEN_DAYS,
    };
  }

  /**
   * Connects the client on the person's behalf.
   * @throws Refusal invalid_input or forbidden naming the field of `allowed` at fault, not_found as `details`
   */
  async allow(exchange: ConsentRequest, accountId: string, allowed: ConsentGrant): Promise<ConsentAnswer> {
    return this.answerOnce(exchange, async () => {
      const { client, redirect, asksToWrite } = await this.details(exchange, accountId);
      const { organizations, role, days } = allowed;
      const record = await this.options.tokens.connect(
        {
          name: client.name ?? redirect.host,
          account_id: accountId,
          role,
          organizations,
          read_only: allowed.read_only || !asksToWrite,
          ...(days === undefined ? {} : { days }),
          client: { id: client.id, name: client.name ?? redirect.host },
        },
        accountActor(accountId),
      );
      try {
        await this.grant(record, client.id);
        const to = await this.answer(exchange, {
          login: { accountId, remember: false },
          consent: { grantId: record.id },
        });
        if (client.publishedBy === null) await this.revokeEarlierGrants(record);
        return to;
      } catch (error) {
        await this.options.tokens.revoke(record.id, 'It could not be connected.').catch(() => undefined);
        throw error;
      }
    });
  }

  /** Tells the client that it may not. @throws Refusal */
  async deny(exchange: ConsentRequest): Promise<ConsentAnswer> {
    return this.answerOnce(exchange, () =>
      this.answer(exchange, { error: 'access_denied', error_description: 'The person did not allow it' }),
    );
  }

  private async grant(
    record: { id: string; account_id: string; read_only: boolean; expires_at: string },
    clientId: string,
  ) {
    const { provider, addresses, clients, now } = this.options;
    const seconds = Math.floor((Date.parse(record.expires_at) - now().getTime()) / 1000);
    const grant = new provider.Grant({
      ...{ jti: record.id, expiresIn: Math.max(1, seconds) },
      accountId: record.account_id,
      clientId,
    });
    const scopes = record.read_only ? READ_SCOPE : `${READ_SCOPE} ${WRITE_SCOPE}`;
    for (const resource of addresses.resourceAliases) grant.addResourceScope(resource, scopes);
    await grant.save();
    await clients.recordGrant(clientId, record.expires_at);
  }

  /** A client that registered itself is one installation: what it was granted before, it has no more use for. */
  private async revokeEarlierGrants({ id, account_id, client }: TokenRecord): Promise<void> {
    const { tokens } = this.options;
    for (const other of await tokens.listOfAccount(account_id)) {
      const same = other.kind === 'ASSISTANT' && other.client?.id === client?.id && other.id !== id;
      if (same && other.state === 'ACTIVE') await tokens.revoke(other.id, 'Connected again.', accountActor(account_id));
    }
  }

  private answer({ req, res }: ConsentRequest, result: InteractionResults): Promise<string> {
    return this.options.provider.interactionResult(req, res, result, { mergeWithLastSubmission: false });
  }

  /**
   * The first answer counts. Whoever sends another, as a double click does, is sent where the first one leads; where
   * answering fails it can be tried again.
   */
  private async answerOnce(exchange: ConsentRequest, work: () => Promise<string>): Promise<ConsentAnswer> {
    const { accounts } = this.options;
    const { uid } = await this.pendingInteraction(exchange);
    const id = storedModelId('Interaction', hashToken(uid));
    for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt++) {
      const claimed = await accounts.update('oauth', id, { consumed: 1 }, { consumed: null });
      const { answered } = await this.pendingInteraction(exchange);
      if (answered !== null) return { to: answered, counted: false };
      if (claimed) return { to: await this.claimed(id, work), counted: true };
      await setTimeout(CLAIM_RETRY_MS);
    }
    throw new Refusal('conflict', 'This request is being answered. Continue in the assistant, or start again there.');
  }

  private async claimed(id: string, work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      await this.options.accounts.update('oauth', id, { consumed: null });
      throw error;
    }
  }

  private async pendingInteraction({ req, res }: ConsentRequest) {
    let interaction: Awaited<ReturnType<Provider['interactionDetails']>>;
    try {
      interaction = await this.options.provider.interactionDetails(req, res);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) throw expired();
      throw error;
    }
    const path = (req.url ?? '').split('?', 1)[0];
    if (
      path !== `${OAUTH_PATHS.interaction}/${interaction.uid}` &&
      !path?.startsWith(`${OAUTH_PATHS.interaction}/${interaction.uid}/`)
    ) {
      throw expired();
    }
    const { client_id, redirect_uri, scope = '' } = interaction.params;
    return {
      uid: interaction.uid,
      /** The redirect of the earlier answer, or null. */
      answered: interaction.result === undefined ? null : interaction.returnTo,
      params: { client_id: String(client_id), redirect_uri: String(redirect_uri), scope: String(scope) },
    };
  }
}

const expired = () =>
  new Refusal('not_found', 'This request has expired or belongs to another browser. Start again in the assistant.');
