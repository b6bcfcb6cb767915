import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';

const SESSION_SECONDS = 7 * 86_400;
/** What a cookie of ours may hold: nothing that would end it, or that browsers disagree on. */
const SAFE_VALUE = /^[A-Za-z0-9_.~-]{1,1024}$/;

/**
 * The service's own cookies, for one base address. Behind https they are `__Host-` cookies, which no other host or
 * plain page can set; on plain loopback browsers would refuse that prefix, so there they have their bare names.
 */
export class Cookies {
  private readonly prefix: string;
  private readonly flags: string;

  constructor(baseUrl: string) {
    const secure = baseUrl.startsWith('https:');
    this.prefix = secure ? '__Host-' : '';
    this.flags = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  }

  /** The secret of the browser's session; null where there is none. */
  session(request: IncomingMessage): string | null {
    return this.read(request, 'veritrail');
  }

  /** Gives the browser a session: the server ends it earlier where it is idle. */
  setSession(ctx: ParameterizedContext, secret: string): void {
    this.write(ctx, 'veritrail', secret, SESSION_SECONDS);
  }

  clearSession(ctx: ParameterizedContext): void {
    this.clear(ctx, 'veritrail');
  }

  /** A cookie by its name without the prefix; null where it is absent or not in our form. */
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

  /** @param seconds how long the browser keeps it; absent: until it is closed */
  write(ctx: ParameterizedContext, name: string, value: string, seconds?: number): void {
    if (!SAFE_VALUE.test(value)) throw new Error(`the value of the cookie ${name} cannot be sent`);
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    ctx.append('Set-Cookie', `${this.prefix}${name}=${value}; ${this.flags}${age}`);
  }

  clear(ctx: ParameterizedContext, name: string): void {
    ctx.append('Set-Cookie', `${this.prefix}${name}=; ${this.flags}; Max-Age=0`);
  }
}
