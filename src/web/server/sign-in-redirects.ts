import type { SignInStep } from '../../identity/sign-in/sign-in.ts';
import { type PageRequest, type Redirect, redirect } from './page-request.ts';

/** Returns an address with the page to go to after sign-in. */
export function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Sets the session cookie after a sign-in step. Redirects to the second factor, or to `next`. */
export function finishSignInStep(
  { ctx, cookies, rememberedBrowsers }: PageRequest,
  step: SignInStep,
  next: string,
): Redirect {
  cookies.setSession(ctx, step.cookie);
  if (step.next !== 'DONE') return redirect(withNext('/sign-in/second-factor', next));
  rememberedBrowsers.remember(ctx, step.session);
  return redirect(next);
}
