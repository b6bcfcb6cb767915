import { z } from 'zod';
import { ROLES } from '../../commands/organization/caller.ts';
import { TOOL_PERMISSIONS } from '../../commands/organization/permissions.ts';
import { ACCESS_ENTRY_TYPES } from '../../identity/access-log/access-entry-types.ts';
import { ACCESS_RECORD_TYPE } from '../../queries/changes/access-log-source.ts';
import { CHANGE_FAULTS, SEAL_FAULTS } from '../../queries/proofs/change-fault.ts';
import { AUTONOMIES, PROPOSAL_STATES } from '../../register/proposal.ts';
import * as field from './fields.ts';
import {
  errorObject,
  impliedOrganization,
  momentNotes,
  nextCursor,
  noEnd,
  pageOutput,
  pageUrl,
  pending,
  position,
  proposalMembers,
  type RecordSchemas,
  relationSchema,
  statedTime,
  time,
  writtenMembers,
} from './output.ts';

/* Schemas of the answers of the tools that serve all families. */

/** The errors of an item that lost a race with another writer. */
const itemErrors = {
  errors: z.array(errorObject).optional().describe('another write came first, so this item was not done'),
};

const anyId = z.string();
const recordName = z.strictObject({ id: anyId, type: z.string(), name: z.string() });

const person = z.strictObject({ id: anyId, name: z.string() });

const change = z.strictObject({
  position: position().describe('not for ACCESS, which has no position, revision or proof'),
  event_type: z.string(),
  record: recordName,
  linked: recordName.optional().describe('for a link: the other record'),
  revision: z.int().nullable().describe('of the record after the change; null for a link'),
  recorded_at: time(),
  effective_at: statedTime().optional().describe('the date or time that the event itself states'),
  actor: z.strictObject({ id: z.string(), kind: z.enum(['ACCOUNT', 'TOKEN', 'SYSTEM']), name: z.string() }),
  client: z.string().nullable(),
  reason: z.string().nullable(),
  changes: z.array(z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() })),
  stale: z.literal(true).optional(),
  proposal: z
    .strictObject({
      id: anyId,
      proposed_by: person,
      client: z.string().nullable(),
      changed: z.literal(true).optional().describe('approved with changes'),
    })
    .optional()
    .describe('the proposal that the actor approved'),
  call_id: z.uuid().optional().describe('with view FULL: the call that wrote it'),
  event_id: z.string().optional().describe('with verify'),
  hash: field.sha256Digest().optional().describe('with verify'),
});

/** An entry of the access log. It looks like a change, without position and proofs. */
const accessEntry = z.strictObject({
  event_type: z.enum(ACCESS_ENTRY_TYPES),
  record: z
    .strictObject({ id: z.string(), type: z.literal(ACCESS_RECORD_TYPE), name: z.string() })
    .describe('the account or credential it is about'),
  recorded_at: time().describe('for counted entries, the first time'),
  actor: z.strictObject({ id: z.string(), kind: z.enum(['ACCOUNT', 'TOKEN', 'SYSTEM', 'UNKNOWN']), name: z.string() }),
  client: z.string().nullable().describe('an assistant or a browser'),
  reason: z.null(),
  changes: z
    .array(z.strictObject({ field: z.string(), from: z.null(), to: z.unknown() }))
    .describe('details, such as address, and count and last_at of entries counted by hour or day'),
});

