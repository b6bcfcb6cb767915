import type { SignedIn } from '../identity/sign-in.ts';
import { type Redirect, redirect, type Visit } from './visit.ts';

/** An address that keeps in mind where to go after signing in. */
export function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Gives the browser the session of a step that was taken, and sends it on: to the second factor, or where it wanted to. */
export function finishStep({ ctx, cookies, knownBrowsers }: Visit, step: SignedIn, next: string): Redirect {
  cookies.setSession(ctx, step.cookie);
  if (step.next !== 'DONE') return redirect(withNext('/sign-in/second-factor', next));
  knownBrowsers.remember(ctx, step.session);
  return redirect(next);
}
