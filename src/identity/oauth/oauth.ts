import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { AssistantEvent } from '../access-log/access-events.ts';
import { networkOf } from '../client-info.ts';
import { accountActor } from '../memberships/actor.ts';
import type { Members } from '../memberships/members.ts';
import { RateLimit } from '../rate-limit.ts';
import type { TokenListItem } from '../tokens/token-lists.ts';
import type { TokenRecord } from '../tokens/token-record.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { OAuthAddresses } from './addresses.ts';
import type { AuthorizationError } from './authorization-error.ts';
import { ClientDocuments, type DocumentLog } from './client-documents.ts';
import type { Consent } from './consent.ts';
import type { MetadataFetchMode, OutboundNetwork } from './metadata-fetch.ts';
import { loadOAuthKeys } from './oauth-keys.ts';
import type { OAuthServer } from './oauth-server.ts';
import { Quota } from './quota.ts';
import type { AdapterOptions, GrantReuse } from './store-adapter.ts';

const MINUTE_MS = 60_000;
/** Authorization requests without a session in a minute: from one network, and in total. Each is stored for 30 minutes. */
const REQUEST_LIMITS = { perKey: 60, total: 600, periodMs: MINUTE_MS };
/** Fetches of client documents without a session in a minute. Cached documents don't count. */
const FETCH_LIMITS = { perKey: 10, total: 60, periodMs: MINUTE_MS };

export interface OAuthOptions {
  accounts: AccountStore;
  tokens: Pick<Tokens, 'connect' | 'revoke' | 'listOfAccount'>;
  members: Pick<Members, 'organizationsOf'>;
  /** Returns the account of the request's session cookie; null before the sign-in is complete. */
  signedIn(request: IncomingMessage): Promise<string | null>;
  /** Returns the client's network address. */
  addressOf(request: IncomingMessage): string;
  /** The service's base address. Its path is ignored, because the issuer has none. */
  baseUrl: string;
  now: TimeSource;
  /** By default, the clock is always trusted. @throws ClockInDoubt */
  requireTrust?: () => void;
  /** The setting for fetching client documents. */
  metadataFetch: MetadataFetchMode;
  /** Called after a grant ended because its code or refresh token was used again. By default nothing listens. */
  onAssistantEvent?: ((event: AssistantEvent) => void) | undefined;
  /** Reports an error on our side. */
  report(error: unknown): void;
  log: DocumentLog;
  /** The Internet, for client documents. Tests replace it. */
  network?: OutboundNetwork;
}

/** An assistant that an account connected. */
export type Assistant = TokenListItem;

/** The OAuth 2.1 authorization server, with the functions that pages use. */
export interface OAuth {
  addresses: OAuthAddresses;
  documents: Pick<ClientDocuments, 'areAdvertised'>;
  consent(): Promise<Consent>;
  /** The library judges what has expired by the machine's clock. @throws ClockInDoubt while that isn't trusted */
  requireTrust(): void;
  /**
   * Serves a protocol endpoint. Never rejects. If `authorizationError` returns an error afterwards, the response is still
   * open.
   */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Returns the error of a refused request that our own page must answer, else null. */
  authorizationError(request: IncomingMessage): AuthorizationError | null;
  /** Returns the account of a browser's session, or null. */
  signedIn(request: IncomingMessage): Promise<string | null>;
  /** Returns an account's active assistants, newest first. */
  assistantsOf(accountId: string): Promise<Assistant[]>;
  /** Revokes an assistant's token. @throws Refusal not_found also for another account's */
  disconnect(tokenId: string, accountId: string): Promise<void>;
}

/**
 * Creates the authorization server. Generates its keys at the first start. The first request that needs oidc-provider loads
 * it: the library would take a sixth of the start, and many installations use tokens only.
 */
