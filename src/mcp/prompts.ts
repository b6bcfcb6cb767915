import { addDays } from '../commands/dates.ts';
import { toolCaller } from './call-tool.ts';
import {
  askWhichOne,
  DATA_NOTICE,
  invalidArgument,
  type Message,
  numberedSteps,
  type Prompt,
  PromptContext,
  recordMessage,
  textMessage,
} from './prompt.ts';
import type { CallContext } from './tool.ts';
import type { ToolBox } from './toolbox.ts';

const DAYS_AHEAD = 7;

const reviewVendor: Prompt = {
  name: 'review_vendor',
  title: 'Review a vendor',
  description: 'What the register says of a vendor, and the steps of its review.',
  arguments: [{ name: 'vendor', description: 'its name or id', required: true }],
  async messages({ vendor }, desk) {
    const found = await desk.find('vendor', vendor!);
    const { record, organizationId } = found;
    const plan = numberedSteps(
      'Say what is due, missing or expired: last review, contract_until, evidence, linked risks and nonconformities.',
      'listChanges (filter.record_id) shows what changed since the last review.',
      'Ask me what you need to judge it, then propose outcome, findings and, if CONDITIONAL, conditions.',
      'Once I agree: addEvidence for what was examined, addRisk or addNonconformity with linkRecords for what was found, and last reviewVendor, with expected_revision.',
    );
    const head = `Help me review a vendor of organization ${organizationId}.`;
    if (record === null) return [textMessage(head, plan, ...askWhichOne('vendor', vendor!, found))];
    return [textMessage(head, plan, DATA_NOTICE), recordMessage(record)];
  },
};

const treatRisk: Prompt = {
  name: 'treat_risk',
  title: 'Raise and treat a risk',
  description: 'What the register knows of a risk, and the steps from raising it to a decision.',
  arguments: [{ name: 'risk', description: 'what could happen; or the name or id of a known risk', required: true }],
  async messages({ risk }, desk) {
    const { record, candidates, organizationId } = await desk.find('risk', risk!);
    const head = `Help me raise and treat this risk of organization ${organizationId}: ${risk}`;
    const plan = numberedSteps(
      record
        ? 'It is in the register, as below: do not add it again.'
        : 'Search listRisks by filter.query with its main words; only if it is not there, ask me for inherent likelihood and impact (1-5) and addRisk.',
      'Search listMeasures for what treats it; addMeasure for what is missing, and linkRecords.',
      'Propose treatment, residual ratings (at most the inherent ones), owner and next_review_due; once I agree, updateRisk, status IN_TREATMENT.',
      'Only if I say that we live with it: decideRisk ACCEPT with until and my reason (needs ADMIN).',
    );
    if (record) return [textMessage(head, plan, DATA_NOTICE), recordMessage(record)];
    const alike = candidates.length > 0 ? JSON.stringify(candidates) : 'none';
    return [textMessage(head, plan, DATA_NOTICE, `Risks with all these words: ${alike}`)];
  },
};

const prepareAudit: Prompt = {
  name: 'prepare_audit',
  title: 'Prepare an audit',
  description: 'Where a framework stands: gaps, measures without evidence, open findings; and the steps to be ready.',
  arguments: [
    { name: 'audit', description: 'its name or id' },
    { name: 'framework', description: 'its name or id, where no audit is planned yet' },
  ],
  async messages({ audit, framework }, desk) {
    if (audit === undefined && framework === undefined) {
      throw invalidArgument('Give audit or framework: listAudits and listFrameworks name them.');
    }
    const kind = audit === undefined ? 'framework' : 'audit';
    const found = await desk.find(kind, audit ?? framework!);
    const { record, organizationId } = found;
    const head = `Help me prepare an audit in organization ${organizationId}.`;
    const plan = numberedSteps(
      'Say how ready we are: coverage, gaps, missing evidence, open findings, the worst first.',
      'listChanges with filter.from a completed audit’s id shows what changed since; a list takes that id as as_of.',
      'For each gap propose one: addMeasure and linkRecords to the control; updateMeasure; addEvidence; or updateControl EXCLUDED with exclusion_justification. Do what I agree to.',
      'Without a planned audit, addAudit. Record findings with addNonconformity and its audit_id. updateAudit COMPLETED only when I say so.',
    );
    if (record === null) return [textMessage(head, plan, ...askWhichOne(kind, audit ?? framework!, found))];
    const frameworkId = kind === 'audit' ? String(record.framework_id) : record.id;
    const state = await readiness(desk, organizationId, frameworkId);
    return [textMessage(head, plan, DATA_NOTICE, ...state), recordMessage(record)];
  },
};

