import { Refusal } from '../commands/refusal.ts';

/** Labels of letters, digits and lines between dots, as in RFC 1123 section 2.1. */
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain as it is kept, of what somebody typed: an @ before it does no harm. @throws Refusal invalid_input */
export function readDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/^@/, '');
  if (DOMAIN.test(domain)) return domain;
  throw new Refusal('invalid_input', 'Give what follows the @ of an address, such as example.org.', {
    field: 'domain',
  });
}