const fault = z.strictObject({
  why: z
    .enum(CHANGE_FAULTS)
    .describe(
      'ALTERED, BROKEN_LINK, OUT_OF_ORDER: the log’s chain is broken. NOT_IN_LOG: no such event. DIFFERS: the list shows something else than the event. HIDDEN: missing from the list. ADDED: listed without an event. MISPLACED: at the wrong position. SEAL: a seal is wrong.',
    ),
  position: z.string().nullable(),
  stream: z.string().optional(),
  revision: z.int().optional().describe('the event’s place in its stream, from 0; a record’s revision counts from 1'),
  event_id: z.string().optional(),
  differs: z
    .array(z.string())
    .optional()
    .describe('the fields that differ, such as actor_id, record.name, changes.status'),
  seal_fault: z
    .strictObject({ why: z.enum(SEAL_FAULTS), from: z.string(), until: z.string() })
    .optional()
    .describe('why the seal is wrong, as veritrail verify says it; the positions since the last good seal'),
});
const seal = z.strictObject({
  size: z.int().describe('the seal covers positions 1 to size'),
  root: field.sha256Digest(),
  sealed_at: time(),
  previous_seal: field.sha256Digest().nullable(),
  key_id: z.string(),
  signature: z.string(),
  position: z.string().describe('of the seal’s own event'),
  event_id: z.string(),
});
/** The outcome of checking changes against the log. */
export const verification = z.strictObject({
  verdict: z.enum(['VALID', 'INVALID']).describe('for the covered part only'),
  complete: z.boolean().describe('false: a part is left; continue with verify_cursor'),
  covered_from: z
    .string()
    .nullable()
    .describe('position; this and covered_to bound what this call and the earlier ones verified'),
  covered_to: z.string().nullable(),
  verify_cursor: z.string().optional().describe('give it to continue; next_cursor only pages the list'),
  events: z.int().describe('events that this call read from the log, at most 100,000'),
  streams: z.int().describe('the number of streams they belong to'),
  erased: z.int().optional().describe('changes whose data is erased in the log'),
  recorded_out_of_order: z
    .strictObject({
      events: z.int(),
      runs: z.int(),
      first: z
        .array(z.strictObject({ from: z.string(), until: z.string(), text: z.string().describe('the times') }))
        .describe('at most 10 runs of positions'),
    })
    .optional()
    .describe(
      'events of the whole organization with a time out of order: a clock was set back, or somebody added them to the log',
    ),
  faults: z.array(fault).describe('at most 10 per call'),
  seal: seal.nullable().describe('the newest seal; null if nothing is sealed yet'),
  key_fingerprint: z.string().nullable().describe('of the key that signed the seal, as veritrail seal-key prints it'),
  public_key: z
    .string()
    .nullable()
    .describe(
      'that key in base64; compare it with the one that the operator gave you. veritrail verify takes it as KEY',
    ),
  offline_check: z.string().describe('how to verify without this service'),
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
    .describe('for each listed event, the proof that the seal covers it'),
});

export const changesOutput = () =>
  pageOutput('changes', [change, accessEntry], {
    hint: z.string().optional().describe('only if a period without changes is before the first one, or after the last'),
    verification: listVerification.optional(),
  });

const member = z.strictObject({ id: field.id('acc'), name: z.string(), role: z.enum(ROLES) });

export const organizationsOutput = () =>
  z.strictObject({
    organizations: z.array(
      z.strictObject({
        id: field.id('org'),
        name: z.string(),
        role: z.enum(ROLES),
        read_only: z.boolean().describe('you can change nothing here, by your role, token or address'),
        permissions: z.array(z.enum(Object.keys(TOOL_PERMISSIONS))),
        autonomy: z.enum(AUTONOMIES).optional().describe('what you may do here without a person, if not ALL'),
        account_id: field.id('acc').describe('yours'),
        created_at: time(),
        members: z.array(member).optional().describe('with include_members'),
      }),
    ),
    next_cursor: nextCursor,
  });

const proposalSchema = z.strictObject({
  id: anyId,
  organization_id: anyId,
  type: z.literal('PROPOSAL'),
  state: z.enum([...PROPOSAL_STATES, 'EXPIRED']),
  tool: z.string().describe('the proposed call'),
  client: z.string().nullable().describe('the program that proposed it'),
  proposed_by: person,
  reason: z.string().nullable(),
  created_at: time(),
  expires_at: time(),
  depends_on: proposalMembers.depends_on,
  decided_by: person.nullable(),
  decision_reason: z.string().nullable(),
  call_id: z.string().nullable().describe('the call that did what was approved'),
  done: z.int().nullable().describe('the records that it changed'),
  refused: proposalMembers.refused,
  changed: z.literal(true).optional().describe('approved with changes'),
  changes: writtenMembers.changes,
  more_changes: writtenMembers.more_changes,
});

/** The author of a field. */
const author = z.strictObject({
  position: position(),
  recorded_at: time(),
  actor: change.shape.actor,
  client: change.shape.client,
  how: z.enum(['DIRECT', 'PROPOSED', 'IMPORTED', 'UNKNOWN']).describe('UNKNOWN: the log doesn’t say through what'),
  proposal_id: anyId.optional(),
  approved_by: person.optional(),
});

