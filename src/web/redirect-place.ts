import type { ConsentDetails } from '../identity/oauth/consent.ts';

/** Returns the words for where an assistant is answered, as a person can judge it. */
export function redirectPlace({ host, kind }: Pick<ConsentDetails['redirect'], 'host' | 'kind'>): string {
  if (kind === 'LOOPBACK') return `a program on this computer (${host})`;
  return kind === 'PRIVATE_USE' ? `the program on this computer that opens ${host}: addresses` : host;
}
