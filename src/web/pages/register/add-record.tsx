import { addressWith, organizationAddress } from '../../../addresses/page-addresses.ts';
import { randomId } from '../../../commands/engine/ids.ts';
import { Refusal } from '../../../commands/engine/refusal.ts';
import { refuseUnlinkable } from '../../../commands/link.ts';
import { ADD_FORMS, type AddForm, addFormAddress, LINKED_INPUT } from '../../register/forms/add-forms.ts';
import { ANOTHER, FormCard, THEN } from '../../register/forms/form-card.tsx';
import {
  type FormField,
  fieldsTaken,
  formFields,
  NAMES_NO_RECORD,
  typedInputs,
  typedList,
  typedText,
  valueText,
} from '../../register/forms/form-fields.ts';
import {
  BACK,
  type FormCollaborators,
  type FormView,
  openForm,
  recordPageAddress,
  withSuggestions,
} from '../../register/forms/open-form.ts';
import { offerRecords, readChoices, readNamesOf } from '../../register/forms/read-choices.ts';
import { refusedForm } from '../../register/forms/refused-form.ts';
import { KEY_INPUT, writeInputs } from '../../register/forms/write-fields.tsx';
import { titleFieldOf } from '../../register/naming-fields.ts';
import { numberedName } from '../../register/record/numbered-name.ts';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callTool, type ToolError } from '../../server/call-tool.ts';
import { BLANK_FORM, type FormState, type FormValues } from '../../server/form-state.ts';
import { get, post, type Reply, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';
import type { WebPage } from '../../server/web-page.ts';

/** A form for each family whose records people add. It calls the family's tool, such as addRisk. */
export const addRecordPages = (context: FormCollaborators): Route[] =>
  ADD_FORMS.flatMap((addForm) => {
    const path = `/organizations/:id/${addForm.family.plural}/add`;
    return [
      get(path, async (request) => {
        const { view, fields } = await open(context, request, addForm);
        return addPage(addForm, view, fields, BLANK_FORM);
      }),
      post(path, (request) => add(context, request, addForm)),
    ];
  });

async function open(context: FormCollaborators, request: SignedInRequest, addForm: AddForm) {
  const { family, tool, permission } = addForm;
  const view = await openForm(context, request, permission);
  const taken = fieldsTaken(addForm.fields, context.tools.inputOf(tool));
  const choices = await readChoices(context, view, { ...taken, ...addForm.links });
  const described = formFields(family, { ...taken, ...addForm.links }, choices, null);
  return { view, fields: withSuggestions(described, view) };
}

async function add(context: FormCollaborators, request: SignedInRequest, addForm: AddForm): Promise<Reply> {
  const { family, tool } = addForm;
  const { view, fields } = await open(context, request, addForm);
  const { formValues: values } = request;
  const refused = async (error: ToolError) => {
    const offered = await offerRecords(context, view, family, { fields, error }, values);
    const form = refusedForm(offered.error, values, family, { ...offered, shownValue: shownValueIn(view) });
    return { ...addPage(addForm, view, offered.fields, form), status: error.status };
  };
  const linked = await findLinked(context, request, view, addForm);
  if (linked.error !== null) return refused(linked.error);
  const { answer, error } = await callTool(context, request, tool, {
    organization_id: view.organization.id,
    ...typedInputs(addForm.links === undefined ? fields : fields.filter(({ name }) => name !== LINKED_INPUT), values),
    ...writeInputs(values),
  });
  if (error !== null) return refused(error);
  const links = await link(context, request, view, (answer[family.singular] as { id: string }).id, linked.ids);
  return addedRedirect(addForm, view, answer, values, links);
}

type Found = { ids: readonly string[]; error: null } | { ids: null; error: ToolError };

/** Finds the records to link the new one with, so that it isn't added if one of them is unknown. */
async function findLinked(
  context: FormCollaborators,
  request: SignedInRequest,
  { organization }: FormView,
  { family, links }: AddForm,
): Promise<Found> {
  const words = links === undefined ? [] : typedList(request.formValues, LINKED_INPUT);
  if (words.length === 0) return { ids: [], error: null };
  const { answer, error } = await callTool(context, request, 'getRecords', {
    organization_id: organization.id,
    ids: words,
  });
  const fieldOf = (field = '') => field.replace(/^ids/, LINKED_INPUT);
  if (error !== null) {
    const issues = error.issues?.map(({ field, message }) => ({ field: fieldOf(field), message }));
    return { ids: null, error: { ...error, field: fieldOf(error.field), ...(issues ? { issues } : {}) } };
  }
  const { records, not_found } = answer as { records: { id: string }[]; not_found: string[] };
  const ids = records.map(({ id }) => id);
  const refuse = (message: string, at = 0): Found => {
    return { ids: null, error: { status: 400, code: 'invalid_input', message, field: `${LINKED_INPUT}.${at}` } };
  };
  const [unknown] = not_found;
  if (unknown !== undefined) return refuse(NAMES_NO_RECORD, words.indexOf(unknown));
  try {
    for (const id of ids) refuseUnlinkable(randomId(family.prefix), id, LINKED_INPUT);
    return { ids, error: null };
  } catch (refusal) {
    if (refusal instanceof Refusal) return refuse(refusal.message);
    throw refusal;
  }
}

/** The linked records that a notice names. */
const MAX_NAMES = 3;

/** The sentence about the links of a new record, and the call that made them. */
interface LinksMade {
  text: string;
  callId?: string;
}

/** Links the new record. Returns the sentence about it, also where somebody archived the other record just now. */
async function link(
  context: FormCollaborators,
  request: SignedInRequest,
  view: FormView,
  from_id: string,
  ids: readonly string[],
): Promise<LinksMade> {
  if (ids.length === 0) return { text: '' };
  const key = typedText(request.formValues, KEY_INPUT);
  const { answer, error } = await callTool(context, request, 'linkRecords', {
    organization_id: view.organization.id,
    action: 'LINK',
    links: ids.map((to_id) => ({ from_id, to_id })),
    ...(key ? { idempotency_key: `${key.slice(0, 100)} links` } : {}),
  });
  if (error !== null) return { text: ' The links are missing: a record was changed meanwhile.' };
  const names = (await readNamesOf(context, view, ids.slice(0, MAX_NAMES))).map(({ label }) => label);
  if (ids.length > names.length) names.push(`${ids.length - names.length} more`);
  return { text: ` Linked with ${new Intl.ListFormat('en').format(names)}.`, callId: String(answer.call_id) };
}

/** Leads to the new record, back to the one that it was added for, or to the form for another. Names those that look like it. */
function addedRedirect(
  addForm: AddForm,
  view: FormView,
  answer: Readonly<Record<string, unknown>>,
  values: FormValues,
  links: LinksMade,
) {
  const { family } = addForm;
  const record = answer[family.singular] as Readonly<Record<string, unknown>> & {
    id: string;
    record_ids?: readonly string[];
  };
  const { reference_id } = record;
  const name = numberedName({ reference_id, name: String(record[titleFieldOf(family)]) });
  const similar = (answer.similar ?? []) as readonly { id: string; name: string }[];
  const [first] = similar;
  const like = similar.length > 1 ? ` Looks like ${similar.length} records, such as` : ' Looks like';
  const next =
    typedText(values, THEN) === ANOTHER
      ? addressWith(addFormAddress(view.organization, addForm), {
          [THEN]: ANOTHER,
          [BACK]: typedText(values, BACK),
          // The next piece of evidence is often about the same records.
          record_ids: record.record_ids,
        })
      : safeNext(typedText(values, BACK), recordPageAddress(view, family, record.id));
  return redirect(
    next,
    `Added ${name}.${links.text}${first === undefined ? '' : like}`,
    undoOfCall(view, answer, links.callId),
    first && { address: recordPageAddress(view, family, first.id), name: first.name },
  );
}

/** Returns the values of a new record: its first ones, and the person as its owner. */
const shownValueIn =
  ({ caller }: FormView) =>
  ({ name, field }: FormField): string =>
    name === 'owner_id' ? caller.account_id : valueText(field.initial);

function addPage(
  { family, button, tool }: AddForm,
  view: FormView,
  fields: readonly FormField[],
  form: FormState,
): WebPage {
  const { organization, path } = view;
  const list = organizationAddress(organization.id, `/${family.plural}`);
  const back = typedText(form.values, BACK) ?? view.back;
  return {
    title: button,
    section: list,
    organization,
    form,
    body: (
      <FormCard
        action={path}
        form={form}
        fields={fields}
        shownValue={shownValueIn(view)}
        button={button}
        {...(tool === family.tools.add?.name ? { another: `${button} and another` } : {})}
        isNext={view.namedIds(THEN).includes(ANOTHER)}
        back={safeNext(back, list)}
      >
        {back && <input type="hidden" name={BACK} value={back} />}
      </FormCard>
    ),
  };
}
