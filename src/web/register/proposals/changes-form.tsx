import { idPrefix } from '../../../commands/engine/ids.ts';
import { Refusal } from '../../../commands/engine/refusal.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import type { ProposalState } from '../../../commands/proposal.ts';
import { HttpError, notFound } from '../../../http/http-errors.ts';
import { findProposal, type Proposal } from '../../../queries/proposals.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { familyOfPrefix } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Fields } from '../../../register/field.ts';
import { ERRORS } from '../../../tools/error-codes.ts';
import { callerOfSession, type ToolError } from '../../server/call-tool.ts';
import { type FormState, filledForm } from '../../server/form-state.ts';
import type { SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { actsOn } from '../forms/acts.ts';
import { ADD_FORMS } from '../forms/add-forms.ts';
import { FormCard } from '../forms/form-card.tsx';
import { type FormField, fieldsTaken, formFields, typedInputs, typedText, valueText } from '../forms/form-fields.ts';
import { type FormView, openForm, withSuggestions } from '../forms/open-form.ts';
import { offerRecords, readChoices } from '../forms/read-choices.ts';
import { refusedForm } from '../forms/refused-form.ts';
import type { ProposalCollaborators } from './proposal-collaborators.ts';
import { proposalTitle } from './proposal-effects.tsx';

/** The form of a proposed call, filled with what is proposed. */
interface ChangesForm {
  proposal: Proposal;
  view: FormView;
  family: FamilyDescription;
  fields: readonly FormField[];
  needsReason: boolean;
  /** That of the preview of what was proposed. */
  seen: string;
  /** The record that the call changes; null for a new one. */
  details: RecordDetails | null;
}

type CallForm = Pick<ChangesForm, 'details' | 'needsReason' | 'family'> & { fields: Fields };

/** The input that says which state of the record the form showed. */
const REVISION = 'expected_revision';

/** Returns true for a proposal of a call that has a form. */
export function isChangeable({ tool, input }: Pick<Proposal, 'tool' | 'input'>): boolean {
  return ADD_FORMS.some((form) => form.tool === tool) || typeof input.id === 'string';
}

/** @throws HttpError 404 for a proposal that is not open, or whose call has no form */
async function openChanges(context: ProposalCollaborators, request: SignedInRequest): Promise<ChangesForm> {
  const opened = await openForm(context, request, 'changeRecords');
  const { id } = opened.organization;
  const proposal = await findProposal(context.reader.snapshot(), id, request.params.proposal ?? '');
  const isOpen = proposal?.state === 'OPEN' && context.tools.has(proposal.tool);
  if (!isOpen) throw notFound('There is no such open proposal here. Choose one from the list of proposals.');
  requirePermission(opened.caller, id, context.tools.permissionOf(proposal.tool));
  const { input, tool } = proposal;
  // The records that the proposal names are among those of the form.
  const view = { ...opened, namedIds: (name: string) => [...opened.namedIds(name), ...textsIn(input[name])] };
  const form = await formOf(context, view, proposal);
  if (form === null) throw notFound('This call has no form. Approve the proposal, or decline it.');
  const { family, details, needsReason } = form;
  const taken = fieldsTaken(form.fields, context.tools.inputOf(tool));
  const choices = await readChoices(context, view, taken);
  const fields = withSuggestions(formFields(family, taken, choices, details?.record ?? null), view);
  const { seen } = await context.proposals.preview(proposal.id, await callerOfSession(context, request));
  return { proposal, view, family, fields, needsReason, seen, details };
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Returns the form of a call: that which adds a record, or that of the act on a record with these inputs. */
async function formOf(
  { reader }: ProposalCollaborators,
  { caller, organization }: FormView,
  { tool, input }: Proposal,
): Promise<CallForm | null> {
  const adding = ADD_FORMS.find((form) => form.tool === tool);
  if (adding !== undefined) return { family: adding.family, fields: adding.fields, needsReason: false, details: null };
  const family = familyOfPrefix(idPrefix(String(input.id)) ?? '') as FamilyDescription | undefined;
  if (family === undefined) return null;
  const record = { organization_id: organization.id, id: String(input.id) };
  const details = await readRecordDetails(reader, caller, family, record);
  if (details === null) return null;
  if (tool === family.tools.update?.name) return { family, fields: family.fields, needsReason: false, details };
  const acts = actsOn(family, details).filter((act) => act.tool === tool);
  const act = acts.find(({ inputs }) => Object.entries(inputs).every(([name, value]) => input[name] === value));
  return act === undefined ? null : { family, fields: act.fields, needsReason: act.needsReason, details };
}

/** Returns the value that a field shows: the proposed one, else that of the record if the call corrects it. */
function shownText({ proposal: { input, tool }, details, family }: ChangesForm, { name }: FormField): string {
  if (Object.hasOwn(input, name)) return valueText(input[name]);
  const isCorrection = family.tools.update?.name === tool;
  return isCorrection ? valueText(details?.record[name]) : '';
}

/** Returns the inputs that the person changed. An empty field clears a record's value, or leaves the input out. */
function changedInputs(form: ChangesForm, request: SignedInRequest): Record<string, unknown> {
  const { fields, proposal, details } = form;
  const { formValues: values } = request;
  const typed = typedInputs(fields, values);
  const changes = fields.flatMap((field) => {
    const { name } = field;
    if (field.field.kind === 'ids') return [[name, typed[name] ?? []]];
    const text = typedText(values, name);
    if (text === undefined || text === shownText(form, field)) return [];
    return [[name, text === '' ? (details === null ? undefined : null) : text]];
  });
  const reason = typedText(values, 'reason');
  const isOtherReason = reason !== undefined && reason !== '' && reason !== proposal.reason;
  return { ...Object.fromEntries(changes), ...(isOtherReason ? { reason } : {}) };
}

/** Shows the form of a proposed call, which approves the call with what the person changes. */
export async function changedCallPage(context: ProposalCollaborators, request: SignedInRequest): Promise<WebPage> {
  const form = await openChanges(context, request);
  return pageOf(form, filledForm(form.proposal.reason === null ? {} : { reason: form.proposal.reason }));
}

/** Approves the call with what the person changed, or returns the form with what is wrong. */
export async function approveChanged(
  context: ProposalCollaborators,
  request: SignedInRequest,
): Promise<{ approved: ProposalState } | { page: WebPage }> {
  const form = await openChanges(context, request);
  const { formValues: values } = request;
  try {
    const { details } = form;
    const revision = details === null ? {} : { revision: Number(typedText(values, REVISION)) };
    const approval = { seen: typedText(values, 'seen') ?? '', changes: changedInputs(form, request), ...revision };
    const caller = await callerOfSession(context, request);
    return { approved: await context.proposals.approve(form.proposal.id, caller, approval) };
  } catch (error) {
    if (!(error instanceof Refusal) || error.retryable) throw error;
    const { status } = ERRORS[error.code];
    const refusal: ToolError = { ...error.toJSON(), status } as ToolError;
    if (refusal.code === 'invalid_transition') throw new HttpError(status, error.code, error.message);
    const { family, needsReason } = form;
    const offered = await offerRecords(context, form.view, family, { fields: form.fields, error: refusal }, values);
    const { fields } = offered;
    const shownValue = (field: FormField) => shownText(form, field);
    const state = refusedForm(offered.error, values, family, { fields, shownValue, needsReason });
    return { page: { ...pageOf({ ...form, fields }, state), status } };
  }
}

function pageOf(form: ChangesForm, state: FormState): WebPage {
  const { proposal, view, fields, needsReason, seen, details } = form;
  const section = `/organizations/${view.organization.id}/proposals`;
  return {
    title: `Approve with changes: ${proposalTitle(proposal, new Map())}`,
    section,
    organization: view.organization,
    form: state,
    body: (
      <FormCard
        action={view.path}
        form={state}
        fields={fields}
        shownValue={(field) => shownText(form, field)}
        button="Approve with changes"
        follows="The history keeps what was proposed, and what you approve."
        needsReason={needsReason}
        reasonNeed="The proposed one, unless you change it."
        back={`${section}/${proposal.id}`}
      >
        <input type="hidden" name="seen" value={seen} />
        {details !== null && <input type="hidden" name={REVISION} value={String(details.record.revision)} />}
      </FormCard>
    ),
  };
}
