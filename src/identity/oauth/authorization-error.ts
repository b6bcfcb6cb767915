import { isOutage } from '../../commands/engine/refusal.ts';
import { FetchingDisabled, TooManyFetches } from './client-documents.ts';
import { type ErrorOut, errors, type KoaContextWithOIDC } from './oidc-provider.ts';
import { type RedirectKind, redirectKind, redirectTarget } from './redirects.ts';

/** The reasons for a refused authorization request that call for different next steps. */
export type AuthorizationErrorReason =
  | 'UNKNOWN_CLIENT'
  | 'DOCUMENT_UNREACHABLE'
  | 'DOCUMENT_INVALID'
  | 'DOCUMENTS_OFF'
  | 'UNKNOWN_REDIRECT'
  | 'EXPIRED'
  | 'NO_INTERACTION'
  | 'RATE_LIMITED'
  | 'INVALID_REQUEST'
  | 'UNAVAILABLE'
  | 'INTERNAL';

/** A refused authorization request. Texts from the client are unchanged and must be escaped. */
export interface AuthorizationError {
  reason: AuthorizationErrorReason;
  /** The status of the HTTP answer. */
  status: number;
  /** The OAuth error code, such as `invalid_target`. `description` is its English text. */
  code: string;
  description: string | null;
  /** The host of the client's document, or else of its redirect. Null for an unknown client. */
  host: string | null;
  /** The client's registered redirect with the OAuth error response, or null. */
  answer: { uri: string; host: string; kind: RedirectKind } | null;
  /** True if the browser goes to `answer` without our error page: see mayRedirectImmediately. */
  redirectImmediately: boolean;
}

const RATE_LIMITED_ERROR = 'temporarily_unavailable';
const NO_INTERACTION: ReadonlySet<string> = new Set(['login_required', 'consent_required', 'interaction_required']);

/** Describes a request that the library refused with `error`. `out` is the error response for the client. */
export function authorizationErrorOf(ctx: KoaContextWithOIDC, out: ErrorOut, error: unknown): AuthorizationError {
  const redirect = registeredRedirect(ctx);
  const kind = redirect === null ? null : redirectKind(redirect);
  const reason = reasonOf(ctx, out, error);
  // After an outage the same request can succeed. A client that got an answer would give up.
  const answer =
    redirect === null || kind === null || reason === 'UNAVAILABLE'
      ? null
      : { uri: withParameters(redirect, out), host: redirectTarget(redirect), kind };
  return {
    reason,
    status: statusOf(reason, error),
    code: out.error,
    description: out.error_description ?? null,
    host: documentHost(ctx) ?? answer?.host ?? null,
    answer,
    redirectImmediately: answer !== null && mayRedirectImmediately(ctx, answer.kind),
  };
}

/**
 * Returns true for a loopback redirect, and after the person has answered on our page. Other redirects need our page
 * first: anybody can register an https address and send a wrong request, and our service would be an open redirect.
 */
function mayRedirectImmediately({ oidc }: KoaContextWithOIDC, kind: RedirectKind): boolean {
  return kind === 'LOOPBACK' || oidc.entities.Interaction?.result !== undefined;
}

/** Returns the request's redirect if the client is known and registered it. */
function registeredRedirect({ oidc }: KoaContextWithOIDC): string | null {
  const uri: unknown = oidc.params?.redirect_uri;
  if (oidc.client === undefined || typeof uri !== 'string') return null;
  return oidc.client.redirectUriAllowed(uri) ? uri : null;
}

/** Adds the error to the query, where codes go too. Other values of response_mode are not supported. */
function withParameters(redirect: string, out: ErrorOut): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(out)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

function reasonOf(ctx: KoaContextWithOIDC, out: ErrorOut, error: unknown): AuthorizationErrorReason {
  if (!(error as { expose?: boolean }).expose) return isOutage(error) ? 'UNAVAILABLE' : 'INTERNAL';
  if (error instanceof errors.SessionNotFound) return 'EXPIRED';
  if (error instanceof errors.InvalidRedirectUri) return 'UNKNOWN_REDIRECT';
  if (out.error === RATE_LIMITED_ERROR) return 'RATE_LIMITED';
  if (ctx.oidc.client === undefined) return documentHost(ctx) === null ? 'UNKNOWN_CLIENT' : documentFault(error);
  return NO_INTERACTION.has(out.error) ? 'NO_INTERACTION' : 'INVALID_REQUEST';
}

function documentFault(error: unknown): AuthorizationErrorReason {
  if (error instanceof errors.InvalidClientMetadata) return 'DOCUMENT_INVALID';
  const { cause } = error as Error;
  if (cause instanceof FetchingDisabled) return 'DOCUMENTS_OFF';
  return cause instanceof TooManyFetches ? 'RATE_LIMITED' : 'DOCUMENT_UNREACHABLE';
}

function statusOf(reason: AuthorizationErrorReason, error: unknown): number {
  if (reason === 'UNAVAILABLE') return 503;
  if (reason === 'RATE_LIMITED') return 429;
  const { statusCode = 500 } = error as { statusCode?: number };
  // The library uses 303 when `prompt=none` forbids the pages.
  return statusCode < 400 ? 400 : statusCode;
}

function documentHost({ oidc }: KoaContextWithOIDC): string | null {
  const id: unknown = oidc.client?.clientId ?? oidc.params?.client_id;
  return typeof id === 'string' && /^https:\/\//i.test(id) && URL.canParse(id) ? new URL(id).host : null;
}
