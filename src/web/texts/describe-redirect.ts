import type { ConsentDetails } from '../../identity/oauth/consent.ts';

/** Returns words by which a person can judge where the answer to an assistant goes. */
export function describeRedirect({ host, kind }: Pick<ConsentDetails['redirect'], 'host' | 'kind'>): string {
  if (kind === 'LOOPBACK') return `a program on this computer (${host})`;
  return kind === 'PRIVATE_USE' ? `the program on this computer that opens ${host}: addresses` : host;
}
