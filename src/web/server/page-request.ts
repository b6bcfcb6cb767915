import type { RouterContext } from '@koa/router';
import type { Cookies } from '../../http/cookies.ts';
import type { RequestState } from '../../http/request.ts';
import type { Account } from '../../identity/accounts/account.ts';
import type { ClientInfo } from '../../identity/client-info.ts';
import { type Actor, accountActor } from '../../identity/memberships/actor.ts';
import type { Session } from '../../identity/sign-in/sessions.ts';
import type { FormValues } from './form-state.ts';
import type { RememberedBrowsers } from './remembered-browsers.ts';
import type { WebPage } from './web-page.ts';

export type PageContext = RouterContext<RequestState>;

export interface SignedInPerson {
  account: Account;
  session: Session;
  /** True if they signed in, or confirmed their identity, within the last 15 minutes. */
  isRecent: boolean;
}

/** A record in a notice: the address of its page, and its name. */
export interface NoticeLink {
  address: string;
  name: string;
}

/** A message shown at the top of the next page. */
export interface Notice {
  kind: 'DONE' | 'WARNING';
  text: string;
  /** A record that the text ends with. */
  link?: NoticeLink | undefined;
  /** The forms that undo what was done: one for each call. */
  undos?: readonly NoticeUndo[];
}

/** A button that undoes a call: the address of its form, and its text. */
export interface NoticeUndo {
  address: string;
  button: string;
}

/** A browser's request as pages see it. */
export interface PageRequest {
  /** For response headers and for the OAuth server. */
  ctx: PageContext;
  /** Sets and clears the session cookie. */
  cookies: Cookies;
  /** Remembers which accounts signed in from this browser. */
  rememberedBrowsers: RememberedBrowsers;
  clientInfo: ClientInfo;
  /** The path's parameters. */
  params: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
  /** The values of the form, after the CSRF checks; empty for a GET. */
  formValues: FormValues;
  /** The session secret in the cookie, valid or not; null without a cookie. */
  sessionSecret: string | null;
  /** Signs input that the query of an address keeps for the person. */
  signInput(query: URLSearchParams): Buffer;
  /** Null before the last sign-in step. */
  person: SignedInPerson | null;
  /** Returns true while the person's session is valid. It may end while the request waits. */
  isStillSignedIn(): Promise<boolean>;
}

export type SignedInRequest = PageRequest & { person: SignedInPerson };

/** Returns the actor of what a signed-in person does. It stops to act when the session ends. */
export function actorOf({ person, isStillSignedIn }: SignedInRequest): Actor {
  return accountActor(person.account.id, isStillSignedIn);
}

/** Sends the browser to another page, which can show a notice. */
export class Redirect {
  constructor(
    readonly to: string,
    readonly notice: Notice | null = null,
  ) {}
}

/** Thrown to show a page that says what to correct in its address, instead of the page asked for. */
export class RefusedPage {
  constructor(readonly page: WebPage) {}
}

/**
 * Redirects to an address.
 * @param doneText a notice for the next page that says what was done
 * @param undo the address of the form that undoes it
 * @param link the record that the notice ends with
 */
export const redirect = (to: string, doneText?: string, undo?: string, link?: NoticeLink): Redirect =>
  new Redirect(to, doneText === undefined ? null : { kind: 'DONE', text: doneText, undos: undosOf(undo), link });

const undosOf = (address: string | undefined): NoticeUndo[] =>
  address === undefined ? [] : [{ address, button: 'Undo' }];

/** A page, a redirect, or null if the handler has sent the answer. */
export type Reply = WebPage | Redirect | null;

/** A page or a form's action at one address and method. */
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** True if people who are not signed in may use it. */
  isPublic: boolean;
  handle(request: PageRequest): Promise<Reply> | Reply;
}

type Handle<V> = (request: V) => Promise<Reply> | Reply;

/** A page for signed-in people. Others are sent to the sign-in page and come back. */
export const get = (path: string, handle: Handle<SignedInRequest>): Route => route('GET', path, false, handle);
/** A form's action for signed-in people. Replies with a redirect, or with the page and its errors. */
export const post = (path: string, handle: Handle<SignedInRequest>): Route => route('POST', path, false, handle);
/** A page for everyone. */
export const publicGet = (path: string, handle: Handle<PageRequest>): Route => route('GET', path, true, handle);
/** A form's action for everyone. */
export const publicPost = (path: string, handle: Handle<PageRequest>): Route => route('POST', path, true, handle);

function route<V extends PageRequest>(
  method: Route['method'],
  path: string,
  isPublic: boolean,
  handle: Handle<V>,
): Route {
  // PageServer calls routes that are not public only with a person.
  return { method, path, isPublic, handle: (request) => handle(request as V) };
}
