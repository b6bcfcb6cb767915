/** The filters of the access-log page. */
export type AccessFilter = 'sign-ins' | 'refusals' | 'tokens' | 'accounts' | 'downloads';

interface AccessEntryDescription {
  text: string;
  filter: AccessFilter;
  /** True for entries that are counted: refusals per hour, uses of a token per day. */
  counted?: true;
  /** True for what programs may repeat without end, and what is about nobody else. After many of a day they are counted. */
  countedIfMany?: true;
}

/** The types of access-log entries. Changes of records, members and tokens are events in the sealed log instead. */
const ENTRY_TYPES = {
  SIGNED_IN: { text: 'Signed in', filter: 'sign-ins', countedIfMany: true },
  SIGN_IN_REFUSED: { text: 'Sign-in refused', filter: 'refusals', counted: true },
  SIGNED_OUT: { text: 'Signed out', filter: 'sign-ins', countedIfMany: true },
  SESSIONS_ENDED: { text: 'Browsers signed out', filter: 'sign-ins' },
  PASSWORD_CHANGED: { text: 'Password changed', filter: 'accounts' },
  EMAIL_CHANGED: { text: 'E-mail address changed', filter: 'accounts' },
  PROVIDER_CONNECTED: { text: 'OpenID provider connected', filter: 'accounts' },
  PROVIDER_DISCONNECTED: { text: 'OpenID provider disconnected', filter: 'accounts' },
  FACTOR_ADDED: { text: 'Second factor added', filter: 'accounts' },
  FACTOR_REMOVED: { text: 'Second factor removed', filter: 'accounts' },
  RECOVERY_CODES_CREATED: { text: 'Recovery codes created', filter: 'accounts' },
  RECOVERY_CODE_USED: { text: 'Recovery code used', filter: 'sign-ins' },
  ACCOUNT_CREATED: { text: 'Account created', filter: 'accounts' },
  ACCOUNT_ERASED: { text: 'Account erased', filter: 'accounts' },
  IMPORTED_NAME_ERASED: { text: 'Imported name erased', filter: 'accounts' },
  ACCOUNT_LINK_CREATED: { text: 'Link created', filter: 'accounts' },
  ACCOUNT_LINK_REVOKED: { text: 'Link revoked', filter: 'accounts' },
  ASSISTANT_ALLOWED: { text: 'Assistant allowed', filter: 'tokens' },
  ASSISTANT_DENIED: { text: 'Assistant denied', filter: 'refusals' },
  ASSISTANT_REVOKED: { text: 'Assistant disconnected', filter: 'refusals' },
  TOKEN_USED: { text: 'Token used', filter: 'tokens', counted: true },
  TOKEN_REFUSED: { text: 'Token refused', filter: 'refusals', counted: true },
  CALL_REFUSED: { text: 'Call refused', filter: 'refusals', counted: true },
  EXPORT_DOWNLOADED: { text: 'Export downloaded', filter: 'downloads', countedIfMany: true },
  REPORT_GENERATED: { text: 'Report generated', filter: 'downloads', countedIfMany: true },
} as const satisfies Readonly<Record<string, AccessEntryDescription>>;

export type AccessEntryType = keyof typeof ENTRY_TYPES;

export const ACCESS_ENTRIES: Readonly<Record<AccessEntryType, AccessEntryDescription>> = ENTRY_TYPES;

export const ACCESS_ENTRY_TYPES = Object.keys(ENTRY_TYPES) as [AccessEntryType, ...AccessEntryType[]];

/** Earlier names of entry types. Filters accept them; stored rows have the new names since migration 2. */
export const FORMER_ENTRY_TYPES: Readonly<Record<string, AccessEntryType>> = {
  RECOVERY_CODES_MADE: 'RECOVERY_CODES_CREATED',
  ACCOUNT_LINK_MADE: 'ACCOUNT_LINK_CREATED',
  ACCOUNT_LINK_WITHDRAWN: 'ACCOUNT_LINK_REVOKED',
  EXPORT_DRAWN: 'EXPORT_DOWNLOADED',
  REPORT_DRAWN: 'REPORT_GENERATED',
};

/** Returns the current name of an entry type, given that name or an earlier one. */
export function currentEntryType(type: string): string {
  return Object.hasOwn(FORMER_ENTRY_TYPES, type) ? FORMER_ENTRY_TYPES[type]! : type;
}

/** Returns true for the type of an access-log entry. */
export function isAccessEntryType(type: string): type is AccessEntryType {
  return Object.hasOwn(ENTRY_TYPES, type);
}
