import type { ParameterizedContext } from 'koa';

/**
 * What a page may do: nothing but our own style, script and forms, in no frame.
 * @param formTargets where else a form may lead by redirects
 */
export function setPageHeaders(ctx: ParameterizedContext, formTargets: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  ctx.set('Content-Security-Policy', policy.join('; '));
  // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
  ctx.set('Referrer-Policy', 'same-origin');
  ctx.set('X-Content-Type-Options', 'nosniff');
}
