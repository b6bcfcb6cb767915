import { z } from 'zod';
import { ROLES } from '../commands/caller.ts';
import { ACCESS_ENTRY_TYPES } from '../queries/access-log-row.ts';
import { ACCESS_RECORD_TYPE } from '../queries/list-access-log.ts';
import { CHANGE_FAULTS } from '../queries/verify-fault.ts';
import * as field from './fields.ts';
import {
  errorObject,
  momentNotes,
  nextCursor,
  pageOutput,
  pending,
  position,
  type RecordSchemas,
  time,
} from './output.ts';

/* What the tools that serve every family answer. */

/** Items of a call on many records that another's write spoiled meanwhile. */
const itemErrors = {
  errors: z.array(errorObject).optional().describe('another’s write came between: this one was not done'),
};

const anyId = z.string();
const recordName = z.strictObject({ id: anyId, type: z.string(), name: z.string() });

const change = z.strictObject({
  position: position().describe('not of ACCESS, which has no place, revision or proof'),
  event_type: z.string(),
  record: recordName,
  linked: recordName.optional().describe('of a link: the other record'),
  revision: z.int().nullable().describe('of the record after it; null of a link'),
  recorded_at: time(),
  effective_at: z.union([time(), z.iso.date()]).optional().describe('a date or time that the event itself states'),
  actor: z.strictObject({ id: z.string(), kind: z.enum(['ACCOUNT', 'TOKEN', 'SYSTEM']), name: z.string() }),
  client: z.string().nullable(),
  reason: z.string().nullable(),
  changes: z.array(z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() })),
  stale: z.literal(true).optional(),
  event_id: z.string().optional().describe('with verify'),
  hash: field.sha256Digest().optional().describe('with verify'),
});

/** A row of the access log, in the shape of a change, without its place and proofs. */
const accessEntry = z.strictObject({
  event_type: z.enum(ACCESS_ENTRY_TYPES),
  record: z
    .strictObject({ id: z.string(), type: z.literal(ACCESS_RECORD_TYPE), name: z.string() })
    .describe('whom or what it is about'),
  recorded_at: time().describe('of what is counted, the first time'),
  actor: z.strictObject({ id: z.string(), kind: z.enum(['ACCOUNT', 'TOKEN', 'SYSTEM', 'UNKNOWN']), name: z.string() }),
  client: z.string().nullable().describe('an assistant or a browser'),
  reason: z.null(),
  changes: z
    .array(z.strictObject({ field: z.string(), from: z.null(), to: z.unknown() }))
    .describe('count and last_at of what is counted by the hour or day, a person’s address, and the like'),
});

const fault = z.strictObject({
  why: z
    .enum(CHANGE_FAULTS)
    .describe(
      'ALTERED, BROKEN_LINK, OUT_OF_ORDER: the log’s chain; NOT_IN_LOG: no such event; DIFFERS: shown otherwise than the event says; HIDDEN: left out of the list; ADDED: of no event; MISPLACED: not at its place; SEAL: the newest seal',
    ),
  position: z.string().nullable(),
  stream: z.string().optional(),
  revision: z.int().optional(),
  event_id: z.string().optional(),
  differs: z.array(z.string()).optional().describe('what differs: actor_id, record.name, changes.status'),
});
const seal = z.strictObject({
  size: z.int().describe('it covers positions 1 to size'),
  root: field.sha256Digest(),
  sealed_at: time(),
  previous_seal: field.sha256Digest().nullable(),
  key_id: z.string(),
  signature: z.string(),
  position: z.string().describe('of the event that holds it'),
  event_id: z.string(),
});
/** The outcome of checking changes against the log. */
export const verification = z.strictObject({
  verdict: z.enum(['VALID', 'INVALID']).describe('of what is covered alone'),
  complete: z.boolean().describe('false: a part is left, verify_cursor goes on with it'),
  covered_from: z
    .string()
    .nullable()
    .describe('position; with that and covered_to: what this call and those before it covered'),
  covered_to: z.string().nullable(),
  verify_cursor: z.string().optional().describe('give it back to go on; next_cursor pages rows only'),
  events: z.int().describe('read from the log by this call, at most 100,000'),
  streams: z.int().describe('how many chains they are of'),
  erased: z.int().optional().describe('changes whose data are erased in the log'),
  faults: z.array(fault).describe('at most 10 a call'),
  seal: seal.nullable().describe('the newest one; null as long as nothing is sealed'),
  key_fingerprint: z.string().nullable().describe('of the key that signed it, as veritrail seal-key prints it'),
  offline_check: z.string().describe('how to check without the service'),
});
const listVerification = verification.extend({
  inclusion: z
    .array(
      z.strictObject({
        position: z.string(),
        path: z
          .array(field.sha256Digest())
          .nullable()
          .describe('RFC 9162 audit path, lowest first; null: not sealed yet'),
      }),
    )
    .describe('of each listed event: that it is in what the seal covers'),
});

export const changesOutput = pageOutput('changes', [change, accessEntry], {
  verification: listVerification.optional(),
});

const member = z.strictObject({ id: field.id('acc'), name: z.string(), role: z.enum(ROLES) });

export const organizationsOutput = z.strictObject({
  organizations: z.array(
    z.strictObject({
      id: field.id('org'),
      name: z.string(),
      role: z.enum(ROLES),
      account_id: field.id('acc').describe('yours'),
      created_at: time(),
      members: z.array(member).optional().describe('with include_members'),
    }),
  ),
  next_cursor: nextCursor,
});

/** Records of any family, each with its type and what was asked for beside it. */
export function recordsOutput(kinds: readonly RecordSchemas[]): z.ZodType {
  const truncated = z.literal(true).optional();
  const link = recordName.extend({ archived_at: time().optional() });
  const evidence = kinds.find(({ type }) => type === 'EVIDENCE')?.summary ?? z.strictObject({});
  const record = kinds.map(({ type, full }) =>
    full.extend({
      type: z.literal(type),
      links: z.strictObject({ records: z.array(link), total: z.int(), truncated }).optional(),
      evidence: z.strictObject({ records: z.array(evidence), total: z.int(), truncated }).optional(),
      history: z.strictObject({ changes: z.array(change), truncated }).optional(),
    }),
  );
  return z.strictObject({
    records: z.array(z.union(record)),
    not_found: z.array(anyId),
    omitted: z.array(anyId).describe('did not fit: ask for them apart'),
    ...momentNotes,
  });
}

export const linksOutput = z.strictObject({
  links: z.array(
    z.strictObject({
      from_id: anyId,
      to_id: anyId,
      result: z.enum(['CREATED', 'REMOVED', 'UNCHANGED']),
      ...itemErrors,
    }),
  ),
  pending,
});

export const archiveOutput = z.strictObject({
  records: z.array(
    z.strictObject({
      id: anyId,
      archived_at: time().nullable(),
      referred_by: z.int().describe('how many live records point at it'),
      ...itemErrors,
    }),
  ),
  pending,
});

const rowError = z.strictObject({ field: z.string(), message: z.string(), hint: z.string().optional() });

export const importOutput = z.strictObject({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  rows: z.array(
    z.strictObject({
      row: z.int().describe('its place in the call, from 0'),
      id: anyId.optional(),
      result: z.enum(['CREATED', 'UPDATED', 'UNCHANGED']).optional(),
      errors: z.array(rowError).optional(),
      more_errors: z.int().optional().describe('errors that the answer had no room for'),
    }),
  ),
  message: z.string().optional().describe('what to do next, where nothing was written'),
  pending,
});