/** Returns the schema of getRecords' answer: records of any family, with the included parts. */
export function recordsOutput(families: readonly RecordSchemas[]): z.ZodType {
  const truncated = z.literal(true).optional();
  const link = recordName.extend({
    relation: relationSchema.optional().describe('two controls: of the record to this one'),
    archived_at: time().optional(),
  });
  const evidenceHint = z
    .string()
    .optional()
    .describe('of a control without evidence: how to find that of its measures');
  const evidence = families.find(({ type }) => type === 'EVIDENCE')?.summary ?? z.strictObject({});
  const record = families.map(({ type, full }) =>
    full.extend({
      type: z.literal(type),
      links: z.strictObject({ records: z.array(link), total: z.int(), truncated }).optional(),
      evidence: z
        .strictObject({ records: z.array(evidence), total: z.int(), truncated, hint: evidenceHint })
        .optional(),
      history: z.strictObject({ changes: z.array(change), truncated }).optional(),
      authors: z.record(z.string(), author).optional().describe('by field; one that never had a value has none'),
    }),
  );
  return z.strictObject({
    records: z.array(z.union([...record, proposalSchema])),
    not_found: z.array(anyId),
    omitted: z.array(anyId).describe('records that did not fit; get them in another call'),
    hint: z.string().optional().describe('which of those not found are archived'),
    ...momentNotes,
    url: pageUrl.describe('with one id: the page that shows the record, for people'),
  });
}

/** The text by which a write names its dry run. */
const selection = z
  .string()
  .optional()
  .describe('dry_run: what a write must repeat if it changes more than 5 existing records');

export const linksOutput = () =>
  z.strictObject({
    links: z.array(
      z.strictObject({
        from_id: anyId,
        to_id: anyId,
        result: z.enum(['CREATED', 'CHANGED', 'REMOVED', 'UNCHANGED']).describe('CHANGED: it has another relation now'),
        ...itemErrors,
      }),
    ),
    ...writtenMembers,
    selection,
    pending,
  });

export const archiveOutput = () =>
  z.strictObject({
    records: z.array(
      z.strictObject({
        id: anyId,
        archived_at: time().nullable(),
        referred_by: z.int().describe('the number of live records that point at it'),
        ...itemErrors,
      }),
    ),
    ...writtenMembers,
    selection,
    pending,
  });

const rowError = z.strictObject({ field: z.string(), message: z.string(), hint: z.string().optional() });

export const importOutput = () =>
  z.strictObject({
    organization_id: impliedOrganization,
    error: errorObject.optional().describe('invalid_input, if a row was wrong and so nothing was written'),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    rows: z.array(
      z.strictObject({
        row: z.int().describe('the row’s index in the call, from 0'),
        id: anyId.optional(),
        name: z.string().optional().describe('with set'),
        result: z.enum(['CREATED', 'UPDATED', 'UNCHANGED']).optional(),
        owner_id: field.id('acc').optional().describe('only if the row names its owner: the account'),
        no_end: noEnd,
        similar: z
          .array(z.strictObject({ id: anyId, name: z.string().nullable() }))
          .optional()
          .describe('records, and other rows by their id, that look like this one, by its name, text or reference_id'),
        errors: z.array(rowError).optional(),
        more_errors: z.int().optional().describe('the number of errors that did not fit'),
      }),
    ),
    crosswalks: z
      .array(
        z.strictObject({
          frameworks: z.array(z.strictObject({ id: field.id('frm'), name: z.string() })).describe('the two frameworks'),
          EQUIVALENT: z.int(),
          SUPPORTS: z.int(),
          PARTLY: z.int(),
          created: z.int().describe('pairs that no import had before'),
          updated: z.int().describe('pairs that an earlier import had with another relation'),
          unchanged: z.int(),
        }),
      )
      .optional()
      .describe('of type CROSSWALK: the pairs of each two frameworks'),
    links: z
      .array(z.strictObject({ from_id: anyId, to_id: anyId, errors: z.array(rowError).optional() }))
      .optional()
      .describe('undo: the links that go back'),
    skipped: z
      .array(
        z.strictObject({
          id: anyId,
          linked_id: anyId.optional().describe('of a link'),
          why: z.enum(['CHANGED_SINCE', 'LINKED_SINCE', 'OWNER_GONE', 'REFUSED']),
          message: z.string().optional().describe('why, in words'),
          fields: z.array(z.string()).optional().describe('these stay; without it, all of the record or link'),
        }),
      )
      .optional()
      .describe('undo: what a later change touched stays (at most 100)'),
    more_skipped: z.int().optional().describe('the number of those left out'),
    remaining: z.int().optional().describe('set, undo: records and links left; make the call again for them'),
    ...writtenMembers,
    call_id: writtenMembers.call_id.optional(),
    selection,
    pending,
    incomplete: momentNotes.incomplete,
  });
