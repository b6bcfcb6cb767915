import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Caller } from '../commands/caller.ts';
import type { Limits } from '../http/limits.ts';
import type { AccessLogEntry } from '../identity/access-log-entry.ts';
import type { Members } from '../identity/members.ts';
import type { OAuth } from '../identity/oauth/oauth.ts';
import type { OpenId } from '../identity/openid/openid.ts';
import type { People } from '../identity/people.ts';
import type { Tokens } from '../identity/tokens.ts';
import type { Visitor } from '../identity/visitor.ts';
import type { AccessLogReader } from '../queries/list-access-log.ts';
import type { ReportChoices } from '../queries/report/choices.ts';

/** What the pages are made of. Each page takes of it what it needs. */
export interface WebContext {
  /** The service's address as its users write it, without a slash at the end. */
  baseUrl: string;
  /** Where assistants connect. */
  endpoint: string;
  /** 32 random bytes that all instances share: `secret(accounts, 'form-key')`. */
  formKey: Buffer;
  people: People;
  members: Members;
  tokens: Tokens;
  oauth: Pick<OAuth, 'consent' | 'authorizationError' | 'assistantsOf' | 'disconnect'>;
  /** Tells the access log what a person does here that nothing else tells it. */
  noteAccess: (entry: AccessLogEntry) => void;
  /** What the access log is read from. */
  accessReader: AccessLogReader;
  /** What reports can be about, for forms that ask for one. @throws Refusal */
  reportChoices: (caller: Caller, organizationId: string) => Promise<ReportChoices>;
  /** Tells whether reports can be had as PDF. */
  canPrintPdf: () => boolean;
  /** Signing in by an OpenID provider, where one is configured: then organizations may let domains in, too. */
  openId: OpenId | null;
  /** An organization's name, for who is no member of it yet. @throws Refusal not_found */
  organizationName: (id: string) => Promise<string>;
  /** Who stands before us. */
  visitorOf: (request: IncomingMessage) => Visitor;
  limits: Limits;
  logger: Logger;
  now: () => Date;
}
