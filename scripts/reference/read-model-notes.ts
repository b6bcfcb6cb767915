/** Meanings of read-model fields and keys that no tool's definition has. */

/** A column's type and meaning. */
export type Note = readonly [type: string, meaning: string];

/** Columns that mean the same in every view, by name. */
export const COMMON_COLUMNS: Readonly<Record<string, Note>> = {
  id: ['id', ''],
  organization_id: ['`org_…`', 'the organization; filter every query by it'],
  owner_id: ['`acc_…` or null', 'names of people are only in the account store'],
  created_at: ['time', ''],
  updated_at: ['time', 'time of its newest event'],
  revision: ['whole number', '1 when added, +1 with each event'],
  position: ['whole number', 'position of the record’s newest event: joins `changes`'],
  archived_at: ['time or null', 'a control also has it while its framework is archived'],
  stale: ['truth value or null', 'true: a later event could not be read, so this may be out of date'],
  from_position: ['whole number', 'the event since which this version holds'],
  until_position: ['whole number or null', 'the event that ended it; null if it still holds'],
};

const text: Note = ['text', ''];
const hash: Note = ['64 hexadecimal digits', ''];

/** Columns of organizations, and of views that belong to no family. */
export const VIEW_COLUMNS: Readonly<Record<string, Readonly<Record<string, Note>>>> = {
  organizations: {
    name: text,
    members: ['object', 'the role of each account, by its id'],
    membership_ends: ['object', 'the time at which a membership ends, by account; absent without an end'],
    tokens: ['object', 'by id: account, role, read-only, expiry, revoked'],
    domains: ['object', 'the role for people of each e-mail domain'],
    second_factor_from: ['date', 'the date from which members need a second factor; null or absent without one'],
  },
  changes: {
    position: ['whole number', 'the event’s number in the organization’s log: 1, 2, 3 …'],
    log_time: ['time', 'time of entry into the log; never goes back'],
    event_type: text,
    record_id: ['id', 'the record that changed'],
    record_type: text,
    record_name: ['text', 'the record’s name at that time'],
    linked_id: ['id or null', 'for a link: the other record'],
    linked_type: ['text or null', ''],
    linked_name: ['text or null', ''],
    revision: ['whole number or null', 'the record’s revision after it; null for a link'],
    recorded_at: ['time', 'the service’s clock at the decision'],
    effective_at: ['date, time or null', 'a date or time that the event itself states'],
    actor_id: ['`acc_…`, `tok_…` or `SYSTEM`', 'the actor'],
    token_id: ['`tok_…` or null', 'the credential'],
    client_name: ['text or null', 'the client program'],
    client_version: ['text or null', ''],
    reason: ['text or null', 'the caller’s reason'],
    changes: ['list', 'of `{ field, from, to }`'],
    stream: ['text', 'the event’s stream'],
    stream_revision: ['whole number', 'place in its stream, from 0'],
    event_id: ['UUID', ''],
    hash: ['64 hexadecimal digits', 'the event’s hash; the next event of its stream carries it too'],
    stale: ['truth value or null', 'true: the event could not be read'],
  },
  map_entries: {
    record_id: ['id', 'the organization, which is the only record with maps'],
    field: ['text', 'the map: `members`, `membership_ends`, `tokens` or `domains`'],
    key: ['text', 'the entry: an account, a token or a domain'],
    value: ['text or object', 'as in the map'],
  },
  links: {
    record_id: ['id', 'one side; each pair has a row for both sides'],
    other_id: ['id', 'the other side'],
    other_type: ['text', 'the other’s family: RISK, EVIDENCE …'],
    relation: [
      'text or null',
      'between two controls, as `record_id` has it: EQUIVALENT, SUPPORTS, SUPPORTED_BY, PARTLY, PARTLY_COVERED_BY',
    ],
  },
  seals: {
    position: ['whole number', 'the event’s number in the organization’s log'],
    type: [
      '`LogSealed`, `SealKeyIntroduced`, `SealKeyRotated`, `SealKeyReplaced`',
      'the first is a seal, the others concern keys',
    ],
    size: ['whole number or null', 'it covers positions 1 to size'],
    root: ['64 hexadecimal digits or null', ''],
    sealed_at: ['time or null', ''],
    previous_seal: ['64 hexadecimal digits or null', 'hash of the seal before'],
    from_key_id: ['text or null', 'the key before a rotation'],
    key_id: text,
    public_key: ['text or null', 'Base64'],
    signature: ['text or null', ''],
    old_signature: ['text or null', ''],
    new_signature: ['text or null', ''],
    revision: ['whole number', 'in the seal stream, from 0'],
    event_id: ['UUID', ''],
    hash,
  },
  daily_figures: {
    framework_id: ['`frm_…` or null', 'the framework whose controls it counts; null for the whole organization'],
    day: ['date', 'the last row up to a day holds at the end of that day'],
    position: ['whole number', 'the newest event that it counts'],
    figures: [
      'object',
      'by name: the counts of POSTURE, `changes` so far, `overdue`, `evidence_expiring_in_30_days`, and `risks_score_total`; absent ones are 0',
    ],
  },
  parked: {
    position: ['whole number', ''],
    event_id: ['UUID', ''],
    event_type: text,
    stream: text,
    error: ['text', 'the reason why it could not be read'],
  },
};

/** Stored keys that don't equal the field of the same name. */
export const KEY_NOTES: Readonly<Record<string, string>> = {
  archived: '1 for an archived record, else 0',
  measures: 'number of linked measures that are not archived; empty for none',
  controls: 'number of linked controls that are not archived; empty for none',
  risks: 'number of linked risks that are not archived; empty for none',
  evidence_until: 'the last day on which any of its evidence is valid; `9999-12-31`: no end, `0001-01-01`: no evidence',
  root_cause: '1 if there is one, else empty',
  'changes.record_id': 'the record by which the row is found',
  'changes.record_type': 'its family',
  from_position: 'as in the view',
  until_position: 'as in the view; 9007199254740991 while it holds',
  series_id: 'the framework, else the organization',
  fields: 'the names of the changed fields, with a space around each',
  row_index: '0 for an event’s main row, 1 and up for rows of other records, -1 for the seal stream',
};
