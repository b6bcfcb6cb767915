/** @jsxRuntime automatic @jsxImportSource preact */
import { Refusal } from '../../commands/refusal.ts';
import { CALLBACK_PATH, type OpenId } from '../../identity/openid/openid.ts';
import { type Errand, ROUND_SECONDS, type Round } from '../../identity/openid/round.ts';
import { doThere } from '../attempt.ts';
import { CONFIRM, confirmFirst } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { safeNext } from '../next.ts';
import type { Page } from '../page.ts';
import { OPENID, PROVIDER } from '../provider-form.tsx';
import { finishStep, withNext } from '../signing-in.ts';
import { openGet, openPost, post, Redirect, type Reply, type Route, redirect, type Visit } from '../visit.ts';
import { CONFIRMED } from './confirm.tsx';
import { SECURITY } from './security.tsx';

const COOKIE = 'veritrail-openid';
const BEGIN_AGAIN = 'This sign-in took too long, or was begun in another browser: begin it again.';
const OTHER_SESSION = 'You are not signed in as when you set out: sign in, then try once more.';

/** Signing in by the OpenID provider, once more where that is asked for, and connecting an account to it. */
export const openIdPages = (context: WebContext): Route[] => {
  const { openId } = context;
  if (openId === null) return [];
  return [
    openPost(OPENID, (visit) => {
      const next = safeNext(visit.query.get('next'));
      return visit.person === null ? setOut(openId, visit, { purpose: 'SIGN_IN', next }) : redirect(next);
    }),
    post(PROVIDER, (visit) => {
      confirmFirst(context, visit, SECURITY);
      return setOut(openId, visit, { purpose: 'CONNECT', session: visit.person.session.id });
    }),
    post(`${CONFIRM}/provider`, (visit) => {
      const next = safeNext(visit.query.get('next'), SECURITY);
      return setOut(openId, visit, { purpose: 'REAUTHENTICATE', session: visit.person.session.id, next });
    }),
    post(`${PROVIDER}/remove`, (visit) => {
      confirmFirst(context, visit, SECURITY);
      const deed = () => openId.disconnect(visit.person.session, visit.visitor);
      return doThere(SECURITY, 'Your account is disconnected.', visit.sent, {}, deed);
    }),
    openGet(CALLBACK_PATH, (visit) => {
      const round = openId.roundOf(visit.cookies.read(visit.ctx.req, COOKIE));
      visit.cookies.clear(visit.ctx, COOKIE);
      if (round === null) return warn(visit.person === null ? '/sign-in' : '/', BEGIN_AGAIN);
      return told(backOf(round.errand), () => arrive(openId, visit, round));
    }),
  ];
};

/** Sends a browser to the provider. */
function setOut(openId: OpenId, { ctx, cookies }: Visit, errand: Errand): Promise<Reply> {
  return told(backOf(errand), async () => {
    const { address, cookie } = await openId.begin(errand);
    cookies.write(ctx, COOKIE, cookie, ROUND_SECONDS);
    return leaving(ctx, openId.host, address);
  });
}

async function arrive(openId: OpenId, visit: Visit, round: Round): Promise<Reply> {
  const { person, visitor, ctx } = visit;
  const { errand } = round;
  if (errand.purpose !== 'SIGN_IN' && person?.session.id !== errand.session) return warn(SECURITY, OTHER_SESSION);
  const proven = await openId.redeem(round, ctx.querystring, visitor);
  if (errand.purpose === 'CONNECT') {
    await openId.connect(person!.session, proven, visitor);
    return redirect(SECURITY, `Your account is connected: you can now sign in with ${openId.host}.`);
  }
  if (errand.purpose === 'REAUTHENTICATE') {
    await openId.reauthenticate(person!.session, proven, round.begun_at, visitor);
    return redirect(errand.next, CONFIRMED);
  }
  const { step, joined } = await openId.signIn(proven, invitationIn(errand.next), visitor);
  return finishStep(visit, step, joined ? '/' : errand.next);
}

/** The secret of the link that somebody came by; null where they came by none. */
function invitationIn(next: string): string | null {
  const { pathname, searchParams } = new URL(next, 'http://here.invalid');
  return pathname === '/welcome' ? searchParams.get('key') : null;
}

function backOf(errand: Errand): string {
  if (errand.purpose === 'CONNECT') return SECURITY;
  return withNext(errand.purpose === 'REAUTHENTICATE' ? CONFIRM : '/sign-in', errand.next);
}

const warn = (to: string, text: string) => new Redirect(to, { kind: 'WARNING', text });

/** What is refused is said where somebody can begin again. */
async function told(back: string, deed: () => Promise<Reply>): Promise<Reply> {
  try {
    return await deed();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'internal') throw error;
    return warn(back, error.message);
  }
}

/**
 * A page that the browser leaves by itself. Browsers hold every redirect after a form was sent against the page's
 * `form-action`, and a provider may redirect on to hosts that only it knows; a page that refreshes ends the form's way.
 */
function leaving(ctx: Visit['ctx'], host: string, address: string): Page {
  ctx.set('Refresh', `0; url=${address}`);
  return {
    title: `Going to ${host}`,
    plain: true,
    body: (
      <p>
        Your browser goes there by itself. If it does not, <a href={address}>continue with {host}</a>.
      </p>
    ),
  };
}
