import type { RouterContext } from '@koa/router';
import type { Cookies } from '../http/cookies.ts';
import type { RequestState } from '../http/request.ts';
import type { Account } from '../identity/account.ts';
import type { Session } from '../identity/sessions.ts';
import type { Visitor } from '../identity/visitor.ts';
import type { Sent } from './forms.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { Page } from './page.ts';

export type PageContext = RouterContext<RequestState>;

/** Somebody who has signed in. */
export interface Person {
  account: Account;
  session: Session;
}

/** A notice at the top of the next page. */
export interface Notice {
  kind: 'DONE' | 'WARNING';
  text: string;
}

/** One request of a browser, as pages see it. */
export interface Visit {
  /** For what no page needs but headers and the OAuth server do. */
  ctx: PageContext;
  /** To begin and end sessions. */
  cookies: Cookies;
  /** Which accounts were signed in to from this browser. */
  knownBrowsers: KnownBrowsers;
  visitor: Visitor;
  /** The path's named parts. */
  params: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
  /** What the form sent, after the checks against forged forms; empty for a GET. */
  sent: Sent;
  /** The session's secret, of whatever stage and whether it still is one; null where the browser has none. */
  cookie: string | null;
  /** Null before the last step of signing in. */
  person: Person | null;
}

export type SignedInVisit = Visit & { person: Person };

/** Sends the browser to another page, and tells it something there. */
export class Redirect {
  constructor(
    readonly to: string,
    readonly notice: Notice | null = null,
  ) {}
}

/** @param done what was done, said at the top of the page that follows */
export const redirect = (to: string, done?: string): Redirect =>
  new Redirect(to, done === undefined ? null : { kind: 'DONE', text: done });

/** A page, another address, or null for a route that has answered by itself. */
export type Reply = Page | Redirect | null;

/** One address and method. */
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** Whether somebody must have signed in. */
  open: boolean;
  handle(visit: Visit): Promise<Reply> | Reply;
}

type Handle<V> = (visit: V) => Promise<Reply> | Reply;

/** A page for people who have signed in; others are sent to sign in and come back. */
export const get = (path: string, handle: Handle<SignedInVisit>): Route => route('GET', path, false, handle);
/** A form's action for people who have signed in. Answers with a redirect, or with the page and its faults. */
export const post = (path: string, handle: Handle<SignedInVisit>): Route => route('POST', path, false, handle);
/** A page for everybody. */
export const openGet = (path: string, handle: Handle<Visit>): Route => route('GET', path, true, handle);
/** A form's action for everybody. */
export const openPost = (path: string, handle: Handle<Visit>): Route => route('POST', path, true, handle);

function route<V extends Visit>(method: Route['method'], path: string, open: boolean, handle: Handle<V>): Route {
  // Routes that are not open are reached with a person only: see routes.ts.
  return { method, path, open, handle: (visit) => handle(visit as V) };
}
