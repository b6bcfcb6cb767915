import * as assert from 'uvu/assert';
import {
  addMember,
  dataOf,
  eventsOf,
  saveFile as file,
  type ImportInstallation,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';

const test = importSuite('veritrail import of past decisions');

async function decisionsIn(identity: ImportInstallation, type: string): Promise<Record<string, unknown>[]> {
  const decisions = (await eventsOf(identity, type)).map(({ data }) => data);
  const keyOf = ({ source, name }: Record<string, unknown>) => String(source ?? name);
  return decisions.sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

test('a list of approved suppliers becomes a list of approved suppliers', async ({ identity }) => {
  const jane = await addMember(identity, 'Jane Doe', 'jane@example.org');
  const sheet = file(
    identity,
    'suppliers.csv',
    'Supplier,Approval status,Approved on,Approved by,Next review date',
    'Acme,Approved,2025-03-03,J. Smith,2026-03-03',
    'Beta,Approved with conditions,,Jane Doe,',
    'Gamma,Rejected,2024-12-31,jane@example.org,',
    'Delta,In review,,J. Smith,',
    'Epsilon,,2025-01-01,,',
  );
  const { code, err, out } = await veritrail(identity, 'import', sheet, '--type', 'vendors');
  assert.equal([code, out], [0, 'created 5, updated 0, unchanged 0, refused 0 (of 5 rows)'], err);
  assert.match(err, /^In 1 rows, cells about a decision were left out, because the status tells of none\.$/m);
  const reviews = await decisionsIn(identity, 'VendorReviewImported');
  assert.equal(
    reviews.map(({ outcome, reviewed_at, reviewed_by, name_id, source }) => [
      ...[outcome, reviewed_at, reviewed_by],
      ...[typeof name_id, source],
    ]),
    [
      ['APPROVED', '2025-03-03', null, 'string', 'row 2 of suppliers.csv'],
      ['CONDITIONAL', null, null, 'string', 'row 3 of suppliers.csv'],
      ['REJECTED', '2024-12-31', jane, 'object', 'row 4 of suppliers.csv'],
    ],
  );
  const added = await decisionsIn(identity, 'VendorAdded');
  assert.equal(
    added.map(({ name, status, last_reviewed, next_review_due }) => [name, status, last_reviewed, next_review_due]),
    [
      ['Acme', undefined, undefined, '2026-03-03'],
      ['Beta', undefined, undefined, undefined],
      ['Delta', 'PENDING_REVIEW', undefined, undefined],
      ['Epsilon', undefined, '2025-01-01', undefined],
      ['Gamma', undefined, undefined, undefined],
    ],
  );
  const again = await veritrail(identity, 'import', sheet, '--type', 'vendors');
  assert.is(again.out, 'created 0, updated 0, unchanged 5, refused 0 (of 5 rows)', again.err);
});

test('names in a file are listed and erased', async ({ identity }) => {
  file(identity, 'v.csv', 'Supplier,Status,Reviewer', 'Acme,Approved,J. Smith', 'Beta,Approved,Ada Ames');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  const listed = await veritrail(identity, 'imported-names');
  const [, ada, smith, ...others] = listed.out.split('\n');
  assert.match(ada!, /^nam_[0-9A-Z]{26} {2}Ada Ames$/);
  assert.match(smith!, /^nam_[0-9A-Z]{26} {2}J\. Smith$/);
  assert.equal(others, []);
  const [id] = smith!.split(' ') as [string];
  assert.equal(await veritrail(identity, 'imported-names', '--erase', id), {
    code: 0,
    out: `${id} is erased.`,
    ...{ err: '', bars: [] },
  });
  const entries = (await identity.accounts.all('access')).filter(
    ({ event_type }) => event_type === 'IMPORTED_NAME_ERASED',
  );
  assert.equal(
    entries.map(({ organization_id, actor_id, details }) => [organization_id, actor_id, details]),
    [[identity.organizationId, 'SYSTEM', { name_id: id }]],
  );
  assert.is((await veritrail(identity, 'imported-names')).out, listed.out.replace(`\n${smith}`, ''));
  assert.not.match(JSON.stringify(await identity.accounts.all('imported_names')), /Smith/);
  const unknown = await veritrail(identity, 'imported-names', '--erase', 'nam_00000000000000000000000000');
  assert.is(unknown.code, 1);
  assert.match(unknown.err, /The organization has no name nam_0/);
});

test('accepted risks come in accepted, from an ADMIN or OWNER', async ({ identity }) => {
  const editor = await addMember(identity, 'Jane Doe', 'jane@example.org');
  const sheet = file(
    identity,
    'risks.csv',
    'Risk,Status,Accepted until,Acceptance justification,Accepted by',
    'Old lift,Accepted,2024-12-31,Seldom used,The board',
    'Old stairs,Accepted,,Nobody falls,The board',
    'Old door,Open,,To be replaced,The board',
  );
  const args = ['import', sheet, '--type', 'risks'];
  const refused = await veritrail(identity, ...args, '--account', editor);
  assert.match(refused.err, /^row 2: .*ADMIN/m);
  assert.match(refused.err, /^row 3: .*ADMIN/m);
  const { out, err } = await veritrail(identity, ...args);
  assert.is(out, 'created 1, updated 0, unchanged 1, refused 1 (of 3 rows)', err);
  assert.match(err, /^row 3: ACCEPTED needs accepted_until, a date not after /m);
  const [acceptance, ...others] = await decisionsIn(identity, 'RiskAcceptanceImported');
  assert.equal([acceptance!.until, acceptance!.reason, acceptance!.approver_id], ['2024-12-31', 'Seldom used', null]);
  assert.equal([acceptance!.source, others], ['row 2 of risks.csv', []]);
});

test('findings that were closed long ago come in without all their texts', async ({ identity }) => {
  const sheet = file(
    identity,
    'f.csv',
    'ID,Finding,Status,Closure date',
    'N1,No log,Closed,2024-03-20',
    'N2,No key,Closed,',
  );
  const { out, err } = await veritrail(identity, 'import', sheet, '--type', 'nonconformities');
  assert.is(out, 'created 2, updated 0, unchanged 0, refused 0 (of 2 rows)', err);
  const closures = dataOf(await eventsOf(identity, 'NonconformityRaised')).map(
    ({ reference_id, status, closed_at }) => `${reference_id} ${status} ${closed_at}`,
  );
  assert.equal(closures.sort(), ['N1 CLOSED 2024-03-20', 'N2 CLOSED undefined']);
});

test('a word in a column of dates has an option that leaves it empty', async ({ identity }) => {
  file(
    identity,
    'v.csv',
    'Vendor,Contract until',
    'Acme,Someday',
    'Beta,someday',
    'Gamma,2026-12-31',
    'Delta,2027-12-31',
  );
  const option = ['--value', 'contract_until:Someday='];
  const asked = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  assert.match(asked.err, /^row 2: .*\(--value "contract_until:Someday=" leaves it empty\)$/m);
  const { out, err } = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors', ...option);
  assert.match(out, /created 2, .* unchanged 2, refused 0/, err);
});

test('one option gives all accepted risks an end, if the file has none', async ({ identity }) => {
  const sheet = file(identity, 'r.csv', 'Risk,Status', 'Old lift,Accepted', 'Old stairs,Accepted', 'Old door,Open');
  const args = ['import', sheet, '--type', 'risks', '--reason', 'The old register'];
  const asked = await veritrail(identity, ...args);
  assert.match(asked.out, /created 1, .* refused 2 /);
  assert.equal(
    [...asked.err.matchAll(/^row (\d+): .*--accepted-until DATE/gm)].map(([, row]) => row),
    ['2'],
    asked.err,
  );
  const wrong = await veritrail(identity, 'import', sheet, '--type', 'vendors', '--accepted-until', '2026-12-31');
  assert.match(wrong.err, /--accepted-until is for risks/);
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const { out, err } = await veritrail(identity, ...args, '--accepted-until', until);
  assert.is(out, 'created 2, updated 0, unchanged 1, refused 0 (of 3 rows)', err);
  assert.not.match(err, /left out, because the status/);
  const acceptances = await decisionsIn(identity, 'RiskAcceptanceImported');
  assert.equal(
    acceptances.map((acceptance) => acceptance.until),
    [until, until],
  );
});

test.run();
