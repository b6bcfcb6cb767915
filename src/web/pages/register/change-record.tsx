import { createHash } from 'node:crypto';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { HttpError, notFound } from '../../../http/http-errors.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { recordName } from '../../../reports/sections/records.ts';
import type { RecordRow } from '../../register/field-content.tsx';
import { type Act, actsOn, EDIT, UNLINK } from '../../register/forms/acts.ts';
import { clauseWarning } from '../../register/forms/clause-warning.ts';
import { FormCard } from '../../register/forms/form-card.tsx';
import {
  type FormField,
  fieldsTaken,
  formFields,
  typedInputs,
  typedText,
  valueText,
} from '../../register/forms/form-fields.ts';
import { isUnderFourEyes, NEEDS_ANOTHER, readFourEyes } from '../../register/forms/four-eyes.ts';
import {
  ContestedField,
  concededFields,
  type MeanwhileChange,
  meanwhileChanges,
  meanwhileText,
} from '../../register/forms/meanwhile.tsx';
import { type FieldTexts, mergeEdits } from '../../register/forms/merge-edits.ts';
import {
  BACK,
  type FormCollaborators,
  type FormView,
  openForm,
  recordPageAddress,
  withSuggestions,
} from '../../register/forms/open-form.ts';
import { reachedState } from '../../register/forms/reached-state.ts';
import { offerRecords, readChoices, readNamesOf } from '../../register/forms/read-choices.ts';
import { refusedForm } from '../../register/forms/refused-form.ts';
import { KEY_INPUT, writeInputs } from '../../register/forms/write-fields.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callTool, type ToolError } from '../../server/call-tool.ts';
import { BLANK_FORM, type FormState, type FormValues } from '../../server/form-state.ts';
import {
  get,
  post,
  Redirect,
  type Reply,
  type Route,
  redirect,
  type SignedInRequest,
} from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';
import type { WebPage } from '../../server/web-page.ts';

/** The forms of one record: correcting it, moving it to another state, and deciding. `:act` is the name of an act. */
export const changeRecordPages = (context: FormCollaborators): Route[] =>
  FAMILY_DESCRIPTIONS.flatMap((family) => {
    const path = `/organizations/:id/${family.plural}/:record/:act`;
    return [
      get(path, async (request) => {
        const form = await openChange(context, request, family);
        return form.act.isPossible ? changePage(form, BLANK_FORM) : notPossible(form);
      }),
      post(path, async (request) => {
        const form = await openChange(context, request, family);
        return form.act.isCorrection ? correct(context, request, form) : decide(context, request, form);
      }),
    ];
  });

/** The form of one act on one record, as the record is now. */
interface ChangeForm {
  family: FamilyDescription;
  act: Act;
  view: FormView;
  details: RecordDetails;
  fields: readonly FormField[];
  /** The organization's newest position before the record was read. */
  position: number;
  /** True if the tool takes the revision that the form showed. */
  takesRevision: boolean;
  /** Stands above the form of an act that can have consequences beyond the register. */
  warning: string | null;
  /** Another account must approve what the form does. */
  needsAnother: boolean;
}

async function openChange(
  context: FormCollaborators,
  request: SignedInRequest,
  family: FamilyDescription,
): Promise<ChangeForm> {
  const { record: id = '', act: name } = request.params;
  const view = await openForm(context, request, 'changeRecords');
  const position = context.reader.snapshot().newestPosition(view.organization.id);
  const details = await readRecord(context, view, family, { id });
  if (details === null) throw notFound('There is no such record here.');
  const act = actsOn(family, details).find((candidate) => candidate.name === name);
  if (act === undefined) throw notFound('There is no such page.');
  requirePermission(view.caller, view.organization.id, act.permission ?? context.tools.permissionOf(act.tool));
  const inputs = context.tools.inputOf(act.tool);
  const shown = act.toInputs === undefined ? fieldsTaken(act.fields, inputs) : act.fields;
  const choices = await readChoices(context, view, shown);
  const described = formFields(family, shown, choices, act.isCorrection ? details.record : null);
  const fields = withSuggestions(described, view).map((field) => ({
    ...field,
    choices: act.choices?.[field.name] ?? field.choices,
  }));
  const takesRevision = Object.hasOwn(inputs.shape, REVISION);
  const warning = act.inputs.status === 'EXCLUDED' ? await clauseWarning(context, view, details) : null;
  const needsAnother = isUnderFourEyes(await readFourEyes(context, view.organization.id), family.type, act);
  return { family, act, view, details, fields, position, takesRevision, warning, needsAnother };
}

