import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import type { Autonomy } from '../../register/proposal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { type Actor, accountActor } from '../memberships/actor.ts';
import type { Members } from '../memberships/members.ts';
import { hashToken } from '../tokens/token.ts';
import { DEFAULT_TOKEN_DAYS, type TokenRecord } from '../tokens/token-record.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { OAUTH_PATHS, type OAuthAddresses, READ_SCOPE, WRITE_SCOPE } from './addresses.ts';
import type { Clients } from './clients.ts';
import { errors, type InteractionResults, type Provider } from './oidc-provider.ts';
import { type RedirectKind, redirectKind, redirectTarget } from './redirects.ts';
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

/** The consent page's HTTP request and response. The browser's cookies identify the authorization request. */
export interface ConsentRequest {
  req: IncomingMessage;
  res: ServerResponse;
}

/** An authorization request, as the consent page shows it. */
export interface ConsentDetails {
  /** The request's id, at the end of the page's address. */
  uid: string;
  client: {
    id: string;
    /** Its own name, unchecked. */
    name: string | null;
    uri: string | null;
    /** The host of the client's document. Null for a client that registered itself, which could be anybody. */
    publishedBy: string | null;
  };
  /** The redirect. `host` is the short form for people: a host with its port, or a program's scheme. */
  redirect: { uri: string; host: string; kind: RedirectKind };
  asksToWrite: boolean;
  /** The person's organizations and roles. */
  organizations: { id: string; name: string; role: Role }[];
  /** The suggested role: the person's lowest one, at most EDITOR. */
  role: Role;
  days: number;
}

export interface ConsentGrant {
  organizations: readonly string[];
  /** The assistant's highest role. In each organization the person's own role also limits it. */
  role: Role;
  read_only: boolean;
  /** Everything unless given. */
  autonomy?: Autonomy;
  /** 1 to 366, by default 90. */
  days?: number;
}

/** The result of the person's answer. */
export interface ConsentAnswer {
  /** The address to send the browser to. */
  to: string;
  /** False if the request was answered before. This answer then changed nothing. */
  isFirstAnswer: boolean;
}

/** Limit of attempts to claim a request that a concurrent answer holds. */
const MAX_CLAIM_ATTEMPTS = 20;
const CLAIM_RETRY_MS = 100;

/** Shows the requests of OAuth clients to people and takes their answers. */
export class Consent {
  constructor(private readonly options: ConsentOptions) {}

