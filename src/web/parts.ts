import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { People } from '../identity/people.ts';
import type { Visitor } from '../identity/visitor.ts';

/** What the pages are made of. Each page takes of it what it needs. */
export interface WebParts {
  /** The service's address as its users write it, without a slash at the end. */
  baseUrl: string;
  /** Where assistants connect. */
  endpoint: string;
  /** 32 random bytes that all instances share: `secret(accounts, 'form-key')`. */
  formKey: Buffer;
  people: People;
  /** Who stands before us. */
  visitorOf: (request: IncomingMessage) => Visitor;
  logger: Logger;
  now: () => Date;
}