async function readRecord(
  { reader }: FormCollaborators,
  { caller, organization }: FormView,
  family: FamilyDescription,
  input: { id: string; as_of?: string },
): Promise<RecordDetails | null> {
  if (idPrefix(input.id) !== family.prefix) return null;
  return readRecordDetails(reader, caller, family, { organization_id: organization.id, ...input });
}

/** The two inputs that say which state of the record a form showed. */
const REVISION = 'expected_revision';
const POSITION = 'position';

/** Reads the record as the form showed it. @throws HttpError 400 if the form doesn't say it */
async function readShown(context: FormCollaborators, form: ChangeForm, values: FormValues): Promise<RecordRow> {
  const { view, family, details } = form;
  const { record } = details;
  if (typedText(values, REVISION) === String(record.revision)) return record;
  const as_of = typedText(values, POSITION) ?? '';
  const shown = /^\d{1,15}$/.test(as_of)
    ? await readRecord(context, view, family, { id: String(record.id), as_of })
    : null;
  if (shown === null) throw new HttpError(400, 'invalid_input', 'This form is incomplete. Open it again.');
  return shown.record;
}

/** Corrects a record. Edits of other fields than those that somebody changed meanwhile are merged. */
async function correct(context: FormCollaborators, request: SignedInRequest, form: ChangeForm): Promise<Reply> {
  const { act, details, fields } = form;
  const { record } = details;
  const { formValues: values } = request;
  const shown = await readShown(context, form, values);
  // An act such as a move to a state also changes fields that its form doesn't have.
  const implied = Object.keys(act.inputs).filter((name) => Object.hasOwn(form.family.fields, name));
  if (implied.some((name) => valueText(shown[name]) !== valueText(record[name]))) {
    return overtaken(form, shown, values);
  }
  const typed = typedTexts(fields, values);
  const { changes, theirs, contested } = mergeEdits(textsOf(fields, shown), textsOf(fields, record), typed);
  const meanwhile = meanwhileChanges(fields, shown, details);
  // Fields that were not typed show the values of now.
  const kept = new Map([...values].filter(([name]) => changes.has(name) || !typed.has(name)));
  if (contested.length > 0) {
    const state = { ...BLANK_FORM, values: kept, formError: CONTESTED };
    const choices = meanwhile.filter(({ input }) => contested.includes(input.name));
    return { ...changePage(form, state, choices), status: 409 };
  }
  if (changes.size === 0 && Object.keys(act.inputs).length === 0) {
    const isEdited = fields.some(({ name }) => typed.has(name) && typed.get(name) !== valueText(shown[name]));
    return redirect(addressOf(form), isEdited ? `Saved ${titleOf(form)}.` : 'You changed nothing.');
  }
  const { answer, error } = await callTool(context, request, act.tool, {
    id: record.id,
    organization_id: form.view.organization.id,
    ...act.inputs,
    ...Object.fromEntries([...changes].map(([name, text]) => [name, text === '' ? null : text])),
    ...writeInputs(values, act.reasonField),
    [KEY_INPUT]: keyOf(values, changes),
    [REVISION]: record.revision,
  });
  if (error !== null) return refused(form, error, kept);
  const others = meanwhile.filter(({ input }) => theirs.includes(input.name)).map(meanwhileText);
  const note = others.length === 0 ? '' : ` While you were writing: ${others.join(' ')} Both changes are kept.`;
  return done(form, answer, note, values);
}

