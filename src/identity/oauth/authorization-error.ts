import { asRefusal, Refusal } from '../../commands/refusal.ts';
import { FetchingDisabled } from './client-documents.ts';
import { type ErrorOut, errors, type KoaContextWithOIDC } from './oidc-provider.ts';
import { type RedirectKind, redirectHost, redirectKind } from './redirects.ts';

/** Why an authorization request was refused, in as far as it matters to what a person can do next. */
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

/** An authorization request that was refused. What its client sent is in it as it came, and must be escaped. */
export interface AuthorizationError {
  reason: AuthorizationErrorReason;
  /** The status of the HTTP answer. */
  status: number;
  /** The standard's code, such as `invalid_target`, and its description in English. */
  code: string;
  description: string | null;
  /** The client's host: of its document, or else of the redirect. Null where nobody knows which client asked. */
  host: string | null;
  /** The redirect that tells the client: an address that it registered, with the standard's error response. Or null. */
  answer: { uri: string; host: string; kind: RedirectKind } | null;
  /** True where the browser may go to `answer` without a page of ours: see mayAnswerAtOnce. */
  atOnce: boolean;
}

const RATE_LIMITED_ERROR = 'temporarily_unavailable';
const NO_INTERACTION: ReadonlySet<string> = new Set(['login_required', 'consent_required', 'interaction_required']);

/** Says what is known of a request that the library refused with `error`; `out` is what it would tell the client. */
export function authorizationErrorOf(ctx: KoaContextWithOIDC, out: ErrorOut, error: unknown): AuthorizationError {
  const redirect = registeredRedirect(ctx);
  const kind = redirect === null ? null : redirectKind(redirect);
  const answer =
    redirect === null || kind === null
      ? null
      : { uri: withParameters(redirect, out), host: redirectHost(redirect), kind };
  const reason = reasonOf(ctx, out, error);
  return {
    ...{ reason, status: statusOf(reason, error), code: out.error, description: out.error_description ?? null },
    ...{ host: documentHost(ctx) ?? answer?.host ?? null, answer },
    atOnce: answer !== null && mayAnswerAtOnce(ctx, answer.kind),
  };
}

/**
 * A stranger can register any https address and make up a wrong request, so a redirect without a page of ours would lend
 * our name to theirs. A loopback address leads to the person's own machine, and who has decided has seen our page.
 */
function mayAnswerAtOnce({ oidc }: KoaContextWithOIDC, kind: RedirectKind): boolean {
  return kind === 'LOOPBACK' || oidc.entities.Interaction?.result !== undefined;
}

/** The address to answer at, where the client is known and it is the client's. */
function registeredRedirect({ oidc }: KoaContextWithOIDC): string | null {
  const uri: unknown = oidc.params?.redirect_uri;
  if (oidc.client === undefined || typeof uri !== 'string') return null;
  return oidc.client.redirectUriAllowed(uri) ? uri : null;
}

/** Errors are answered in the query alone, as codes are, whatever response_mode was asked for. */
function withParameters(redirect: string, out: ErrorOut): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(out)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

function reasonOf(ctx: KoaContextWithOIDC, out: ErrorOut, error: unknown): AuthorizationErrorReason {
  if (!(error as { expose?: boolean }).expose) {
    const refusal = asRefusal(error);
    return refusal instanceof Refusal && refusal.code === 'unavailable' ? 'UNAVAILABLE' : 'INTERNAL';
  }
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
  return cause instanceof errors.TemporarilyUnavailable ? 'RATE_LIMITED' : 'DOCUMENT_UNREACHABLE';
}

function statusOf(reason: AuthorizationErrorReason, error: unknown): number {
  if (reason === 'UNAVAILABLE') return 503;
  if (reason === 'RATE_LIMITED') return 429;
  const { statusCode = 500 } = error as { statusCode?: number };
  // The library has 303 for a request that forbids to ask.
  return statusCode < 400 ? 400 : statusCode;
}

/** The host of the document that a client is known by, where it is known by one. */
function documentHost({ oidc }: KoaContextWithOIDC): string | null {
  const id: unknown = oidc.client?.clientId ?? oidc.params?.client_id;
  return typeof id === 'string' && /^https:\/\//i.test(id) && URL.canParse(id) ? new URL(id).host : null;
}