/** What an auditor of a framework asks about first. */
async function readiness(desk: PromptContext, organizationId: string, frameworkId: string): Promise<string[]> {
  const about = { framework_id: [frameworkId] };
  const section = (heading: string, tool: string, args: object) => desk.section(organizationId, heading, tool, args);
  return Promise.all([
    section('Framework', 'listFrameworks', { filter: { ids: [frameworkId] } }),
    section('Gaps', 'listControls', {
      filter: { ...about, status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] },
    }),
    section('Implemented without valid evidence', 'listMeasures', {
      filter: { state: ['IMPLEMENTED'], missing: ['EVIDENCE'] },
    }),
    section('Measures overdue', 'listMeasures', { filter: { overdue: true } }),
    section('Open findings', 'listNonconformities', { filter: { open: true } }),
    section('Audits of it', 'listAudits', {
      filter: about,
      order_by: { field: 'starts_on', direction: 'DESC' },
    }),
  ]);
}

const weeklyDueItems: Prompt = {
  name: 'weekly_due_items',
  title: 'Due this week',
  description: 'What is overdue or due in the next 7 days, of all kinds, and the steps to deal with it.',
  arguments: [],
  async messages(_given, desk) {
    const today = new Date().toISOString().slice(0, 10);
    const { organizationId } = desk;
    const plan = numberedSteps(
      'Tell me what is overdue and what is due, the most pressing first, with owner and date; say what has no owner.',
      'Read with getRecords what you need to know more of.',
      'For each propose the next step and do what I agree to: reviewVendor; updateRisk, or decideRisk when an acceptance ends; updateMeasure, with addEvidence; updateObligation; updateNonconformity; updateAudit.',
    );
    const head = `Help me with what is due from ${today} to ${addDays(today, DAYS_AHEAD)}, or overdue, in organization ${organizationId}.`;
    return [textMessage(head, plan, DATA_NOTICE, ...(await dueItems(desk, organizationId, today)))];
  },
};

/** What is due by the end of the week, and what should have been done before. */
async function dueItems(desk: PromptContext, organizationId: string, today: string): Promise<string[]> {
  const end = addDays(today, DAYS_AHEAD + 1);
  const section = (heading: string, tool: string, filter: object, field: string) =>
    desk.section(organizationId, heading, tool, { filter, order_by: { field, direction: 'ASC' } });
  return Promise.all([
    section(
      'Risks to review',
      'listRisks',
      { status: ['OPEN', 'IN_TREATMENT', 'ACCEPTED'], due_before: end },
      'next_review_due',
    ),
    section(
      'Risk acceptances that end',
      'listRisks',
      { status: ['ACCEPTED'], acceptance_until_before: end },
      'next_review_due',
    ),
    section('Vendors to review', 'listVendors', { review_due_before: end }, 'next_review_due'),
    section('Measures', 'listMeasures', { state: ['NOT_STARTED', 'IN_PROGRESS'], due_before: end }, 'due_date'),
    section('Obligations overdue', 'listObligations', { overdue: true }, 'due_date'),
    section('Obligations', 'listObligations', { due_after: addDays(today, -1), due_before: end }, 'due_date'),
    section('Nonconformities', 'listNonconformities', { open: true, due_before: end }, 'due_date'),
    section('Audits', 'listAudits', { state: ['NOT_STARTED', 'IN_PROGRESS'], starts_before: end }, 'starts_on'),
  ]);
}

const PROMPTS: readonly Prompt[] = [reviewVendor, treatRisk, prepareAudit, weeklyDueItems];

const ORGANIZATION = { name: 'organization_id', description: 'only where the token reaches several organizations' };

/** The value of `prompts` in prompts/list. */
export const PROMPT_LIST = PROMPTS.map(({ messages: _, ...listed }) => ({
  ...listed,
  arguments: [...listed.arguments, ORGANIZATION],
}));

/**
 * A prompt's messages, with what the register says now.
 * @throws ProtocolError for an unknown prompt, for wrong arguments, and where the register refuses
 */
export async function getPrompt(
  tools: ToolBox,
  name: string,
  given: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<{ description: string; messages: Message[] }> {
  const prompt = PROMPTS.find((each) => each.name === name);
  if (prompt === undefined) throw invalidArgument(`Unknown prompt: ${name.slice(0, 100)}`);
  const args = readArguments([...prompt.arguments, ORGANIZATION], given);
  const desk = new PromptContext(toolCaller(tools, context), context, args.organization_id);
  return { description: prompt.description, messages: await prompt.messages(args, desk) };
}

/** Clients send what their form has: fields left empty are as good as absent. */
function readArguments(known: Prompt['arguments'], given: Readonly<Record<string, unknown>>): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!known.some((each) => each.name === name)) {
      throw invalidArgument(
        `Unknown argument ${name.slice(0, 100)}: give ${known.map((each) => each.name).join(', ')}.`,
      );
    }
    if (typeof value !== 'string') throw invalidArgument(`The argument ${name} must be a text.`);
    if (value.trim() !== '') args[name] = value.trim();
  }
  const missing = known.find(({ name, required }) => required && args[name] === undefined);
  if (missing) throw invalidArgument(`The argument ${missing.name} is required: ${missing.description}.`);
  return args;
}
