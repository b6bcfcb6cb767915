import { Refusal } from '../../commands/engine/refusal.ts';

/** Labels of letters, digits and lines between dots, as in RFC 1123 section 2.1. */
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Returns a typed domain in the form that is stored. A leading @ is dropped. @throws Refusal invalid_input */
export function readDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/^@/, '');
  if (DOMAIN.test(domain)) return domain;
  throw new Refusal('invalid_input', 'Enter a domain, the part of an address after the @, such as example.org.', {
    field: 'domain',
  });
}
