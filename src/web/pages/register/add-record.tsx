import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { ADD_FORMS, type AddForm } from '../../register/forms/add-forms.ts';
import { FormCard } from '../../register/forms/form-card.tsx';
import {
  type FormField,
  fieldsTaken,
  formFields,
  typedInputs,
  typedText,
  valueText,
  withCandidates,
} from '../../register/forms/form-fields.ts';
import {
  BACK,
  type FormCollaborators,
  type FormView,
  openForm,
  recordPageAddress,
  withSuggestions,
} from '../../register/forms/open-form.ts';
import { readCandidates, readChoices } from '../../register/forms/read-choices.ts';
import { refusedForm } from '../../register/forms/refused-form.ts';
import { writeInputs } from '../../register/forms/write-fields.tsx';
import { titleFieldOf } from '../../register/naming-fields.ts';
import { numberedName } from '../../register/record/numbered-name.ts';
import { undoOfCall } from '../../register/undo/undo-answer.ts';
import { callTool } from '../../server/call-tool.ts';
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
  const choices = await readChoices(context, view, taken);
  return { view, fields: withSuggestions(formFields(family, taken, choices, null), view) };
}

async function add(context: FormCollaborators, request: SignedInRequest, addForm: AddForm): Promise<Reply> {
  const { family, tool } = addForm;
  const { view, fields } = await open(context, request, addForm);
  const { formValues: values } = request;
  const { answer, error } = await callTool(context, request, tool, {
    organization_id: view.organization.id,
    ...typedInputs(fields, values),
    ...writeInputs(values),
  });
  if (error === null) return addedRedirect(family, view, answer, values);
  const offered = withCandidates(fields, error, await readCandidates(context, view, error));
  const form = refusedForm(error, values, family, { fields: offered, shownValue });
  return { ...addPage(addForm, view, offered, form), status: error.status };
}

/** Leads to the new record, or back to the one that it was added for. Names those that look like it. */
function addedRedirect(
  family: FamilyDescription,
  view: FormView,
  answer: Readonly<Record<string, unknown>>,
  values: FormValues,
) {
  const record = answer[family.singular] as Readonly<Record<string, unknown>> & { id: string };
  const { reference_id } = record;
  const name = numberedName({ reference_id, name: String(record[titleFieldOf(family)]) });
  const similar = (answer.similar ?? []) as readonly { id: string; name: string }[];
  const [first] = similar;
  const like = similar.length > 1 ? ` Looks like ${similar.length} records, such as` : ' Looks like';
  return redirect(
    safeNext(typedText(values, BACK), recordPageAddress(view, family, record.id)),
    `Added ${name}.${first === undefined ? '' : like}`,
    undoOfCall(view, answer),
    first && { address: recordPageAddress(view, family, first.id), name: first.name },
  );
}

const shownValue = ({ field }: FormField): string => valueText(field.initial);

function addPage({ family, button }: AddForm, view: FormView, fields: readonly FormField[], form: FormState): WebPage {
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
        shownValue={shownValue}
        button={button}
        back={safeNext(back, list)}
      >
        {back && <input type="hidden" name={BACK} value={back} />}
      </FormCard>
    ),
  };
}
