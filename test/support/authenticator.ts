/** A make-believe security key, plugged into a page by Chromium's own virtual authenticator. */
import type { Page } from 'playwright-core';

/** What the key holds, and taking it out again. */
export interface VirtualAuthenticator {
  credentials(): Promise<number>;
  remove(): Promise<void>;
}

/** Plugs in a key that keeps passkeys and whose owner touches it, and is recognized unless said otherwise. */
export async function plugInAuthenticator(page: Page, { isUserVerified = true } = {}): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    remove: async () => {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await session.detach();
    },
  };
}
