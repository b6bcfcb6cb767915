import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import type { ToolCaller } from '../mcp/mcp-client.ts';
import { daysAgo } from './story.ts';

/**
 * Writes a small register through the tools, in addition to `writeHistory`: records of every family, done and open, on
 * time and overdue.
 */
export async function writeSmallRegister(owner: ToolCaller, organization_id: string): Promise<void> {
  const add = async (tool: string, args: object): Promise<string> => {
    const { position: _, ...answer } = await owner.ok(tool, { organization_id, owner_id: 'ME', ...args });
    const records = Object.values(answer) as unknown[];
    return (records.find((value) => typeof value === 'object' && value !== null && 'id' in value) as { id: string }).id;
  };
  const link = (from_id: string, ...to: string[]) =>
    owner.ok('linkRecords', { links: to.map((to_id) => ({ from_id, to_id })) });

  const framework = await add('addFramework', { library_id: 'ISO_27001_2022' });
  const controls = (await owner.ok('listControls', {
    organization_id,
    filter: { section_title: ['A.5.7', 'A.8.13'] },
  })) as unknown as { controls: { id: string }[] };
  const [intelligence, backup] = controls.controls.map(({ id }) => id) as [string, string];
  await owner.ok('updateControl', {
    id: intelligence,
    status: 'EXCLUDED',
    exclusion_justification: 'Our hosting provider watches the threats',
    reason: 'Found out',
  });

  const nimbus = await layVendors(owner, add);
  const { ransomware } = await layRisks(add);
  const { backups } = await layMeasures(add);
  await link(ransomware, nimbus, backups);
  await link(backup, backups);
  await add('addEvidence', {
    name: 'Restore test of spring',
    url: 'https://example.org/restore-test',
    record_ids: [backups],
  });
  await layDuties(add, await layAudits(owner, add, framework));
  await layExamples(owner, add, organization_id);
}

/** Adds the example of each family that has no record yet, so that a new family is in the register. */
async function layExamples(owner: ToolCaller, add: Add, organization_id: string): Promise<void> {
  for (const { tools } of FAMILY_DESCRIPTIONS) {
    if (tools.list === undefined || tools.add === undefined) continue;
    const { total } = await owner.ok(tools.list.name, { organization_id, view: 'COUNT' });
    if (total === 0) await add(tools.add.name, tools.add.example);
  }
}

type Add = (tool: string, args: object) => Promise<string>;

async function layVendors(owner: ToolCaller, add: Add): Promise<string> {
  const nimbus = await add('addVendor', {
    name: 'Nimbus Hosting',
    description: 'Hosts our production systems',
    criticality: 'CRITICAL',
    country: 'Germany',
    category: 'Hosting',
    processes_personal_data: true,
  });
  await owner.ok('reviewVendor', { id: nimbus, outcome: 'APPROVED', reviewed_at: daysAgo(400) });
  await add('addVendor', {
    name: 'Brightpay',
    description: 'Runs payroll',
    criticality: 'HIGH',
    country: 'Ireland',
    processes_personal_data: true,
    owner_id: null,
  });
  const paperclip = await add('addVendor', { name: 'Paperclip Supplies', criticality: 'LOW', country: 'Germany' });
  await owner.ok('reviewVendor', {
    id: paperclip,
    outcome: 'APPROVED',
    reviewed_at: daysAgo(20),
    next_review_due: daysAgo(-15),
  });
  await add('addVendor', { name: 'Oldwick Couriers', criticality: 'MEDIUM', last_reviewed: daysAgo(100) });
  return nimbus;
}

async function layRisks(add: Add): Promise<{ ransomware: string }> {
  const ransomware = await add('addRisk', {
    reference_id: 'R-7',
    name: 'Ransomware encrypts the file shares',
    inherent_likelihood: 4,
    inherent_impact: 5,
  });
  await add('addRisk', {
    name: 'Phishing of the finance team',
    inherent_likelihood: 3,
    inherent_impact: 4,
    status: 'IN_TREATMENT',
  });
  await add('addRisk', { name: 'Laptops are stolen', inherent_likelihood: 2, inherent_impact: 3 });
  await add('addRisk', { name: 'A key person leaves', owner_id: null });
  return { ransomware };
}

async function layMeasures(add: Add): Promise<{ backups: string }> {
  const backups = await add('addMeasure', {
    reference_id: 'M-1',
    name: 'Daily backups kept off-site',
    state: 'IMPLEMENTED',
  });
  await add('addMeasure', { name: 'Multi-factor login', state: 'IN_PROGRESS', due_date: daysAgo(10) });
  await add('addMeasure', { name: 'Awareness training', due_date: daysAgo(-20) });
  await add('addMeasure', { name: 'Visitor badges', state: 'IMPLEMENTED' });
  return { backups };
}

async function layAudits(owner: ToolCaller, add: Add, framework_id: string): Promise<string> {
  const internal = await add('addAudit', {
    framework_id,
    name: 'Internal audit of last spring',
    kind: 'INTERNAL',
    starts_on: daysAgo(60),
  });
  const certification = await add('addAudit', {
    framework_id,
    name: 'Certification',
    kind: 'CERTIFICATION',
    starts_on: daysAgo(300),
    valid_from: daysAgo(280),
    valid_until: daysAgo(-800),
  });
  for (const id of [certification, internal])
    await owner.ok('updateAudit', { id, state: 'COMPLETED', reason: 'Found out' });
  await add('addAudit', {
    framework_id,
    name: 'Surveillance audit',
    kind: 'SURVEILLANCE',
    starts_on: daysAgo(-30),
  });
  return internal;
}

async function layDuties(add: Add, audit_id: string): Promise<void> {
  await add('addObligation', {
    area: 'Privacy',
    source: 'GDPR',
    requirement: 'Report breaches of personal data within 72 hours',
    regulator: 'Data protection authority',
    status: 'NON_COMPLIANT',
    due_date: daysAgo(5),
  });
  await add('addObligation', {
    area: 'Tax',
    source: 'Tax code',
    requirement: 'File the yearly tax return',
    regulator: 'Tax office',
    due_date: daysAgo(-40),
  });
  await add('addNonconformity', {
    reference_id: 'NC-1',
    description: 'Leavers keep their accounts for weeks',
    severity: 'MAJOR',
    audit_id,
    due_date: daysAgo(3),
  });
  await add('addNonconformity', {
    reference_id: 'NC-2',
    description: 'Training records are incomplete',
    severity: 'MINOR',
    audit_id,
    root_cause: 'Nobody kept them',
    status: 'IN_PROGRESS',
  });
}