  /** Returns the browser's authorization request. @throws Refusal not_found if it has none or it has expired */
  async details(exchange: ConsentRequest, accountId: string): Promise<ConsentDetails> {
    const { uid, params } = await this.pendingInteraction(exchange);
    const client = await this.options.provider.Client.find(params.client_id);
    if (client === undefined) throw requestExpired();
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
      redirect: { uri, host: redirectTarget(uri), kind: redirectKind(uri)! },
      asksToWrite: params.scope.split(' ').includes(WRITE_SCOPE),
      organizations: organizations.map(({ id, name, role }) => ({ id, name, role })),
      role: organizations.reduce<Role>((lowest, { role }) => lowerRole(lowest, role), 'EDITOR'),
      days: DEFAULT_TOKEN_DAYS,
    };
  }

  /**
   * Connects the client on the person's behalf.
   * @throws Refusal invalid_input or forbidden, naming the refused field of the grant; not_found like `details`
   */
  async allow(exchange: ConsentRequest, actor: Actor, consentGrant: ConsentGrant): Promise<ConsentAnswer> {
    const accountId = actor.actor_id;
    return this.answerOnce(exchange, async () => {
      const { client, redirect, asksToWrite } = await this.details(exchange, accountId);
      const { organizations, role, autonomy, days } = consentGrant;
      const record = await this.options.tokens.connect(
        {
          name: client.name ?? redirect.host,
          account_id: accountId,
          role,
          organizations,
          read_only: consentGrant.read_only || !asksToWrite,
          ...(autonomy === undefined ? {} : { autonomy }),
          ...(days === undefined ? {} : { days }),
          client: { id: client.id, name: client.name ?? redirect.host },
        },
        actor,
      );
      try {
        await this.saveGrant(record, client.id);
        const to = await this.answer(exchange, {
          login: { accountId, remember: false },
          consent: { grantId: record.id },
        });
        if (client.publishedBy === null) await this.revokeEarlierGrants(record);
        return to;
      } catch (error) {
        await this.options.tokens.revoke(record.id, 'Connecting failed.').catch(() => undefined);
        throw error;
      }
    });
  }

  /** Denies the request and tells the client. @throws Refusal */
  async deny(exchange: ConsentRequest): Promise<ConsentAnswer> {
    return this.answerOnce(exchange, () =>
      this.answer(exchange, { error: 'access_denied', error_description: 'The person denied access' }),
    );
  }

  private async saveGrant(
    record: { id: string; account_id: string; read_only: boolean; expires_at: string },
    clientId: string,
  ) {
    const { provider, addresses, clients, now } = this.options;
    const seconds = Math.floor((Date.parse(record.expires_at) - now().getTime()) / 1000);
    // The library's types leave out `jti` and `expiresIn`.
    const properties = {
      jti: record.id,
      expiresIn: Math.max(1, seconds),
      accountId: record.account_id,
      clientId,
    };
    const grant = new provider.Grant(properties);
    const scopes = record.read_only ? READ_SCOPE : `${READ_SCOPE} ${WRITE_SCOPE}`;
    for (const resource of addresses.scopesOfResource.keys()) grant.addResourceScope(resource, scopes);
    await grant.save();
    await clients.recordGrant(clientId, record.expires_at);
  }

  /** Revokes a client's earlier grants. A self-registered client is one installation, so it uses only the newest. */
  private async revokeEarlierGrants({ id, account_id, client }: TokenRecord): Promise<void> {
    const { tokens } = this.options;
    for (const other of await tokens.listOfAccount(account_id)) {
      const isEarlier = other.kind === 'ASSISTANT' && other.client?.id === client?.id && other.id !== id;
      if (isEarlier && other.state === 'ACTIVE')
        await tokens.revoke(other.id, 'Connected again.', accountActor(account_id));
    }
  }

  private answer({ req, res }: ConsentRequest, result: InteractionResults): Promise<string> {
    return this.options.provider.interactionResult(req, res, result, { mergeWithLastSubmission: false });
  }

  /**
   * Counts the first answer only. A second one, such as a double click, gets the first one's redirect. If answering
   * fails, the person can try again.
   */
  private async answerOnce(exchange: ConsentRequest, work: () => Promise<string>): Promise<ConsentAnswer> {
    const { accounts } = this.options;
    const { uid } = await this.pendingInteraction(exchange);
    const id = storedModelId('Interaction', hashToken(uid));
    for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt++) {
      const claimed = await accounts.update('oauth', id, { consumed: 1 }, { consumed: null });
      const { answered } = await this.pendingInteraction(exchange);
      if (answered !== null) return { to: answered, isFirstAnswer: false };
      if (claimed) return { to: await this.releaseOnError(id, work), isFirstAnswer: true };
      await setTimeout(CLAIM_RETRY_MS);
    }
    throw new Refusal(
      'conflict',
      'Another answer to this request is in progress. Continue in the assistant, or start again there.',
    );
  }

  private async releaseOnError(id: string, work: () => Promise<string>): Promise<string> {
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
      if (error instanceof errors.SessionNotFound) throw requestExpired();
      throw error;
    }
    const path = (req.url ?? '').split('?', 1)[0];
    if (
      path !== `${OAUTH_PATHS.interaction}/${interaction.uid}` &&
      !path?.startsWith(`${OAUTH_PATHS.interaction}/${interaction.uid}/`)
    ) {
      throw requestExpired();
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

const requestExpired = () =>
  new Refusal('not_found', 'This request has expired or belongs to another browser. Start again in the assistant.');