export async function createOAuth(options: OAuthOptions): Promise<OAuth> {
  const { accounts, tokens, now } = options;
  const addresses = new OAuthAddresses(options.baseUrl);
  const documents = new ClientDocuments({
    mode: options.metadataFetch,
    network: options.network,
    now,
    log: options.log,
    countFetch: limitOf(options, FETCH_LIMITS),
  });
  const errorsByRequest = new WeakMap<IncomingMessage, AuthorizationError>();
  const serverOptions = {
    addresses,
    accounts,
    tokens,
    members: options.members,
    now,
    models: adapterOptions(options),
    keys: await loadOAuthKeys(accounts),
    signedInAccount: options.signedIn,
    countRequest: limitOf(options, REQUEST_LIMITS),
    documents,
    onRefusal: (request: IncomingMessage, error: AuthorizationError) => errorsByRequest.set(request, error),
    report: options.report,
  };
  let loaded: Promise<OAuthServer> | undefined;
  const server = () => {
    loaded ??= import('./oauth-server.ts').then(({ createOAuthServer }) => createOAuthServer(serverOptions));
    return loaded;
  };
  return {
    addresses,
    documents,
    requireTrust: options.requireTrust ?? (() => undefined),
    consent: async () => (await server()).consent,
    serve: async (request, response) => {
      const { protocol, host } = new URL(addresses.issuer);
      // Makes the library build all addresses from the base address, not from the client's Host.
      Object.assign(request.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
      await (await server()).serve(request, response);
    },
    authorizationError: (request) => errorsByRequest.get(request) ?? null,
    signedIn: options.signedIn,
    assistantsOf: async (accountId) =>
      (await tokens.listOfAccount(accountId)).filter(({ kind, state }) => kind === 'ASSISTANT' && state === 'ACTIVE'),
    disconnect: (tokenId, accountId) => tokens.revoke(tokenId, 'Disconnected by its owner.', accountActor(accountId)),
  };
}

/**
 * Returns a function that counts requests and returns 0, or the seconds to wait. Those of a person who is signed in count for
 * the account, so that strangers can't use up what members need. Others count for their network and all together.
 */
function limitOf(
  { signedIn, addressOf, now }: OAuthOptions,
  limits: ConstructorParameters<typeof Quota>[0],
): (request: IncomingMessage) => Promise<number> {
  const strangers = new Quota(limits, now);
  const accounts = new RateLimit(limits.perKey, limits.periodMs, () => now().getTime());
  return async (request) => {
    const account = await signedIn(request);
    if (account === null) return strangers.countOrWaitSeconds(networkOf(addressOf(request)));
    return Math.ceil(accounts.countOrWaitMs(account) / 1_000);
  };
}

const REUSE_TEXTS: Readonly<Record<GrantReuse['reason'], string>> = {
  CODE_REUSED: 'Its authorization code was used again.',
  REFRESH_TOKEN_REUSED: 'Its refresh token was used again, more than a minute after the first use.',
};

function adapterOptions({
  accounts,
  members,
  tokens,
  now,
  addressOf,
  onAssistantEvent = () => undefined,
}: OAuthOptions): AdapterOptions {
  return {
    accounts,
    now,
    isGrantActive: async (tokenId) => {
      const record = await accounts.get<TokenRecord>('tokens', tokenId);
      if (record?.revoked_at !== null || hasPassed(record.expires_at, now)) return false;
      const memberships = await members.organizationsOf(record.account_id);
      return memberships.some(({ id }) => record.organizations.includes(id));
    },
    endGrant: async (tokenId, reuse) => {
      const record = await accounts.get<TokenRecord>('tokens', tokenId);
      if (record === null || record.revoked_at !== null) return;
      await tokens.revoke(tokenId, reuse === null ? 'Its OAuth grant ended.' : REUSE_TEXTS[reuse.reason]);
      if (reuse === null) return;
      const { account_id, organizations, client } = record;
      onAssistantEvent({
        type: 'ASSISTANT_REVOKED',
        token_id: tokenId,
        account_id,
        organizations,
        assistant: client?.name ?? record.name,
        reason: reuse.reason,
        clientInfo: { address: addressOf(reuse.request), agent: '' },
      });
    },
  };
}
