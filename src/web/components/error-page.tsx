import { asRefusal, Refusal, type RefusalCode } from '../../commands/engine/refusal.ts';
import { type HttpError, toHttpError } from '../../http/http-errors.ts';
import type { WebPage } from '../server/web-page.ts';
import { roleName, withRoleNames } from '../texts/role-labels.ts';

/** An error as a browser may see it. */
export interface ErrorAnswer {
  status: number;
  message: string;
  headers: Record<string, string>;
}

const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  forbidden: 403,
  conflict: 409,
  idempotency_conflict: 409,
  invalid_transition: 409,
  rate_limited: 429,
  too_large: 413,
  internal: 500,
  unavailable: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Something is not right',
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Page not found',
  405: 'This page can’t be opened directly',
  409: 'Not possible now',
  413: 'Too much data',
  415: 'Unsupported format',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

/** Turns anything thrown into an error without internal details. */
export function errorAnswer(error: unknown): ErrorAnswer {
  const refusal = asRefusal(error);
  if (refusal instanceof Refusal && refusal.code !== 'unavailable') {
    const { retry_after_seconds: seconds } = refusal.more;
    const headers: Record<string, string> = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
    const message = refusal.code === 'forbidden' ? withRoleNames(refusal.message) : refusal.message;
    return { status: STATUS[refusal.code], message, headers };
  }
  const { status, code, message: text, headers }: HttpError = toHttpError(error);
  const message = code === 'forbidden' ? withRoleNames(text) : text;
  if (status === 405) return { status, message: 'Go back and submit the form again.', headers };
  return { status, message, headers };
}

/** The organization that an address names, for a member who can't open it. */
export interface ErrorPlace {
  organization: NonNullable<WebPage['organization']>;
  /** The names of members who can give a higher role. */
  owners: readonly string[];
}

/** Shows an error in the frame of its organization, or of the person's own pages. @param place null outside organizations */
export function errorPage({ status, message }: ErrorAnswer, place: ErrorPlace | null): WebPage {
  return {
    title: TITLES[status] ?? 'Something is not right',
    status,
    ...(place === null ? {} : { organization: place.organization }),
    body: (
      <>
        <p class="lead">{message}</p>
        {place !== null && status === 403 && <AskOwners {...place} />}
        <p>
          <a href={place === null ? '/' : `/organizations/${place.organization.id}`}>Go to the home page</a>
        </p>
      </>
    ),
  };
}

/** Names the people who can change a member's role. */
function AskOwners({ organization, owners }: ErrorPlace) {
  if (owners.length === 0) return null;
  return (
    <p>
      You are {roleName(organization.role)} in {organization.name}. To get a higher role, ask{' '}
      {new Intl.ListFormat('en', { type: 'disjunction' }).format(owners)}.
    </p>
  );
}
