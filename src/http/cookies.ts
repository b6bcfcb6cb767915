import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';

const SESSION_SECONDS = 7 * 86_400;
/** Values that all browsers treat alike and that cannot end the cookie. */
const SAFE_VALUE = /^[A-Za-z0-9_.~-]{1,1024}$/;

/**
 * The service's cookies. With https they have the prefix `__Host-`, so that no other host or plain http page can set them.
 * Browsers refuse that prefix on plain loopback, so there the names have none.
 */
export class Cookies {
  private readonly prefix: string;
  private readonly flags: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.prefix = secure ? '__Host-' : '';
    this.flags = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  }

  /** Returns the session secret, or null. */
  session(request: IncomingMessage): string | null {
    return this.read(request, 'veritrail');
  }

  /** Sets the session cookie. The server ends an idle session earlier. */
  setSession(ctx: ParameterizedContext, secret: string): void {
    this.write(ctx, 'veritrail', secret, SESSION_SECONDS);
  }

  clearSession(ctx: ParameterizedContext): void {
    this.clear(ctx, 'veritrail');
  }

  /** Returns a cookie by its name without prefix; null if it is missing or malformed. */
  read(request: IncomingMessage, name: string): string | null {
    const cookieName = this.prefix + name;
    for (const pair of (request.headers.cookie ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (at < 0 || pair.slice(0, at).trim() !== cookieName) continue;
      const value = pair.slice(at + 1).trim();
      return SAFE_VALUE.test(value) ? value : null;
    }
    return null;
  }

  /** Sets a cookie. @param seconds its age; without it, the browser keeps the cookie until it closes */
  write(ctx: ParameterizedContext, name: string, value: string, seconds?: number): void {
    if (!SAFE_VALUE.test(value))
      throw new Error(`the value of the cookie "${name}" has characters that are not allowed`);
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    ctx.append('Set-Cookie', `${this.prefix}${name}=${value}; ${this.flags}${age}`);
  }

  clear(ctx: ParameterizedContext, name: string): void {
    ctx.append('Set-Cookie', `${this.prefix}${name}=; ${this.flags}; Max-Age=0`);
  }
}
