import { Refusal } from '../../../commands/engine/refusal.ts';
import type { OpenId } from '../../../identity/openid/openid.ts';
import {
  CALLBACK_PATH,
  type OpenIdTransaction,
  TRANSACTION_SECONDS,
  type TransactionIntent,
} from '../../../identity/openid/openid-transaction.ts';
import { OPENID_SIGN_IN_PATH, PROVIDER_PATH } from '../../components/provider-form.tsx';
import type { WebContext } from '../../server/context.ts';
import {
  type PageRequest,
  post,
  publicGet,
  publicPost,
  Redirect,
  type Reply,
  type Route,
  redirect,
} from '../../server/page-request.ts';
import { REAUTHENTICATION_PATH, requireReauthentication } from '../../server/require-reauthentication.ts';
import { safeNext } from '../../server/safe-next.ts';
import { finishSignInStep, withNext } from '../../server/sign-in-redirects.ts';
import { submitAndRedirect } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { SECURITY_PATH } from '../account/security.tsx';
import { CONFIRMED_TEXT } from './confirm.tsx';

const COOKIE = 'veritrail-openid';
const BEGIN_AGAIN = 'This sign-in took too long or was started in another browser. Start again.';
const OTHER_SESSION = 'You are no longer signed in as the same person. Sign in, then try again.';

/** Sign-in and reauthentication with the OpenID provider, and connecting an account to it. */
export const openIdPages = ({ openId }: Pick<WebContext, 'openId'>): Route[] => {
  if (openId === null) return [];
  return [
    publicPost(OPENID_SIGN_IN_PATH, (request) => {
      const next = safeNext(request.query.get('next'));
      return request.person === null ? beginTransaction(openId, request, { purpose: 'SIGN_IN', next }) : redirect(next);
    }),
    post(PROVIDER_PATH, (request) => {
      requireReauthentication(request, SECURITY_PATH);
      return beginTransaction(openId, request, { purpose: 'CONNECT', session: request.person.session.id });
    }),
    post(`${REAUTHENTICATION_PATH}/provider`, (request) => {
      const next = safeNext(request.query.get('next'), SECURITY_PATH);
      return beginTransaction(openId, request, { purpose: 'REAUTHENTICATE', session: request.person.session.id, next });
    }),
    post(`${PROVIDER_PATH}/remove`, (request) => {
      requireReauthentication(request, SECURITY_PATH);
      const disconnect = () => openId.disconnect(request.person.session, request.clientInfo);
      return submitAndRedirect(SECURITY_PATH, 'Account disconnected.', request.formValues, {}, disconnect);
    }),
    publicGet(CALLBACK_PATH, (request) => {
      const transaction = openId.findTransaction(request.cookies.read(request.ctx.req, COOKIE));
      request.cookies.clear(request.ctx, COOKIE);
      if (transaction === null) return warn(request.person === null ? '/sign-in' : '/', BEGIN_AGAIN);
      return redirectOnRefusal(pageBefore(transaction.intent), () => completeTransaction(openId, request, transaction));
    }),
  ];
};

/** Sends the browser to the provider. */
function beginTransaction(openId: OpenId, { ctx, cookies }: PageRequest, intent: TransactionIntent): Promise<Reply> {
  return redirectOnRefusal(pageBefore(intent), async () => {
    const { address, cookie: sessionSecret } = await openId.begin(intent);
    cookies.write(ctx, COOKIE, sessionSecret, TRANSACTION_SECONDS);
    return redirectPage(ctx, openId.host, address);
  });
}

async function completeTransaction(
  openId: OpenId,
  request: PageRequest,
  transaction: OpenIdTransaction,
): Promise<Reply> {
  const { person, clientInfo, ctx } = request;
  const { intent } = transaction;
  if (intent.purpose !== 'SIGN_IN' && person?.session.id !== intent.session) return warn(SECURITY_PATH, OTHER_SESSION);
  const identity = await openId.redeem(transaction, ctx.querystring, clientInfo);
  if (intent.purpose === 'CONNECT') {
    await openId.connect(person!.session, identity, clientInfo);
    return redirect(SECURITY_PATH, `Account connected. You can now sign in with ${openId.host}.`);
  }
  if (intent.purpose === 'REAUTHENTICATE') {
    const { cookie } = await openId.reauthenticate(person!.session, identity, transaction.begun_at, clientInfo);
    request.cookies.setSession(ctx, cookie);
    return redirect(intent.next, CONFIRMED_TEXT);
  }
  const { step, hasJoined } = await openId.signIn(identity, invitationIn(intent.next), clientInfo);
  return finishSignInStep(request, step, hasJoined ? '/' : intent.next);
}

/** Returns the secret of the invitation link in `next`, or null. */
function invitationIn(next: string): string | null {
  const { pathname, searchParams } = new URL(next, 'http://here.invalid');
  return pathname === '/welcome' ? searchParams.get('key') : null;
}

function pageBefore(intent: TransactionIntent): string {
  if (intent.purpose === 'CONNECT') return SECURITY_PATH;
  return withNext(intent.purpose === 'REAUTHENTICATE' ? REAUTHENTICATION_PATH : '/sign-in', intent.next);
}

const warn = (to: string, text: string) => new Redirect(to, { kind: 'WARNING', text });

/** Shows a refusal on the page where the person can start again. */
async function redirectOnRefusal(backPath: string, action: () => Promise<Reply>): Promise<Reply> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'internal') throw error;
    return warn(backPath, error.message);
  }
}

/**
 * Returns a page that goes to the provider by itself. Browsers check every redirect after a form against the page's
 * `form-action`, and a provider may redirect to hosts that we don't know. A page that refreshes ends that check.
 */
function redirectPage(ctx: PageRequest['ctx'], host: string, address: string): WebPage {
  ctx.set('Refresh', `0; url=${address}`);
  return {
    title: `Redirecting to ${host}`,
    plain: true,
    body: (
      <p>
        You are being redirected. If nothing happens, <a href={address}>continue with {host}</a>.
      </p>
    ),
  };
}
