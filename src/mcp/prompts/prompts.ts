import { addDays } from '../../commands/engine/dates.ts';
import type { CallContext } from '../../tools/tool.ts';
import type { ToolBox } from '../../tools/toolbox.ts';
import { toolCaller } from '../protocol/call-tool.ts';
import { invalidParams } from '../protocol/protocol-message.ts';
import {
  argumentText,
  askWhichOne,
  candidatesText,
  DATA_NOTICE,
  type Message,
  numberedSteps,
  type Prompt,
  PromptContext,
  recordMessage,
  textMessage,
} from './prompt.ts';

const DAYS_AHEAD = 7;

const reviewVendor: Prompt = {
  name: 'review_vendor',
  title: 'Review a vendor',
  description: 'A vendor’s data in the register, and the steps to review it.',
  arguments: [{ name: 'vendor', description: 'the vendor’s name or id', required: true }],
  async messages({ vendor }, context) {
    const match = await context.find('vendor', vendor!);
    const { record, organizationId } = match;
    const plan = numberedSteps(
      'Tell me what is due, missing or expired: last review, contract_until, evidence, linked risks and nonconformities.',
      'Check with listChanges (filter.record_id) what changed since the last review.',
      'Ask me for what you need to assess it, then propose outcome, findings and, if CONDITIONAL, conditions.',
      'Once I agree: addEvidence for what was examined, addRisk or addNonconformity with linkRecords for findings, and finally reviewVendor with expected_revision.',
    );
    const head = `Help me review a vendor of organization ${organizationId}.`;
    if (record === null) return [textMessage(head, plan, ...askWhichOne('vendor', vendor!, match))];
    return [textMessage(head, plan, DATA_NOTICE), recordMessage(record)];
  },
};

const treatRisk: Prompt = {
  name: 'treat_risk',
  title: 'Raise and treat a risk',
  description: 'A risk’s data in the register, and the steps from raising it to a decision.',
  arguments: [
    { name: 'risk', description: 'what could happen, or the name or id of an existing risk', required: true },
  ],
  async messages({ risk }, context) {
    const match = await context.find('risk', risk!);
    const { record, candidates, organizationId } = match;
    const head = `Help me raise and treat this risk of organization ${organizationId}: ${risk}`;
    const plan = numberedSteps(
      record
        ? 'It is already in the register, see below: do not add it again.'
        : 'Search listRisks by filter.query with its main words. Only if it is not there, ask me for inherent likelihood and impact (1-5) and addRisk.',
      'Search listMeasures for measures that treat it, addMeasure for missing ones, and linkRecords.',
      'Propose treatment, residual ratings (at most the inherent ones), owner and next_review_due. Once I agree, updateRisk with status IN_TREATMENT.',
      'Only if I say that we accept it: decideRisk ACCEPT with until and my reason (needs ADMIN).',
    );
    if (record) return [textMessage(head, plan, DATA_NOTICE), recordMessage(record)];
    const similar = candidates.length > 0 ? candidatesText(match) : 'none';
    return [textMessage(head, plan, DATA_NOTICE, `Risks with all these words: ${similar}`)];
  },
};

const prepareAudit: Prompt = {
  name: 'prepare_audit',
  title: 'Prepare an audit',
  description: 'The state of a framework (gaps, measures without evidence, open findings), and the steps to get ready.',
  arguments: [
    { name: 'audit', description: 'the audit’s name or id' },
    { name: 'framework', description: 'the framework’s name or id, if no audit is planned yet' },
  ],
  async messages({ audit, framework }, context) {
    if (audit === undefined && framework === undefined) {
      throw invalidParams('Give audit or framework. listAudits and listFrameworks list them.');
    }
    const kind = audit === undefined ? 'framework' : 'audit';
    const match = await context.find(kind, audit ?? framework!);
    const { record, organizationId } = match;
    const head = `Help me prepare an audit in organization ${organizationId}.`;
    const plan = numberedSteps(
      'Tell me how ready we are: coverage, gaps, missing evidence, open findings, worst first.',
      'To see what changed since a completed audit, give its id to listChanges as filter.from. Lists take the id as as_of.',
      'For each gap propose one of these: addMeasure and linkRecords to the control; updateMeasure; addEvidence; or updateControl EXCLUDED with exclusion_justification. Do what I agree to.',
      'If no audit is planned, addAudit. Record findings with addNonconformity and audit_id. Use updateAudit COMPLETED only when I say so.',
    );
    if (record === null) return [textMessage(head, plan, ...askWhichOne(kind, audit ?? framework!, match))];
    const frameworkId = kind === 'audit' ? String(record.framework_id) : record.id;
    const state = await readiness(context, organizationId, frameworkId);
    return [textMessage(head, plan, DATA_NOTICE, ...state), recordMessage(record)];
  },
};

