import type { AccessEntryType } from '../../queries/access/access-log-row.ts';

/** Page texts for the types of access-log entries. */
export const ACCESS_TEXTS: Readonly<Record<AccessEntryType, string>> = {
  SIGNED_IN: 'Signed in',
  SIGN_IN_REFUSED: 'Sign-in refused',
  SIGNED_OUT: 'Signed out',
  SESSIONS_ENDED: 'Other browsers signed out',
  PASSWORD_CHANGED: 'Password changed',
  EMAIL_CHANGED: 'E-mail address changed',
  PROVIDER_CONNECTED: 'OpenID provider connected',
  PROVIDER_DISCONNECTED: 'OpenID provider disconnected',
  FACTOR_ADDED: 'Second factor added',
  FACTOR_REMOVED: 'Second factor removed',
  RECOVERY_CODES_CREATED: 'Recovery codes created',
  RECOVERY_CODE_USED: 'Recovery code used',
  ACCOUNT_CREATED: 'Account created',
  ACCOUNT_ERASED: 'Account erased',
  ACCOUNT_LINK_CREATED: 'Link created',
  ACCOUNT_LINK_REVOKED: 'Link revoked',
  ASSISTANT_ALLOWED: 'Assistant allowed',
  ASSISTANT_DENIED: 'Assistant denied',
  TOKEN_USED: 'Token used',
  TOKEN_REFUSED: 'Token refused',
  EXPORT_DOWNLOADED: 'Export downloaded',
  REPORT_GENERATED: 'Report generated',
};

/** Filters of the access-log page. Each type is in exactly one of them. */
export const ACCESS_FILTERS: Readonly<Record<string, { label: string; types: readonly AccessEntryType[] }>> = {
  'sign-ins': {
    label: 'Signing in and out',
    types: ['SIGNED_IN', 'SIGNED_OUT', 'SESSIONS_ENDED', 'RECOVERY_CODE_USED'],
  },
  refusals: { label: 'Refused', types: ['SIGN_IN_REFUSED', 'TOKEN_REFUSED', 'ASSISTANT_DENIED'] },
  tokens: { label: 'Tokens and assistants', types: ['TOKEN_USED', 'ASSISTANT_ALLOWED'] },
  accounts: {
    label: 'Account changes',
    types: [
      'PASSWORD_CHANGED',
      'EMAIL_CHANGED',
      'PROVIDER_CONNECTED',
      'PROVIDER_DISCONNECTED',
      'FACTOR_ADDED',
      'FACTOR_REMOVED',
      'RECOVERY_CODES_CREATED',
      'ACCOUNT_CREATED',
      'ACCOUNT_ERASED',
      'ACCOUNT_LINK_CREATED',
      'ACCOUNT_LINK_REVOKED',
    ],
  },
  downloads: { label: 'Exports and reports', types: ['EXPORT_DOWNLOADED', 'REPORT_GENERATED'] },
};

/** Returns the name of a filter, given that name or the earlier one of a bookmarked page. */
export const currentFilter = (name: string): string => (name === 'drawn' ? 'downloads' : name);

const VALUE_TEXTS: Readonly<Record<string, string>> = {
  TOTP: 'authenticator app',
  PASSKEY: 'passkey',
  RECOVERY_CODE: 'recovery code',
  PASSWORD: 'password only',
  LINK: 'one-time link',
  SETUP: 'account setup',
  INVITATION: 'invitation',
  RESET: 'password reset',
  OPENID: 'OpenID provider',
  WRONG_PASSWORD: 'wrong password',
  WRONG_FACTOR: 'wrong second factor',
  THROTTLED: 'too many attempts',
  ADDRESS_TAKEN: 'link for a new account, but the address already has one',
  BAD_ANSWER: 'response of the OpenID provider not accepted',
  NOT_ADMITTED: 'person not admitted for sign-in with the OpenID provider',
  NOT_CONNECTED: 'account not connected to the OpenID provider',
  read: 'read only',
  write: 'read and write',
};

/** Returns the text for one more field of an entry, such as the factor. Returns null for fields that have a column. */
export function detailText(field: string, value: unknown): string | null {
  if (field === 'left') return `${value} left`;
  if (field === 'sessions') return value === 1 ? '1 session' : `${value} sessions`;
  return typeof value === 'string' ? (VALUE_TEXTS[value] ?? null) : null;
}
