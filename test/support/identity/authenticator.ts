/** A virtual security key, which Chromium's virtual authenticator plugs into a page. */
import type { Page } from 'playwright-core';

/** The key's credentials, and a way to unplug it. */
export interface VirtualAuthenticator {
  credentials(): Promise<number>;
  remove(): Promise<void>;
}

/** Plugs in a key that stores passkeys. Its owner touches it, and by default the key recognizes them. */
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