/** Makes a decision about the record as the form showed it. If it changed meanwhile, the person looks again. */
async function decide(context: FormCollaborators, request: SignedInRequest, form: ChangeForm): Promise<Reply> {
  const { act, view, details, fields, takesRevision } = form;
  const { formValues: values } = request;
  const { answer, error } = await callTool(context, request, act.tool, {
    organization_id: view.organization.id,
    ...(takesRevision ? { id: details.record.id, [REVISION]: typedText(values, REVISION) } : {}),
    ...act.inputs,
    ...(act.toInputs?.(typedInputs(fields, values)) ?? typedInputs(fields, values)),
    ...writeInputs(values),
  });
  if (error === null) {
    const failed = firstFailure(answer);
    if (failed !== null) return refused(form, failed, values);
    return done(form, answer, '', values, await linkText(context, form, answer));
  }
  if (error.code !== 'conflict') {
    const offered = await offerRecords(context, view, form.family, { fields, error }, values);
    return refused({ ...form, fields: offered.fields }, offered.error, values);
  }
  return overtaken(form, await readShown(context, form, values), values);
}

/** Shows the form again with what changed since it was opened. @param shown the record as the form showed it */
function overtaken(form: ChangeForm, shown: RecordRow, values: FormValues): WebPage {
  const { act, family, details } = form;
  const changed = meanwhileChanges(allFields(family), shown, details).map(meanwhileText).join(' ');
  const reached = reachedState(family, act, details);
  const next = act.isPossible
    ? 'Look at it again, then press the button once more.'
    : `“${buttonOf(act)}” is not possible now. The record’s buttons show what is.`;
  const formError =
    reached === null ? `${changed || 'Somebody changed this record.'} ${next}` : `${titleOf(form)} is ${reached.text}.`;
  return { ...changePage(form, { ...BLANK_FORM, values, formError }), status: 409 };
}

const allFields = ({ fields }: FamilyDescription): FormField[] =>
  Object.entries(fields).map(([name, field]) => ({ name, field, choices: null }));

const addressOf = ({ view, family, details }: ChangeForm, parameters: Readonly<Record<string, string>> = {}) =>
  recordPageAddress(view, family, String(details.record.id), parameters);

/** Returns the error of a call on one record that another writer overtook. Such a call has an answer for each record. */
function firstFailure({ links, records }: Readonly<Record<string, unknown>>): ToolError | null {
  const items = [links, records].flat() as readonly ({ errors?: readonly ToolError[] } | undefined)[];
  const error = items.flatMap((item) => item?.errors ?? [])[0];
  return error === undefined ? null : { ...error, status: 409 };
}

/** Says which record was linked or unlinked, or that nothing was. Returns null for another act. */
async function linkText(
  context: FormCollaborators,
  { act, view }: ChangeForm,
  { links }: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  if (links === undefined) return null;
  const all = links as readonly { to_id: string; result: string }[];
  const changed = all.filter(({ result }) => result !== 'UNCHANGED').map(({ to_id }) => to_id);
  const isEnding = act.name === UNLINK;
  if (changed.length === 0) return isEnding ? 'They were not linked.' : 'They were linked already.';
  const names = (await readNamesOf(context, view, changed)).map(({ label }) => label);
  return `${isEnding ? 'No longer linked' : 'Linked'} with ${new Intl.ListFormat('en').format(names)}.`;
}

/**
 * Leads back to the page that the form was opened from: by default the record, where the change is marked.
 * @param said what was done, if the button's text doesn't say it
 */
function done(
  form: ChangeForm,
  answer: Readonly<Record<string, unknown>>,
  note: string,
  values: FormValues,
  said: string | null = null,
): Redirect {
  const { act } = form;
  const { position } = answer;
  // Newer evidence is a record of its own. The answer has the record's name as it is now.
  const after = { ...form.details.record, ...(answer[form.family.singular] as RecordRow | undefined) };
  const title = numberedName({ reference_id: after.reference_id, name: recordName(after) });
  const parameters = position === undefined ? {} : { change: String(position) };
  const address = recordPageAddress(form.view, form.family, String(after.id), parameters);
  const usual = act.name === EDIT ? `Saved ${title}.` : `Done: ${buttonOf(act)} · ${title}.`;
  return redirect(safeNext(typedText(values, BACK), address), (said ?? usual) + note, undoOfCall(form.view, answer));
}

