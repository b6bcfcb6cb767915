import { createHash } from 'node:crypto';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { HttpError, notFound } from '../../../http/http-errors.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { RecordRow } from '../../register/field-content.tsx';
import { FormCard } from '../../register/forms/form-card.tsx';
import { type FormField, formFields, typedText, valueText } from '../../register/forms/form-fields.ts';
import {
  ContestedField,
  concededFields,
  type MeanwhileChange,
  meanwhileChanges,
  meanwhileText,
} from '../../register/forms/meanwhile.tsx';
import { type FieldTexts, mergeEdits } from '../../register/forms/merge-edits.ts';
import { type FormCollaborators, type FormView, openForm, recordPageAddress } from '../../register/forms/open-form.ts';
import { readChoices } from '../../register/forms/read-choices.ts';
import { refusedForm } from '../../register/forms/refused-form.ts';
import { KEY_INPUT, writeInputs } from '../../register/forms/write-fields.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { callTool } from '../../server/call-tool.ts';
import { BLANK_FORM, type FormState, type FormValues } from '../../server/form-state.ts';
import { get, post, type Reply, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

/** A form for each family whose records can be corrected. It calls the family's tool, such as updateRisk. */
export const editRecordPages = (context: FormCollaborators): Route[] =>
  FAMILY_DESCRIPTIONS.flatMap((family) => {
    const tool = family.tools.update?.name;
    if (tool === undefined) return [];
    const path = `/organizations/:id/${family.plural}/:record/edit`;
    return [
      get(path, async (request) => editPage(await openEdit(context, request, family, tool), BLANK_FORM)),
      post(path, async (request) => edit(context, request, await openEdit(context, request, family, tool))),
    ];
  });

/** The form of one record, as the record is now. */
interface EditForm {
  family: FamilyDescription;
  tool: string;
  view: FormView;
  details: RecordDetails;
  fields: readonly FormField[];
  /** The organization's newest position before the record was read. */
  position: number;
}

async function openEdit(
  context: FormCollaborators,
  request: SignedInRequest,
  family: FamilyDescription,
  tool: string,
): Promise<EditForm> {
  const view = await openForm(context, request, tool);
  const position = context.reader.snapshot().newestPosition(view.organization.id);
  const details = await readRecord(context, view, family, { id: request.params.record! });
  if (details === null) throw notFound('There is no such record here.');
  const inputs = context.tools.inputOf(tool);
  const choices = await readChoices(context, view, family, inputs);
  return { family, tool, view, details, fields: formFields(family, inputs, choices, details.record), position };
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
async function readShown(context: FormCollaborators, editForm: EditForm, values: FormValues): Promise<RecordRow> {
  const { view, family, details } = editForm;
  const { record } = details;
  if (typedText(values, REVISION) === String(record.revision)) return record;
  const as_of = typedText(values, POSITION) ?? '';
  const shown = /^\d{1,15}$/.test(as_of)
    ? await readRecord(context, view, family, { id: String(record.id), as_of })
    : null;
  if (shown === null) throw new HttpError(400, 'invalid_input', 'This form is incomplete. Open it again.');
  return shown.record;
}

async function edit(context: FormCollaborators, request: SignedInRequest, editForm: EditForm): Promise<Reply> {
  const { family, tool, view, details, fields } = editForm;
  const { record } = details;
  const { formValues: values } = request;
  const shown = await readShown(context, editForm, values);
  const typed = typedTexts(fields, values);
  const { changes, theirs, contested } = mergeEdits(textsOf(fields, shown), textsOf(fields, record), typed);
  const meanwhile = meanwhileChanges(fields, shown, details);
  // Fields that were not typed show the values of now.
  const kept = new Map([...values].filter(([name]) => changes.has(name) || !typed.has(name)));
  if (contested.length > 0) {
    const form = { ...BLANK_FORM, values: kept, formError: CONTESTED };
    const contestedChanges = meanwhile.filter(({ input }) => contested.includes(input.name));
    return { ...editPage(editForm, form, contestedChanges), status: 409 };
  }
  const address = recordPageAddress(view, family, String(record.id));
  if (changes.size === 0) return redirect(address, isEdited(fields, shown, typed) ? 'Saved.' : 'You changed nothing.');
  const { answer, error } = await callTool(context, request, tool, {
    id: record.id,
    organization_id: view.organization.id,
    ...Object.fromEntries([...changes].map(([name, text]) => [name, text === '' ? null : text])),
    ...writeInputs(values),
    [KEY_INPUT]: keyOf(values, changes),
    [REVISION]: record.revision,
  });
  if (error !== null) return { ...editPage(editForm, refusedForm(error, kept, family, fields)), status: error.status };
  const { position } = answer as { position?: string };
  const kindly = meanwhile.filter(({ input }) => theirs.includes(input.name)).map(meanwhileText);
  return redirect(
    recordPageAddress(view, family, String(record.id), position === undefined ? {} : { change: position }),
    kindly.length === 0 ? 'Saved.' : `Saved. While you were writing: ${kindly.join(' ')} Both changes are kept.`,
  );
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

function isEdited(fields: readonly FormField[], shown: RecordRow, typed: FieldTexts): boolean {
  return fields.some(({ name }) => typed.has(name) && typed.get(name) !== valueText(shown[name]));
}

/** Returns the key of these changes. A form that was sent, and comes back by the browser's button, can be sent otherwise. */
function keyOf(values: FormValues, changes: FieldTexts): string {
  const hash = createHash('sha256').update(JSON.stringify([...changes]));
  return `${(typedText(values, KEY_INPUT) ?? '').slice(0, 100)} ${hash.digest('base64url')}`;
}

function editPage(editForm: EditForm, form: FormState, contested: readonly MeanwhileChange[] = []): WebPage {
  const { family, view, details, fields, position } = editForm;
  const { record, name } = details;
  const { organization, path } = view;
  return {
    title: `Edit ${numberedName({ reference_id: record.reference_id, name })}`,
    section: `/organizations/${organization.id}/${family.plural}`,
    organization,
    form,
    body: (
      <FormCard
        action={path}
        form={form}
        fields={fields}
        shownValue={(input) => valueText(record[input.name])}
        button="Save changes"
        back={recordPageAddress(view, family, String(record.id))}
        besideField={(input) => {
          const change = contested.find((candidate) => candidate.input.name === input.name);
          return change && <ContestedField change={change} yours={typedText(form.values, input.name) ?? ''} />;
        }}
      >
        <input type="hidden" name={REVISION} value={String(record.revision)} />
        <input type="hidden" name={POSITION} value={String(position)} />
      </FormCard>
    ),
  };
}
