/** People approve what they saw: two calls that differ in a member that would be written differ in what a proposal shows. */
import * as assert from 'uvu/assert';
import type { CommandHandler } from '../../src/commands/engine/handler.ts';
import { RehearsalHandler } from '../../src/commands/engine/rehearsal-handler.ts';
import { proposedEffects } from '../../src/queries/changes/proposed-effects.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { rehearseCall } from '../../src/tools/proposals/rehearse-call.ts';
import type { ToolService } from '../../src/tools/tool.ts';
import { callerAs, ORGANIZATION, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('what an approval shows');

const organization_id = ORGANIZATION;

async function shown(register: TestRegister, name: string, input: object): Promise<string> {
  const tool = ALL_TOOLS.find((candidate) => candidate.name === name)!;
  const rehearsal = new RehearsalHandler(register.handler as CommandHandler);
  const call = { tool, input: tool.input.parse({ idempotency_key: 'k', ...input }) as object };
  await rehearseCall({ ...call, context: { caller: callerAs() } }, register as unknown as ToolService, rehearsal);
  const effects = proposedEffects(rehearsal);
  assert.ok(effects.length > 0, name);
  return JSON.stringify(effects);
}

async function added(register: TestRegister, tool: string, fields: object): Promise<string> {
  const answer = await register.call<Record<string, { id: string }>>(tool, { organization_id, ...fields });
  return Object.values(answer).find((member) => member?.id !== undefined)!.id;
}

/** Texts and dates that tell two calls apart. */
const TEXTS = ['Siskin', 'Linnet'];
const DAYS = ['2026-01-01', '2026-01-02'];

test('each text and date of a call is part of what its proposal shows', async ({ register }) => {
  const vendor = await added(register, 'addVendor', { name: 'Redpoll' });
  const risk = await added(register, 'addRisk', { name: 'Fire', inherent_likelihood: 3, inherent_impact: 3 });
  const measure = await added(register, 'addMeasure', { name: 'Doors' });
  const soon = [10, 20].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const own = { organization_id, name: 'Own rules' };
  const control = { section_title: '1', name: 'Doors are shut' };
  const evidence = { organization_id, name: 'Photo', record_ids: [measure] };
  const row = (fields: object) => ({ organization_id, type: 'VENDOR', rows: [{ name: 'Twite', ...fields }] });
  const approved = { status: 'APPROVED', last_reviewed: DAYS[0] };
  const calls: readonly [tool: string, values: readonly string[], input: (value: string) => object][] = [
    ['addFramework', TEXTS, (name) => ({ ...own, controls: [{ ...control, name }] })],
    ['addFramework', TEXTS, (description) => ({ ...own, controls: [{ ...control, description }] })],
    ['addFramework', TEXTS, (section_title) => ({ ...own, controls: [{ ...control, section_title }] })],
    ['addFramework', TEXTS, (version) => ({ ...own, version, controls: [control] })],
    ['reviewVendor', TEXTS, (findings) => ({ id: vendor, outcome: 'APPROVED', findings })],
    ['reviewVendor', TEXTS, (conditions) => ({ id: vendor, outcome: 'CONDITIONAL', conditions })],
    ['reviewVendor', DAYS, (reviewed_at) => ({ id: vendor, outcome: 'APPROVED', reviewed_at })],
    ['decideRisk', soon, (until) => ({ id: risk, decision: 'ACCEPT', until, reason: 'Too dear' })],
    ['decideRisk', TEXTS, (reason) => ({ id: risk, decision: 'ACCEPT', until: soon[0], reason })],
    ['addEvidence', TEXTS, (text) => ({ ...evidence, text })],
    ['addEvidence', [measure, risk], (id) => ({ ...evidence, text: 'Shut', record_ids: [id] })],
    ['addEvidence', DAYS, (collected_at) => ({ ...evidence, text: 'Shut', collected_at })],
    ['addMeasure', DAYS, (implemented_at) => ({ ...own, state: 'IMPLEMENTED', implemented_at })],
    ['importRecords', DAYS, (last_reviewed) => row({ ...approved, last_reviewed })],
    ['importRecords', TEXTS, (findings) => row({ ...approved, findings })],
    ['linkRecords', [measure, vendor], (to_id) => ({ links: [{ from_id: risk, to_id }] })],
  ];
  for (const [tool, [one, other], input] of calls) {
    const [before, after] = [await shown(register, tool, input(one!)), await shown(register, tool, input(other!))];
    assert.is.not(before, after, `${tool} ${JSON.stringify(input(one!))}`);
  }
});

test.run();
