import { idPrefix } from '../../../commands/engine/ids.ts';
import { familyOfPrefix } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { ToolError } from '../../server/call-tool.ts';
import { BLANK_FORM, type FormState, type FormValues } from '../../server/form-state.ts';
import { type NoticeUndo, Redirect, type Reply, type SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { typedInputs, typedText } from '../forms/form-fields.ts';
import type { FormCollaborators } from '../forms/open-form.ts';
import { offerRecords } from '../forms/read-choices.ts';
import { inWords, refusedForm } from '../forms/refused-form.ts';
import { KEY_INPUT } from '../forms/write-fields.tsx';
import { familyHeading } from '../rail-links.ts';
import { undoOfCall } from '../undo/undo-answer.ts';
import {
  type ManyCall,
  type ManyOutcome,
  type ManyPreview,
  type ManyWritten,
  previewCalls,
  writeCalls,
} from './many-calls.ts';
import { IDS, type ManyForm, manyPage, NEXT, type RecordName, recordsText, SELECTION } from './many-form.tsx';

/** Some of the records of a task: at most as many as one call takes. */
export interface ManyPart {
  records: readonly RecordName[];
  /** The cursor of the next part; null after the last one. */
  next: string | null;
}

/** A change of many records, which a person makes in parts with one form. */
export interface ManyTask extends Omit<ManyForm, 'form' | 'records' | 'preview' | 'next' | 'done'> {
  /** The family in whose words refusals are shown. */
  family: FamilyDescription;
  /** Reads a part of the records. @param cursor null for the first part */
  readPart(cursor: string | null): Promise<ManyPart>;
  /** Reads the names of records that the form sent. */
  readNamed(ids: readonly string[]): Promise<readonly RecordName[]>;
  calls(ids: readonly string[], inputs: Readonly<Record<string, unknown>>): ManyCall[];
  /** True if an undo could give nothing back. */
  isFinal?: boolean;
}

/** Shows the form with its records. */
export async function openTask({ reader }: FormCollaborators, task: ManyTask): Promise<WebPage> {
  return manyPage(formOf(task, BLANK_FORM, await task.readPart(null), null), reader.snapshot());
}

interface SentForm {
  task: ManyTask;
  values: FormValues;
  /** The records that were chosen in it. */
  part: ManyPart;
  calls: readonly ManyCall[];
}

/** Makes the dry run of a form, or writes what its dry run showed. */
export async function submitTask(context: FormCollaborators, request: SignedInRequest, task: ManyTask): Promise<Reply> {
  const { formValues: values } = request;
  const ids = [...new Set(values.get(IDS) ?? [])];
  const part = { records: await task.readNamed(ids), next: typedText(values, NEXT) || null };
  const sent = { task, values, part, calls: callsOf(task, part, values) };
  if (part.records.length === 0) {
    return showForm(context, sent, { ...BLANK_FORM, values, formError: 'Choose at least one record.' }, null);
  }
  const selections = values.get(SELECTION) ?? [];
  if (selections.length === 0) return preview(context, request, sent);
  const key = typedText(values, KEY_INPUT) ?? '';
  const written = await writeCalls(context, request, sent.calls, { selections, key });
  if (written.error === null) return finish(context, request, sent, written);
  if (written.answers.length > 0) return leaveUnfinished(sent, written);
  // Others changed a record since the dry run, or the form was filled in otherwise.
  if (['conflict', 'invalid_input'].includes(written.error.code)) return preview(context, request, sent, CHANGED);
  const unchanged = part.records.map(({ id }) => ({ id, changes: [], result: null, error: null }));
  const again = { outcomes: unchanged, selections, error: null };
  return { ...(await showRefusal(context, sent, written.error, again)), status: written.error.status };
}

const CHANGED = 'The records or this form changed since you looked. This is what would change now.';

function callsOf(task: ManyTask, { records }: ManyPart, values: FormValues): ManyCall[] {
  const names = ['reason', ...(task.reasonFields ?? [])];
  const reason = names.map((name) => typedText(values, name)).find(Boolean) ?? task.defaultReason;
  const ids = records.map(({ id }) => id);
  return task.calls(ids, typedInputs(task.fields, values)).map((call) => ({
    ...call,
    inputs: { organization_id: task.view.organization.id, ...call.inputs, ...(reason ? { reason } : {}) },
  }));
}

/** Shows what would change. @param formError says why it is shown again */
async function preview(
  context: FormCollaborators,
  request: SignedInRequest,
  sent: SentForm,
  formError: string | null = null,
): Promise<WebPage> {
  const result = await previewCalls(context, request, sent.calls);
  if (result.error !== null) return showRefusal(context, sent, result.error, null);
  const page = await showForm(context, sent, { ...BLANK_FORM, values: sent.values, formError }, result);
  return { ...page, status: formError === null ? 200 : 409 };
}

/** Says what the calls before a refused one did, and offers their undo. The records of the others stay in their list. */
function leaveUnfinished({ task, calls }: SentForm, { outcomes, answers, error }: ManyWritten): Reply {
  const text = `${doneText(task, outcomes)} The others stay as they were: ${inWords(error!.message, task.family, labelsOf(task))}`;
  return new Redirect(task.back, { kind: 'WARNING', text, undos: undosOf(task, calls, answers) });
}

function doneText({ button }: ManyTask, outcomes: readonly ManyOutcome[]): string {
  const failed = outcomes.filter(({ error }) => error !== null).length;
  const count = outcomes.filter(({ error, result }) => error === null && result !== 'UNCHANGED').length;
  return `Done: ${button} · ${recordsText(count)}.${failed === 0 ? '' : ` ${recordsText(failed)} were left out, because somebody changed them meanwhile.`}`;
}

/** Returns the undo of each call. Those of several calls name the family of their records. */
function undosOf(task: ManyTask, calls: readonly ManyCall[], answers: ManyWritten['answers']): NoticeUndo[] {
  if (task.isFinal) return [];
  return answers.flatMap((answer, index) => {
    const address = undoOfCall(task.view, answer);
    if (address === undefined) return [];
    const family = answers.length > 1 && familyOfPrefix(idPrefix(calls[index]!.ids[0]!)!);
    return [{ address, button: family ? `Undo: ${familyHeading(family)}` : 'Undo' }];
  });
}

const labelsOf = ({ fields }: ManyTask) => new Map(fields.map(({ name, field }) => [name, field.label]));

/** Leads back after the last part. The next part is shown with what was typed for this one. */
async function finish(
  context: FormCollaborators,
  request: SignedInRequest,
  sent: SentForm,
  { outcomes, answers }: ManyWritten,
): Promise<Reply> {
  const { task, values, part } = sent;
  const text = doneText(task, outcomes);
  const nextPart = part.next === null ? null : await task.readPart(part.next);
  if (nextPart === null || nextPart.records.length === 0) {
    return new Redirect(task.back, { kind: 'DONE', text, undos: undosOf(task, sent.calls, answers) });
  }
  const next = { ...sent, part: nextPart, calls: callsOf(task, nextPart, values) };
  const result = await previewCalls(context, request, next.calls);
  if (result.error !== null) return showRefusal(context, next, result.error, null);
  return showForm(context, next, { ...BLANK_FORM, values }, result, text);
}

/** Shows a refusal at the fields that it names. */
async function showRefusal(
  context: FormCollaborators,
  sent: SentForm,
  error: ToolError,
  result: ManyPreview | null,
): Promise<WebPage> {
  const { task, values } = sent;
  const offered = await offerRecords(context, task.view, task.family, { fields: task.fields, error }, values);
  const { fields } = offered;
  const form = refusedForm(offered.error, values, task.family, {
    fields,
    shownValue: () => '',
    needsReason: task.needsReason,
  });
  return { ...(await showForm(context, { ...sent, task: { ...task, fields } }, form, result)), status: error.status };
}

function showForm(
  { reader }: FormCollaborators,
  { task, part }: SentForm,
  form: FormState,
  result: ManyPreview | null,
  done: string | null = null,
): Promise<WebPage> {
  const labels = labelsOf(task);
  const outcomes = result?.outcomes.map((outcome) => ({
    ...outcome,
    error: outcome.error && { message: inWords(outcome.error.message, task.family, labels) },
  }));
  const worded = result === null ? null : { ...result, outcomes: outcomes ?? [] };
  return manyPage(formOf(task, form, part, worded, done), reader.snapshot());
}

function formOf(
  task: ManyTask,
  form: FormState,
  { records, next }: ManyPart,
  preview: ManyPreview | null,
  done: string | null = null,
): ManyForm {
  return { ...task, form, records, next, preview, done };
}
