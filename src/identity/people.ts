import type { AccountStore } from '../stores/account-store.ts';
import type { Accounts } from './accounts.ts';
import type { Links } from './links.ts';
import type { Noted } from './noted.ts';
import type { Passkeys } from './passkeys.ts';
import type { Hasher } from './passwords.ts';
import type { Proof } from './proof.ts';
import type { Recovery } from './recovery.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import type { Totp } from './totp.ts';
import { unbuilt } from './unbuilt.ts';
import type { Join, Welcome } from './welcome.ts';

export interface PeopleParts {
  accounts: AccountStore;
  now: () => Date;
  /** Where the service is reached, without a slash at the end; asked when it is needed, for the port may be given late. */
  baseUrl: () => string;
  /** See AccountsParts. */
  leaveAll: (accountId: string) => Promise<void>;
  join: Join;
  noted?: Noted;
  hasher?: Hasher;
}

/** Everything about people and their browsers. */
export interface People {
  accounts: Accounts;
  sessions: Sessions;
  signIn: SignIn;
  proof: Proof;
  totp: Totp;
  recovery: Recovery;
  passkeys: Passkeys;
  links: Links;
  welcome: Welcome;
  /** A link's secret for the first owner, as long as they have no password; else null. Asked at every start. */
  setupLink(installation: string): Promise<string | null>;
}

/** Puts the parts together. */
export function openPeople(parts: PeopleParts): People {
  return unbuilt(parts);
}
