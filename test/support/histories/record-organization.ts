/**
 * Records a fixture of an organization's own events by the real handler on a store in memory, with a simulated clock. It
 * has members that change, leave and end, domains, a new name, an assistant, a second factor and four eyes. Run it by hand,
 * for a new file. The file's name is the organization's, too:
 *
 *     npx tsx test/support/histories/record-organization.ts test/fixtures/events-NAME.jsonl
 */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { commandId, derivedId } from '../../../src/commands/engine/ids.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import type { OrganizationCommand } from '../../../src/commands/organization/organization.ts';
import { MemoryEventStore } from '../stores/memory-event-store.ts';

const FIRST = Date.parse('2026-11-21T08:00:00.321Z');
const STEP_MS = 83 * 60_321;
const FIRST_DAY_END = '2026-11-21T23:59:59.999Z';
const TOKEN_END = '2027-02-19T00:00:00.000Z';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write, test/fixtures/events-….jsonl.');
const NAME = basename(file, '.jsonl');

const idOf = (prefix: string, label: string) => derivedId(prefix, commandId([NAME], label));
const ORGANIZATION = idOf('org', 'organization');
const [owner, second] = [idOf('acc', 'owner'), idOf('acc', 'second')];
const [guest, auditor] = [idOf('acc', 'guest'), idOf('acc', 'auditor')];
const [token_id, auditorToken] = [idOf('tok', 'assistant'), idOf('tok', 'auditor')];

const store = new MemoryEventStore();
let commands = 0;
const now = () => new Date(FIRST + commands * STEP_MS);
const handler = new CommandHandler(store, { now, maxAcceptanceDays: 366, simulated: true });

async function execute(actor_id: string, command: OrganizationCommand): Promise<void> {
  const { event_types } = await handler.execute(organizationAggregate(ORGANIZATION), command, {
    organization_id: ORGANIZATION,
    actor_id,
    token_id: null,
    client: null,
    role: 'OWNER',
    command_id: commandId([NAME, 'command'], String(commands)),
    correlation_id: commandId([NAME, 'call'], String(commands)),
    input: command,
  });
  if (event_types.length === 0) throw new Error(`${command.type} wrote nothing`);
  commands++;
}

async function record(): Promise<void> {
  const founding = {
    name: NAME,
    import_key: '77aa0c5f1f9d3e4b2788',
    installation: commandId([NAME], 'one'),
  };
  await execute('SYSTEM', { type: 'CreateOrganization', ...founding, owner_id: owner });
  await execute(owner, { type: 'RenameOrganization', name: `${NAME} AS`, reason: 'It became a company' });
  await execute(owner, { type: 'AddMember', account_id: second, role: 'EDITOR' });
  await execute(owner, { type: 'AddMember', account_id: auditor, role: 'AUDITOR', until: FIRST_DAY_END });
  const sampling = { account_id: auditor, role: 'AUDITOR', read_only: true, expires_at: TOKEN_END } as const;
  await execute(auditor, { type: 'CreateToken', token_id: auditorToken, ...sampling });
  await execute(owner, { type: 'ChangeMemberRole', account_id: second, role: 'ADMIN', reason: 'She decides as well' });
  await execute(owner, { type: 'AdmitDomain', domain: 'example.org', role: 'VIEWER' });
  await execute(guest, { type: 'AdmitMember', account_id: guest, domain: 'example.org' });
  const grant = { account_id: guest, role: 'VIEWER', read_only: true, expires_at: TOKEN_END } as const;
  await execute(guest, { type: 'CreateToken', token_id, ...grant, kind: 'ASSISTANT' });
  await execute(guest, { type: 'ChangeTokenAutonomy', token_id, autonomy: 'PROPOSE_ONLY', reason: 'To be safe' });
  await execute(owner, { type: 'WithdrawDomain', domain: 'example.org', reason: 'By invitation only' });
  await execute(owner, { type: 'RemoveMember', account_id: guest, reason: 'The inspection is over' });
  await execute(second, { type: 'RemoveMember', account_id: second });
  const prolonged = { account_id: auditor, until: '2026-12-07T23:59:59.999Z', reason: 'A week more' };
  await execute(owner, { type: 'ChangeMembershipEnd', ...prolonged });
  await execute(owner, { type: 'ChangeMembershipEnd', account_id: auditor, until: null });
  await execute(owner, { type: 'ChangeMembershipEnd', account_id: auditor, until: '2026-12-31T12:00:00.000Z' });
  await execute(owner, { type: 'RequireSecondFactor', from: '2027-01-01', reason: 'Our insurer asks for it' });
  await execute(owner, { type: 'MakeSecondFactorOptional', reason: 'Two members still wait for their keys' });
  const policy = {
    ceiling: 'DECISIONS_PROPOSED',
    four_eyes: ['RISK_ACCEPT', 'VENDOR_REVIEW'],
    hourly_changes: 200,
  } as const;
  const third = idOf('acc', 'third');
  await execute(owner, { type: 'AddMember', account_id: third, role: 'OWNER' });
  await execute(owner, { type: 'ChangeApprovalPolicy', ...policy, reason: 'Two people decide on risks' });
  await execute(owner, { type: 'ChangeMemberRole', account_id: third, role: 'EDITOR' });
  await execute(owner, { type: 'ChangeMemberRole', account_id: third, role: 'OWNER' });
  const lines = store.log.map(({ storePosition: _position, ...event }) => `${JSON.stringify(event)}\n`);
  writeFileSync(file!, lines.join(''), { flag: 'wx' });
  console.log(`${lines.length} events in ${file}`);
}

await record();
