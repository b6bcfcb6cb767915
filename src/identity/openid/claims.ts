import { isPersonName, readEmail, toStorableName } from '../accounts/account.ts';
import type { Claims } from './openid-provider.ts';

/** A person as the provider describes them. */
export interface VerifiedPerson {
  /** Issuer, a space, subject. It identifies the account. */
  subject: string;
  /** An address that the provider has verified, else null. `domain` is the part after the @. */
  address: { email: string; domain: string } | null;
  /** The name to show. */
  name: string;
  /** The time of their last sign-in there, or null if the provider doesn't send it. */
  authenticated_at: Date | null;
  usedTwoFactors: boolean;
}

/** Returns the person of verified claims. Claim names are those of OpenID Connect Core 1.0, section 5.1. */
export function toVerifiedPerson(claims: Claims): VerifiedPerson {
  const address = claims.email_verified === true ? addressIn(claims.email) : null;
  const { auth_time } = claims;
  return {
    subject: `${claims.iss} ${claims.sub}`,
    address,
    name: nameIn(claims, address?.email),
    usedTwoFactors: saysTwoFactors(claims),
    authenticated_at: typeof auth_time === 'number' ? new Date(auth_time * 1_000) : null,
  };
}

/** Values of `acr` that mean two factors: OpenID's EAP and PAPE, REFEDS, eIDAS. */
const TWO_FACTOR_CLASSES: ReadonlySet<unknown> = new Set([
  'phr',
  'phrh',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
  'http://eidas.europa.eu/LoA/substantial',
  'http://eidas.europa.eu/LoA/high',
]);

/** Methods of `amr` (RFC 8176) by which people show what they know, and what they have. */
const KNOWLEDGE: readonly unknown[] = ['pwd', 'pin', 'kba'];
const POSSESSION: readonly unknown[] = ['otp', 'hwk', 'swk', 'pop', 'sc', 'sms', 'tel'];

/** Returns true if `acr` or `amr` says so. A provider that sends neither counts as one factor. */
function saysTwoFactors({ acr, amr }: Claims): boolean {
  if (TWO_FACTOR_CLASSES.has(acr)) return true;
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  const used = (kind: readonly unknown[]) => methods.some((method) => kind.includes(method));
  return methods.includes('mfa') || (used(KNOWLEDGE) && used(POSSESSION));
}

function addressIn(email: unknown): VerifiedPerson['address'] {
  if (typeof email !== 'string') return null;
  try {
    const read = readEmail(email);
    return { email: read.email, domain: read.email_key.split('@')[1]! };
  } catch {
    // Not a valid address for an account.
    return null;
  }
}

function nameIn({ name, given_name, family_name, preferred_username }: Claims, email = ''): string {
  const whole = [given_name, family_name].filter((part) => typeof part === 'string').join(' ');
  for (const text of [name, whole, preferred_username, email.split('@')[0]]) {
    const storableName = typeof text === 'string' ? toStorableName(text) : null;
    if (storableName !== null && isPersonName(storableName, email)) return storableName;
  }
  return 'Somebody';
}
