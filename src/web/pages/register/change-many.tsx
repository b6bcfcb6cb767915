import { idPrefix } from '../../../commands/engine/ids.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { notFound } from '../../../http/http-errors.ts';
import { readRecordPage } from '../../../queries/lists/list-records.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { formFields } from '../../register/forms/form-fields.ts';
import { BACK, type FormCollaborators, openForm, withSuggestions } from '../../register/forms/open-form.ts';
import { readChoices } from '../../register/forms/read-choices.ts';
import { type ManyAct, manyActs } from '../../register/many/many-acts.ts';
import { IDS } from '../../register/many/many-form.tsx';
import { type ManyTask, openTask, submitTask } from '../../register/many/many-task.ts';
import { readRecordNames } from '../../register/many/read-record-names.ts';
import { titleFieldOf } from '../../register/naming-fields.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { numberedName } from '../../register/record/numbered-name.ts';
import { REGISTER_LISTS, type RegisterList } from '../../register/register-lists.ts';
import type { WebContext } from '../../server/context.ts';
import { get, post, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';

type Collaborators = FormCollaborators & Pick<WebContext, 'scanReaderOf'>;

/**
 * The form that changes many records of a list. Its address is that of the list, with the act and the chosen ids, or `all`
 * for all that match.
 */
export const changeManyPages = (context: Collaborators): Route[] =>
  [...REGISTER_LISTS.values()].flatMap((list) => {
    const path = `/organizations/:id/${list.family.plural}/many`;
    return [
      get(path, async (request) => openTask(context, await taskOf(context, request, list))),
      post(path, async (request) => submitTask(context, request, await taskOf(context, request, list))),
    ];
  });

async function taskOf(context: Collaborators, request: SignedInRequest, list: RegisterList): Promise<ManyTask> {
  const { family } = list;
  const view = await openForm(context, request, 'changeRecords');
  const acts = manyActs(family);
  const name = request.query.get('act') ?? acts[0]?.name;
  const act = acts.find((one) => one.name === name);
  if (act === undefined) throw notFound('There is no such page.');
  requirePermission(view.caller, view.organization.id, context.tools.permissionOf(act.tool));
  const choices = await readChoices(context, view, act.fields);
  const described = withSuggestions(formFields(family, act.fields, choices, null), view, act.recordField);
  const section = `/organizations/${view.organization.id}/${family.plural}`;
  return {
    view,
    action: request.ctx.url,
    title: `${act.button}: ${familyHeading(family).toLowerCase()}`,
    section,
    button: act.button,
    needsReason: act.needsReason,
    reasonFields: act.reasonFields ?? [],
    fields: described.map((field) => ({ ...field, choices: act.choices?.[field.name] ?? field.choices })),
    family,
    back: safeNext(request.query.get(BACK), section),
    readPart: (cursor) => readPart(context, request, { list, act, cursor }),
    readNamed: (ids) => readRecordNames(context, view, list.query, ofFamily(family, ids)),
    calls: (ids, typed) => [{ tool: act.tool, ids, inputs: act.inputs(ids, typed) }],
  };
}

const ofFamily = ({ prefix }: FamilyDescription, ids: readonly string[]) => ids.filter((id) => idPrefix(id) === prefix);

/** Reads the records that the address names, at most as many as one call takes. */
async function readPart(
  context: Collaborators,
  request: SignedInRequest,
  { list, act, cursor }: { list: RegisterList; act: ManyAct; cursor: string | null },
) {
  const { family, query, tool, queryReader } = list;
  const organization_id = request.params.id!;
  const caller = await context.members.callerOf(request.person.account.id);
  const parameters = new URLSearchParams([...request.query].filter(([name]) => name !== IDS));
  const { filter, order_by } = queryReader.read(organization_id, parameters);
  const ids = request.query.has('all') ? null : ofFamily(family, request.query.getAll(IDS));
  if (ids?.length === 0) return { records: [], next: null };
  const { records, next } = await readRecordPage(context.scanReaderOf(caller), query, tool, caller, {
    organization_id,
    filter: ids === null ? filter : { ...filter, ids },
    order_by,
    size: act.maxRecords,
    view: 'SUMMARY',
    ...(cursor === null ? {} : { cursor }),
  });
  const title = titleFieldOf(family);
  const named = records.map(({ id, reference_id, [title]: name }) => ({
    id: String(id),
    name: numberedName({ reference_id, name: String(name ?? id) }),
  }));
  return { records: named, next };
}
