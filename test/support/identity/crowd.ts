/** An organization with many and long entries, to test the pages' layout. */
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import type { WebTest } from '../web/web.ts';

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const GUESTS = [
  { name: 'Maximiliana Konstantinopolitanski-Übermüller von und zu Hohenfels', email: 'm@example.org' },
  { name: LONG, email: `${'long.'.repeat(10)}address@${'sub.'.repeat(12)}example.org` },
] as const;

/** Adds members, invitations, tokens, assistants, domains and browsers to the first organization. */
export async function addCrowd(web: WebTest): Promise<void> {
  const { members, tokens, people, organizationId, ownerId } = web;
  const owner = accountActor(ownerId);
  await members.rename(organizationId, `${LONG} of Example Ltd`, owner);
  await members.createOrganization('Second', ownerId);
  for (const [at, guest] of GUESTS.entries()) {
    await web.invite({ ...guest, password: 'a quite long password 7' }, at === 0 ? 'ADMIN' : 'EDITOR');
  }
  const grant = { account_id: ownerId, role: 'EDITOR', organizations: [organizationId] } as const;
  await tokens.create({ ...grant, name: `Token of the ${LONG}`, days: 5 }, owner);
  const { record } = await tokens.create({ ...grant, name: 'Revoked' }, owner);
  await tokens.revoke(record.id as string, 'not used', owner);
  await tokens.connect({ ...grant, name: LONG, client: { id: 'client', name: LONG } }, owner);
  await tokens.connect({ ...grant, name: 'Reader', read_only: true, client: { id: 'other', name: 'Reader' } }, owner);
  const invitation = { kind: 'INVITATION', organization_id: organizationId, role: 'VIEWER', made_by: ownerId } as const;
  await people.links.create({ ...invitation, note: LONG });
  await members.domains.recordVouchedDomain(ownerId, `${'sub.'.repeat(20)}example.org`);
  await members.domains.admit(organizationId, `${'sub.'.repeat(20)}example.org`, 'VIEWER', owner);
  for (const agent of ['Mozilla/5.0 (iPhone) Version/18 Safari/605', 'curl/8']) {
    const account = (await people.accounts.get(ownerId))!;
    await people.sessions.create(account, { address: '2001:db8:1234:5678:9abc:def0:1234:5678', agent }, 'SIGNED_IN');
  }
  await addRiskWithLinks(web);
}

/** Adds a risk whose page has all its parts: a link, expired evidence, and changes by people and assistants. */
async function addRiskWithLinks({ call, organizationId: organization_id, ownerId: owner_id }: WebTest): Promise<void> {
  const ratings = { inherent_likelihood: 2, inherent_impact: 4 };
  const fields = { organization_id, reference_id: 'R-1', name: LONG, next_review_due: '2024-02-25', owner_id };
  const { risk } = await call<{ risk: { id: string } }>('addRisk', { ...fields, ...ratings });
  const { measure } = await call<{ measure: { id: string } }>('addMeasure', { organization_id, name: LONG });
  await call('linkRecords', { organization_id, links: [{ from_id: risk.id, to_id: measure.id }] });
  const evidence = { name: LONG, text: LONG, valid_until: '2024-02-20', record_ids: [risk.id] };
  await call('addEvidence', { organization_id, ...evidence });
  await call('updateRisk', { organization_id, id: risk.id, inherent_likelihood: 3, reason: LONG }, 'Claude');
}
