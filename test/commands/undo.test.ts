import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../../src/commands/audit.ts';
import { FAMILIES } from '../../src/commands/families.ts';
import { link } from '../../src/commands/link.ts';
import { risk } from '../../src/commands/risk.ts';
import { vendor } from '../../src/commands/vendor.ts';
import { ADMIN } from '../support/risks.ts';
import { freeze, NOW, specOf } from '../support/spec.ts';

const test = suite('undo of a call');

const vendors = specOf(vendor);
const risks = specOf(risk);
const undo = { type: 'Undo', call_id: 'wrong', reason: 'Wrong list' } as const;

const added = { type: 'VendorAdded', data: { name: 'Unicloud', criticality: 'LOW' } } as const;
const details = (changes: object, call: string) => ({ type: 'VendorDetailsChanged', data: { changes }, call }) as const;
const undone = (fields: object, call = 'undo', call_id = 'wrong') =>
  ({ type: 'VendorUndone', data: { call_id, fields, reason: 'Wrong list' }, call, undoes: call_id }) as const;
const data = ({ type, data }: ReturnType<typeof undone>) => ({ type, data });

test('every family has an event for it', () => {
  for (const { title, commonEvents, events } of Object.values(FAMILIES)) {
    assert.is(commonEvents.undone, `${title}Undone`);
    assert.ok(commonEvents.undone in events);
  }
});

test('fields and states go back to what they were', () => {
  const review = {
    outcome: 'APPROVED',
    findings: null,
    conditions: null,
    reviewed_by: 'acc_1',
    reviewed_at: NOW,
  } as const;
  const history = [
    added,
    details({ criticality: 'HIGH', country: 'EE' }, 'wrong'),
    { type: 'VendorReviewed', data: { ...review, next_review_due: '2027-03-10' }, call: 'wrong' },
  ] as const;
  const fields = {
    country: null,
    criticality: 'LOW',
    next_review_due: null,
    last_reviewed: null,
    status: 'PENDING_REVIEW',
    review: null,
  };
  vendors
    .given(history)
    .when(undo)
    .then([data(undone(fields))]);
  assert.equal(vendors.given([...history, undone(fields)]).state(), vendors.given([added]).state());
});

test('what a later change touched stays, also a later decision with the same state', () => {
  const review = { outcome: 'APPROVED', findings: null, conditions: null, reviewed_by: 'acc_1' } as const;
  const reviewed = (reviewed_at: string, call: string) =>
    ({ type: 'VendorReviewed', data: { ...review, reviewed_at, next_review_due: '2027-01-01' }, call }) as const;
  vendors
    .given([
      added,
      details({ criticality: 'HIGH', country: 'EE' }, 'wrong'),
      reviewed('2026-01-01', 'wrong'),
      details({ country: 'FI' }, 'right'),
      reviewed('2026-02-01', 'right'),
    ])
    .when(undo)
    .then([data(undone({ criticality: 'LOW' }))]);
  vendors
    .given([added, details({ country: 'EE' }, 'wrong'), details({ country: 'FI' }, 'right')])
    .when(undo)
    .then([]);
});

test('an undo is undone like any other call, and calls that cancel each other don’t count', () => {
  const changed = [added, details({ country: 'EE' }, 'wrong')] as const;
  const redone = undone({ country: 'EE' }, 'redo', 'undo');
  vendors
    .given([...changed, undone({ country: null })])
    .when({ ...undo, call_id: 'undo' })
    .then([data(undone({ country: 'EE' }, 'redo', 'undo'))]);
  vendors
    .given([...changed, undone({ country: null })])
    .when(undo)
    .then([]);
  vendors
    .given([...changed, undone({ country: null }), redone])
    .when(undo)
    .then([data(undone({ country: null }))]);
  const other = [details({ country: 'FI' }, 'other'), undone({ country: 'EE' }, 'undo of other', 'other')] as const;
  vendors
    .given([...changed, ...other])
    .when(undo)
    .then([data(undone({ country: null }))]);
});

test('an added record is archived, by who added it or an ADMIN, unless it was changed since', () => {
  const wrong = { ...added, call: 'wrong', by: 'acc_ADDER' };
  const archived = undone({ archived_at: NOW });
  vendors
    .given([wrong])
    .when(undo, { actor_id: 'acc_ADDER' })
    .then([data(archived)]);
  vendors
    .given([wrong])
    .when(undo, ADMIN)
    .then([data(archived)]);
  vendors.given([wrong]).when(undo).refused('forbidden');
  vendors
    .given([wrong, details({ country: 'FI' }, 'right')])
    .when(undo, ADMIN)
    .then([]);
  vendors.given([wrong, archived]).when(undo, ADMIN).then([]);
  vendors
    .given([wrong, details({ country: 'FI' }, 'right'), undone({ country: null }, 'undo', 'right')])
    .when(undo, ADMIN)
    .then([data(archived)]);
  vendors
    .given([wrong, archived])
    .when({ ...undo, call_id: 'undo' }, ADMIN)
    .then([data(undone({ archived_at: null }, 'redo', 'undo'))]);
});

