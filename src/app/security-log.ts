import type { RequestState } from '../http/request.ts';
import { ACCESS_ENTRIES, ACCESS_ENTRY_TYPES } from '../identity/access-log/access-entry-types.ts';
import type { AccessEvent } from '../identity/access-log/access-events.ts';
import { entryOf } from '../identity/access-log/access-log-entry.ts';
import type { OrganizationEvent } from '../register/organization.ts';
import type { ToolBox } from '../tools/toolbox.ts';
import type { TrailEvent } from '../trail/event.ts';
import type { Logger } from './logger.ts';

/** A line of the log for a SIEM. docs/operations.md lists the fields. It contains ids, never a name, address or secret. */
interface SecurityEvent {
  security_event: string;
  outcome: 'SUCCESS' | 'FAILURE';
  /** The account or credential that acted, or SYSTEM; null if unknown. */
  actor_id: string | null;
  /** The credential that the actor used. */
  token_id?: string | null;
  /** The account concerned, if it isn't the actor. */
  account_id?: string | null;
  organizations?: readonly string[];
  /** The event in the organization's history. */
  event_id?: string;
  /** The request that was refused, as the line about the request and `X-Request-Id` name it. */
  request?: string;
  tool?: string;
  details?: Readonly<Record<string, unknown>>;
}

/** The members of each event that say which rights changed. Null for events that change none. Domains and reasons are left out. */
const CHANGES_OF_RIGHTS = {
  OrganizationCreated: [],
  OrganizationRenamed: null,
  MemberAdded: ['account_id', 'role', 'until'],
  MemberRoleChanged: ['account_id', 'from', 'to'],
  MemberRemoved: ['account_id', 'role'],
  DomainAdmitted: ['role'],
  DomainWithdrawn: [],
  SecondFactorRequired: ['from'],
  SecondFactorMadeOptional: [],
  ApprovalPolicyChanged: ['ceiling', 'four_eyes', 'hourly_changes'],
  FourEyesSuspended: ['decisions'],
  FourEyesResumed: ['decisions'],
  TokenCreated: ['token_id', 'account_id', 'role', 'read_only', 'expires_at', 'kind', 'autonomy'],
  TokenAutonomyChanged: ['token_id', 'from', 'to'],
  TokenRegenerated: ['token_id', 'expires_at'],
  TokenRevoked: ['token_id'],
} as const satisfies Record<OrganizationEvent['type'], readonly string[] | null>;

/** The members of access-log details that are ids or fixed words. A download's filter may hold a name. */
const ENTRY_DETAILS = ['factor', 'reason', 'by', 'link', 'left', 'sessions', 'role', 'access', 'type', 'format'];

const REFUSED_STATUSES: Readonly<Record<number, string>> = { 403: 'ACCESS_DENIED', 429: 'RATE_LIMITED' };

export const SECURITY_EVENTS: readonly string[] = [
  ...ACCESS_ENTRY_TYPES.filter((type) => type !== 'TOKEN_USED' && type !== 'CALL_REFUSED'),
  ...Object.entries(CHANGES_OF_RIGHTS).flatMap(([type, members]) => (members === null ? [] : [type])),
  ...Object.values(REFUSED_STATUSES),
];

/**
 * Writes sign-ins, refusals and changes of rights to the service's log, for LOG_SECURITY_EVENTS. Each instance writes what
 * it did itself, so instances repeat nothing.
 */
export class SecurityLog {
  private readonly lines: Pick<Logger, 'info'>;

  constructor(logger: Logger) {
    // Security events are wanted at every level but `silent`. Their ids of tokens are no secrets, so nothing is redacted.
    this.lines = logger.child({}, { redact: [], ...(logger.level === 'silent' ? {} : { level: 'info' }) });
  }

  /**
   * Writes an event of the access log. Uses of tokens have none: the line of each request names the account. Refused calls have
   * lines of their own.
   */
  readonly record = (event: AccessEvent): void => {
    if (event.type === 'TOKEN_USED' || event.type === 'CALL_REFUSED') return;
    const { event_type, actor_id, account_id, organizations, details } = entryOf(event);
    const isRefusal = ACCESS_ENTRIES[event_type].filter === 'refusals';
    this.write({
      security_event: event_type,
      outcome: isRefusal ? 'FAILURE' : 'SUCCESS',
      actor_id,
      account_id: account_id ?? null,
      ...(organizations === undefined ? {} : { organizations }),
      details: pick(details ?? {}, ENTRY_DETAILS),
    });
  };

  /** Writes the changes of rights among events that this instance has appended. */
  readonly recordAppended = (events: readonly TrailEvent[]): void => {
    for (const { id, type, data, metadata } of events) {
      const members = isOrganizationEvent(type) ? CHANGES_OF_RIGHTS[type] : null;
      if (members === null) continue;
      const { organization_id, actor_id, token_id } = metadata;
      this.write({
        security_event: type,
        outcome: 'SUCCESS',
        actor_id,
        token_id,
        organizations: [organization_id],
        event_id: id,
        details: pick(data, members),
      });
    }
  };

  /** Writes an answer that refused a request: without permission, or beyond a limit. */
  readonly recordAnswer = (status: number, { id, account, tool }: RequestState): void => {
    const refusal = REFUSED_STATUSES[status];
    if (refusal === undefined) return;
    const line = { security_event: refusal, outcome: 'FAILURE', actor_id: account ?? null, request: id } as const;
    this.write(tool === undefined ? line : { ...line, tool });
  };

  /** Returns tools whose refusals are written. For MCP, whose answers have status 200 even then. */
  watchTools(tools: ToolBox): ToolBox {
    return {
      ...tools,
      call: async (name, args, context) => {
        const result = await tools.call(name, args, context);
        if (result.outcome === 'forbidden') {
          const { account_id, token_id } = context.caller;
          const line = { security_event: 'ACCESS_DENIED', outcome: 'FAILURE', actor_id: account_id } as const;
          this.write({ ...line, token_id, tool: name });
        }
        return result;
      },
    };
  }

  private write(event: SecurityEvent): void {
    this.lines.info(event, 'security event');
  }
}

const isOrganizationEvent = (type: string): type is OrganizationEvent['type'] => Object.hasOwn(CHANGES_OF_RIGHTS, type);

function pick(from: Readonly<Record<string, unknown>>, members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(members.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
}