/** Returns the sections that an auditor of a framework asks about first. */
async function readiness(context: PromptContext, organizationId: string, frameworkId: string): Promise<string[]> {
  const frameworkFilter = { framework_id: [frameworkId] };
  const section = (heading: string, tool: string, args: object) => context.section(organizationId, heading, tool, args);
  return Promise.all([
    section('Framework', 'listFrameworks', { filter: { ids: [frameworkId] } }),
    section('Gaps', 'listControls', {
      filter: { ...frameworkFilter, status: ['INCLUDED'], implementation: ['NONE', 'STARTED', 'PARTIAL'] },
    }),
    section('Implemented without valid evidence', 'listMeasures', {
      filter: { state: ['IMPLEMENTED'], missing: ['EVIDENCE'] },
    }),
    section('Measures overdue', 'listMeasures', { filter: { overdue: true } }),
    section('Open findings', 'listNonconformities', { filter: { open: true } }),
    section('Audits of it', 'listAudits', {
      filter: frameworkFilter,
      order_by: { field: 'starts_on', direction: 'DESC' },
    }),
  ]);
}

const weeklyDueItems: Prompt = {
  name: 'weekly_due_items',
  title: 'Due this week',
  description: 'Everything that is overdue or due in the next 7 days, and the steps to deal with it.',
  arguments: [],
  async messages(_args, context) {
    const { organizationId, today } = context;
    const plan = numberedSteps(
      'Tell me what is overdue and what is due, most urgent first, with owner and date. Name what has no owner.',
      'Use getRecords for more details.',
      'For each item propose the next step, and do what I agree to: reviewVendor; updateRisk, or decideRisk when an acceptance ends; updateMeasure, with addEvidence; updateObligation; updateNonconformity; updateAudit.',
    );
    const head = `Help me with what is due from ${today} to ${addDays(today, DAYS_AHEAD)}, or overdue, in organization ${organizationId}.`;
    return [textMessage(head, plan, DATA_NOTICE, ...(await dueItems(context, organizationId, today)))];
  },
};

/** Returns the sections of what is due within a week, or overdue. */
async function dueItems(context: PromptContext, organizationId: string, today: string): Promise<string[]> {
  const end = addDays(today, DAYS_AHEAD + 1);
  const section = (heading: string, tool: string, filter: object, field: string) =>
    context.section(organizationId, heading, tool, { filter, order_by: { field, direction: 'ASC' } });
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

const ORGANIZATION = { name: 'organization_id', description: 'only if the token can access several organizations' };

/** The `prompts` of prompts/list. */
export const PROMPT_LIST = PROMPTS.map(({ messages: _, ...entry }) => ({
  ...entry,
  arguments: [...entry.arguments, ORGANIZATION],
}));

/**
 * Returns a prompt's messages, with current data from the register.
 * @throws ProtocolError for an unknown prompt, wrong arguments, or a refusal by a tool
 */
export async function getPrompt(
  tools: ToolBox,
  name: string,
  input: Readonly<Record<string, unknown>>,
  callContext: CallContext,
): Promise<{ description: string; messages: Message[] }> {
  const prompt = PROMPTS.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw invalidParams(`Unknown prompt: ${name.slice(0, 100)}`);
  const args = readArguments([...prompt.arguments, ORGANIZATION], input);
  const promptContext = new PromptContext(
    toolCaller(tools, callContext),
    callContext,
    args.organization_id,
    tools.today(),
  );
  return { description: prompt.description, messages: await prompt.messages(args, promptContext) };
}

/** Reads a prompt's arguments. Clients send all fields of a form, so empty ones count as absent. */
function readArguments(
  declared: Prompt['arguments'],
  input: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!declared.some((argument) => argument.name === name)) {
      throw invalidParams(
        `Unknown argument ${name.slice(0, 100)}. Use ${declared.map((argument) => argument.name).join(', ')}.`,
      );
    }
    if (typeof value !== 'string') throw invalidParams(`The argument ${name} must be a string.`);
    const text = argumentText(name, value);
    if (text !== '') args[name] = text;
  }
  const missingArgument = declared.find(({ name, required }) => required && args[name] === undefined);
  if (missingArgument)
    throw invalidParams(`The argument ${missingArgument.name} is required: ${missingArgument.description}.`);
  return args;
}