test('an undo needs the permission of the acts that it undoes, also the undo of an undo', () => {
  const accepted = { approver_id: 'acc_1', recorded_by: 'acc_1', accepted_at: NOW, until: '2026-06-01', reason: 'r' };
  const history = [
    { type: 'RiskAdded', data: { name: 'Flood', treatment: 'MITIGATED' } },
    { type: 'RiskAccepted', data: accepted, call: 'wrong' },
  ] as const;
  const fields = { treatment: 'MITIGATED', status: 'OPEN', acceptance: null } as const;
  const event = { type: 'RiskUndone', data: { call_id: 'wrong', fields, reason: 'Wrong list' } } as const;
  risks.given(history).when(undo).refused('forbidden');
  risks.given(history).when(undo, ADMIN).then([event]);
  // The events of an approved proposal name the approval as their cause.
  const approved = [history[0], { ...history[1], undoes: 'approval' }] as const;
  risks.given(approved).when(undo).refused('forbidden');
  risks.given(approved).when(undo, ADMIN).then([event]);
  const undoing = { ...undo, call_id: 'undo' };
  const after = [...history, { ...event, call: 'undo', undoes: 'wrong' }] as const;
  risks.given(after).when(undoing).refused('forbidden');
  const back = { treatment: 'ACCEPTED', status: 'ACCEPTED', acceptance: accepted } as const;
  risks
    .given(after)
    .when(undoing, ADMIN)
    .then([{ type: 'RiskUndone', data: { call_id: 'undo', fields: back, reason: 'Wrong list' } }]);
  // An EDITOR may revoke an acceptance. Taking that back accepts the risk again.
  const revoked = { type: 'RiskAcceptanceRevoked', data: { cause: 'DECISION' }, call: 'wrong' } as const;
  const { acceptance, status } = back;
  const afterRevocation = [history[0], { ...history[1], call: 'right' }, revoked] as const;
  risks.given(afterRevocation).when(undo).refused('forbidden');
  risks
    .given(afterRevocation)
    .when(undo, ADMIN)
    .then([{ type: 'RiskUndone', data: { call_id: 'wrong', fields: { status, acceptance }, reason: 'Wrong list' } }]);
  vendors
    .given([added, { type: 'VendorArchived', data: { archived_at: NOW, reason: 'r' }, call: 'wrong' }])
    .when(undo)
    .refused('forbidden');
});

test('ratings that somebody accepted go back only by who may accept risks', () => {
  const accepted = { approver_id: 'acc_1', recorded_by: 'acc_1', accepted_at: NOW, until: '2026-06-01', reason: 'r' };
  const rated = (ratings: object, call: string) => ({
    type: 'RiskAssessed',
    data: { ratings, assessed_at: NOW },
    call,
  });
  const history = [
    { type: 'RiskAdded', data: { name: 'Fire', inherent_likelihood: 5, inherent_impact: 5 } },
    rated({ inherent_likelihood: 2 }, 'wrong'),
    { type: 'RiskAccepted', data: accepted, call: 'accept' },
  ] as never[];
  risks.given(history).when(undo).refused('forbidden');
  const fields = { inherent_likelihood: 5, last_assessed_at: null };
  risks
    .given(history)
    .when(undo, ADMIN)
    .then([{ type: 'RiskUndone', data: { call_id: 'wrong', fields, reason: 'Wrong list' } }] as never[]);
});

test('a completion that is undone pins the position of the one before it', () => {
  const audits = specOf(audit);
  const started = {
    type: 'AuditAdded',
    data: { framework_id: 'frm_1', name: 'Spring', state: 'IN_PROGRESS' },
  } as const;
  const completed = (call: string) => ({ type: 'AuditCompleted', data: {}, call }) as const;
  const event = (fields: object) => ({ type: 'AuditUndone', data: { call_id: 'wrong', fields, reason: 'Wrong list' } });
  audits
    .given([started, completed('wrong')])
    .when(undo)
    .then([event({ state: 'IN_PROGRESS', completed_position: null })] as never);
  const reopened = { type: 'AuditReopened', data: { reason: 'r' }, call: 'between' } as const;
  const twice = [started, completed('first'), reopened, completed('wrong')] as const;
  audits
    .given(twice)
    .when({ ...undo, positions: { 'event 1': '17' } })
    .then([event({ state: 'IN_PROGRESS', completed_position: '17' })] as never);
  audits.given(twice).when(undo).refused('conflict');
});

test('a link goes back with its relation, unless somebody changed it since', () => {
  const links = specOf(link);
  const ids = ['ctl_1', 'ctl_2'] as const;
  const relation = { relation: 'SUPPORTS', from_id: 'ctl_1' } as const;
  const linked = (call: string, undoes?: string) =>
    ({ type: 'RecordsLinked', data: { ids, relation }, call, ...(undoes ? { undoes } : {}) }) as const;
  const unlinked = (call: string, undoes?: string) =>
    ({ type: 'RecordsUnlinked', data: { ids, relation }, call, ...(undoes ? { undoes } : {}) }) as const;
  const command = freeze({ ...undo, ids });
  const reason = 'Wrong list';
  const back = { type: 'RecordsLinked', data: { ids, relation, reason } } as const;
  const ended = { type: 'RecordsUnlinked', data: { ids, relation, reason } } as const;
  links
    .given([linked('wrong')])
    .when(command)
    .then([ended]);
  links
    .given([linked('right'), unlinked('wrong')])
    .when(command)
    .then([back]);
  links
    .given([linked('wrong'), unlinked('right'), linked('again')])
    .when(command)
    .then([]);
  links
    .given([linked('wrong'), unlinked('other'), linked('undo', 'other')])
    .when(command)
    .then([ended]);
  links
    .given([linked('wrong'), unlinked('undo', 'wrong')])
    .when(command)
    .then([]);
  // The undo of an imported crosswalk is an event of the link, and the import is not.
  links
    .given([unlinked('undo', 'import'), linked('wrong')])
    .when(command)
    .then([ended]);
  links
    .given([linked('wrong'), unlinked('undo', 'wrong')])
    .when({ ...command, call_id: 'undo' })
    .then([back]);
});

test.run();
