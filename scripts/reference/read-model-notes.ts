/** What fields and keys of the read models mean where no tool's definition says so. */

/** A column's kind and meaning. */
export type Note = readonly [kind: string, meaning: string];

/** Columns by their names, where they mean the same in every view. */
export const COLUMNS: Readonly<Record<string, Note>> = {
  id: ['id', ''],
  organization_id: ['`org_…`', 'whose it is: narrow every query by it'],
  owner_id: ['`acc_…` or null', 'people’s names are in the account store alone'],
  created_at: ['time', ''],
  updated_at: ['time', 'of its own newest event'],
  revision: ['whole number', '1 when added, one more with each of its events'],
  position: ['whole number', 'of the record’s own newest event: joins `changes`'],
  archived_at: ['time or null', 'of a control: also while its framework is archived'],
  stale: ['truth value or null', 'a later event could not be read: what follows is not known'],
  from_position: ['whole number', 'the event from which on it holds'],
  until_position: ['whole number or null', 'the event before which it ended; null while it still holds'],
};

const text: Note = ['text', ''];
const hash: Note = ['64 hexadecimal digits', ''];

/** Columns of the views that are no family’s, and of organizations. */
export const OWN: Readonly<Record<string, Readonly<Record<string, Note>>>> = {
  organizations: {
    name: text,
    members: ['object', 'the role of each account, by its id'],
    tokens: ['object', 'by id: account, role, whether it only reads, when it ends, whether it was revoked'],
    domains: ['object', 'the role that people of each e-mail domain are given'],
  },
  changes: {
    position: ['whole number', 'the event’s place in the organization’s log: 1, 2, 3 …'],
    log_time: ['time', 'when it came into the log: never before that of the position before'],
    event_type: text,
    record_id: ['id', 'the record that it is about'],
    record_type: text,
    record_name: ['text', 'what the record was called then'],
    linked_id: ['id or null', 'of a link: the other record'],
    linked_type: ['text or null', ''],
    linked_name: ['text or null', ''],
    revision: ['whole number or null', 'of the record after it; null of a link'],
    recorded_at: ['time', 'when it was decided'],
    effective_at: ['date, time or null', 'a date or time that the event itself states'],
    actor_id: ['`acc_…`, `tok_…` or `SYSTEM`', 'who did it'],
    token_id: ['`tok_…` or null', 'with which token'],
    client_name: ['text or null', 'the program that was used'],
    client_version: ['text or null', ''],
    reason: ['text or null', 'why, as it was given'],
    changes: ['list', 'of `{ field, from, to }`'],
    stream: ['text', 'the chain that the event is in'],
    stream_revision: ['whole number', 'its place there, from 0'],
    event_id: ['UUID', ''],
    hash: ['64 hexadecimal digits', 'the event’s own, by which the next of its chain is chained'],
    stale: ['truth value or null', 'it could not be read: what it changed is not known'],
  },
  links: {
    record_id: ['id', 'one side: each pair is there from both'],
    other_id: ['id', 'the other'],
    other_type: ['text', 'the other’s family: RISK, EVIDENCE …'],
  },
  seals: {
    position: ['whole number', 'of the event in the organization’s log'],
    type: [
      '`LogSealed`, `SealKeyIntroduced`, `SealKeyRotated`, `SealKeyReplaced`',
      'the first is a seal, the others are about keys',
    ],
    size: ['whole number or null', 'it covers positions 1 to size'],
    root: ['64 hexadecimal digits or null', ''],
    sealed_at: ['time or null', ''],
    previous_seal: ['64 hexadecimal digits or null', 'hash of the seal before'],
    from_key_id: ['text or null', 'the key that another took over from'],
    key_id: text,
    public_key: ['text or null', 'Base64'],
    signature: ['text or null', ''],
    old_signature: ['text or null', ''],
    new_signature: ['text or null', ''],
    revision: ['whole number', 'in the seal stream, from 0'],
    event_id: ['UUID', ''],
    hash,
  },
  parked: {
    position: ['whole number', ''],
    event_id: ['UUID', ''],
    event_type: text,
    stream: text,
    error: ['text', 'why it could not be read'],
  },
};

/** Stored keys that are no field of the same name. */
export const KEYS: Readonly<Record<string, string>> = {
  archived: '1 of an archived record, else 0',
  measures: 'how many live measures it is linked to; empty without any',
  controls: 'how many live controls it is linked to; empty without any',
  risks: 'how many live risks it is linked to; empty without any',
  evidence_until:
    'the last day that any of its evidence is valid; `9999-12-31`: without end, `0001-01-01`: it has none',
  root_cause: '1 where there is one, else empty',
  review_due: '`next_review_due`; `9999-12-31` where none is due',
  reviewed_or_never: '`last_reviewed`; `0001-01-01` where it never was',
  accepted_until: 'until when it is accepted; `9999-12-31` where it is not',
  likelihood: 'the one of which `score` is the product',
  impact: 'the other',
  open_until: '`due_date` while it is open, else `9999-12-31`',
  unmet_until: 'the due date while it is not met, else `9999-12-31`',
  open: '1 unless `CLOSED`, then 0',
  section: '`section_title`, folded',
  score: 'the field',
  life_from: '`valid_from` where either bound is given',
  life_until: '`valid_until` where either bound is given',
  ends: '`valid_until`, `9999-12-31` without one',
  'measures.state': 'its place in the workflow, from 0',
  'changes.record_id': 'the record that the row is found by',
  'changes.record_type': 'its family',
  from_position: 'as in the view',
  until_position: 'as in the view; 9007199254740991 while it holds',
  side: '0 of the row that stands for its event, more of those by which other records find it, -1 of the seal stream',
};