const buttonOf = ({ button }: Act): string => button.replace('…', '');

const titleOf = ({ details: { record, name } }: ChangeForm): string =>
  numberedName({ reference_id: record.reference_id, name });

/** Leads back to the record from the address of an act that its state doesn't allow, or to the change that did it already. */
function notPossible(form: ChangeForm): Redirect {
  const { family, act, details } = form;
  const reached = reachedState(family, act, details);
  if (reached === null) {
    const text = `${buttonOf(act)} is not possible now. The record's buttons show what is.`;
    return new Redirect(addressOf(form), { kind: 'WARNING', text });
  }
  return new Redirect(addressOf(form, reached.parameters), {
    kind: 'WARNING',
    text: `${titleOf(form)} is ${reached.text}.`,
  });
}

function refused(form: ChangeForm, error: ToolError, values: FormValues): WebPage {
  const { family, fields, act } = form;
  const state = refusedForm(error, values, family, {
    fields,
    shownValue: shownValueIn(form),
    needsReason: act.needsReason,
  });
  return { ...changePage(form, state), status: error.status };
}

const CONTESTED = 'Somebody changed what you changed while you were writing. Choose what to keep, then save again.';

const textsOf = (fields: readonly FormField[], record: RecordRow): FieldTexts =>
  new Map(fields.map(({ name }) => [name, valueText(record[name])]));

/** Returns what was typed. A field in which the person takes the others' value counts as not typed. */
function typedTexts(fields: readonly FormField[], values: FormValues): FieldTexts {
  const conceded = concededFields(values, fields);
  const typed = fields.map(({ name }) => [name, typedText(values, name)] as const);
  return new Map(
    typed.flatMap(([name, text]) => (text === undefined || conceded.includes(name) ? [] : [[name, text] as const])),
  );
}

/** Returns the key of these changes. A form that was sent, and comes back by the browser's button, can be sent otherwise. */
function keyOf(values: FormValues, changes: FieldTexts): string {
  const hash = createHash('sha256').update(JSON.stringify([...changes]));
  return `${(typedText(values, KEY_INPUT) ?? '').slice(0, 100)} ${hash.digest('base64url')}`;
}

/** Returns the values that the form shows until something is typed. */
const shownValueIn =
  ({ act, details: { record } }: ChangeForm) =>
  ({ name }: FormField): string =>
    act.suggested?.[name] ?? (act.isCorrection ? valueText(record[name]) : '');

function changePage(form: ChangeForm, state: FormState, contested: readonly MeanwhileChange[] = []): WebPage {
  const { family, act, view, details, fields, position, warning, needsAnother } = form;
  const { record } = details;
  const { organization, path } = view;
  const back = typedText(state.values, BACK) ?? view.back;
  return {
    title: `${act.name === EDIT ? 'Edit' : buttonOf(act)}: ${titleOf(form)}`,
    section: `/organizations/${organization.id}/${family.plural}`,
    organization,
    form: state,
    body: (
      <FormCard
        action={path}
        form={state}
        fields={fields}
        shownValue={shownValueIn(form)}
        button={buttonOf(act)}
        follows={needsAnother ? `${NEEDS_ANOTHER} ${act.follows ?? ''}`.trim() : act.follows}
        needsReason={act.needsReason}
        reasonField={act.reasonField}
        reasonNeededBy={fields.filter(({ field }) => field.changesNeedReason).map(({ field }) => field.label)}
        back={safeNext(back, addressOf(form))}
        besideField={(input) => {
          const change = contested.find((candidate) => candidate.input.name === input.name);
          return change && <ContestedField change={change} yours={typedText(state.values, input.name) ?? ''} />;
        }}
      >
        <input type="hidden" name={REVISION} value={String(record.revision)} />
        <input type="hidden" name={POSITION} value={String(position)} />
        {back && <input type="hidden" name={BACK} value={back} />}
        {warning !== null && <p class="notice warning">{warning}</p>}
        {!act.isPossible && (
          <p>
            <a href={addressOf(form, reachedState(family, act, details)?.parameters)}>See the record as it is now</a>
          </p>
        )}
      </FormCard>
    ),
  };
}
