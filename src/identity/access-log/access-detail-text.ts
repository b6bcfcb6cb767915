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
  CODE_REUSED: 'its authorization code was used again',
  REFRESH_TOKEN_REUSED: 'its refresh token was used again, more than a minute after the first use',
  FORBIDDEN: 'not permitted',
  RATE_LIMITED: 'beyond a limit',
  read: 'read only',
  write: 'read and write',
};

/** Returns the text for one more field of an entry, such as the factor. Returns null for fields that have a column. */
export function accessDetailText(field: string, value: unknown): string | null {
  if (field === 'left') return `${value} left`;
  if (field === 'sessions') return value === 1 ? '1 session' : `${value} sessions`;
  return typeof value === 'string' ? (VALUE_TEXTS[value] ?? null) : null;
}
