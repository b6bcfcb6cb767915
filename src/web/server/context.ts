import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Caller } from '../../commands/organization/caller.ts';
import type { RateLimits } from '../../http/access/rate-limits.ts';
import type { AssistantEvent } from '../../identity/access-log/access-events.ts';
import type { AccessLogReader } from '../../identity/access-log/access-log-reader.ts';
import type { People } from '../../identity/accounts/people.ts';
import type { ClientInfo } from '../../identity/client-info.ts';
import type { Members } from '../../identity/memberships/members.ts';
import type { OAuth } from '../../identity/oauth/oauth.ts';
import type { OpenId } from '../../identity/openid/openid.ts';
import type { OrganizationTokens } from '../../identity/tokens/organization-tokens.ts';
import type { Tokens } from '../../identity/tokens/tokens.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { MemberNames } from '../../queries/records/member-names.ts';
import type { ReportChoices } from '../../reports/report-choices.ts';
import type { Proposals } from '../../tools/proposals/proposals.ts';
import type { ToolBox } from '../../tools/toolbox.ts';

/** Everything that the pages use. A page declares the part that it needs, such as `Pick<WebContext, 'members'>`. */
export interface WebContext {
  /** The service's public address, without a slash at the end. */
  baseUrl: string;
  /** The address of the MCP endpoint. */
  endpoint: string;
  /** 32 random bytes that all instances share: `secret(accounts, 'form-key')`. */
  formKey: Buffer;
  people: People;
  members: Members;
  tokens: Tokens;
  organizationTokens: OrganizationTokens;
  oauth: Pick<OAuth, 'consent' | 'authorizationError' | 'assistantsOf' | 'disconnect'>;
  /** Called when a person has answered an assistant's request. */
  onAssistantEvent: (event: AssistantEvent) => void;
  accessLogReader: Pick<AccessLogReader, 'list' | 'credentialUses'>;
  /** Reads names of accounts as an organization's readers see them. */
  readNames: (organizationId: string, accountIds: Iterable<string>) => Promise<MemberNames>;
  /** The tools, which forms call. */
  tools: Pick<ToolBox, 'call' | 'has' | 'inputOf' | 'permissionOf'>;
  /** Approves and declines proposals, for people. */
  proposals: Omit<Proposals, 'finish' | 'endDependents'>;
  /** Reads the register. */
  reader: Reader;
  /**
   * Returns a reader for statements that could read all of a collection. In the service, another thread runs them, in turns
   * of the account.
   */
  scanReaderOf: (caller: Caller) => Reader;
  /** Returns why an organization's events can't be sealed, and the next step; null if they can. */
  sealingProblem: (organizationId: string) => Promise<string | null>;
  /** Returns the choices for report forms. @throws Refusal */
  reportChoices: (caller: Caller, organizationId: string) => Promise<ReportChoices>;
  canPrintPdf: () => boolean;
  /** Sign-in with the configured OpenID provider; null without one. Organizations can admit domains only with one. */
  openId: OpenId | null;
  /** Returns an organization's name, also for people who are not members yet. @throws Refusal not_found */
  organizationNameOf: (id: string) => Promise<string>;
  readClientInfo: (request: IncomingMessage) => ClientInfo;
  limits: RateLimits;
  logger: Logger;
  now: () => Date;
}
