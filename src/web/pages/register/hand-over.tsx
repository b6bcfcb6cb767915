import { idPrefix } from '../../../commands/engine/ids.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { RISK } from '../../../register/risk.ts';
import { formFields } from '../../register/forms/form-fields.ts';
import { BACK, type FormCollaborators, type FormView, openForm } from '../../register/forms/open-form.ts';
import { readChoices } from '../../register/forms/read-choices.ts';
import { NEW_OWNER } from '../../register/many/many-acts.ts';
import type { ManyCall } from '../../register/many/many-calls.ts';
import { IDS, type RecordName } from '../../register/many/many-form.tsx';
import { type ManyTask, openTask, submitTask } from '../../register/many/many-task.ts';
import { readRecordNames } from '../../register/many/read-record-names.ts';
import { REGISTER_LISTS } from '../../register/register-lists.ts';
import { get, post, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';

/** The form that gives records of any family another owner. The address names them by `ids`. */
export const handOverChosenPages = (context: FormCollaborators): Route[] => {
  const path = '/organizations/:id/hand-over';
  return [
    get(path, async (request) => openTask(context, await taskOf(context, request))),
    post(path, async (request) => submitTask(context, request, await taskOf(context, request))),
  ];
};

async function taskOf(context: FormCollaborators, request: SignedInRequest): Promise<ManyTask> {
  const view = await openForm(context, request, 'changeRecords');
  const fields = { owner_id: NEW_OWNER };
  const section = `/organizations/${view.organization.id}/needs-you`;
  const readNamesOf = (ids: readonly string[]) => readNamed(context, view, ids);
  return {
    view,
    action: request.ctx.url,
    title: 'Hand over records',
    section,
    button: 'Hand over',
    needsReason: false,
    fields: formFields(RISK, fields, await readChoices(context, view, fields), null),
    family: RISK,
    back: safeNext(request.query.get(BACK), section),
    readPart: async () => ({ records: await readNamesOf(request.query.getAll(IDS)), next: null }),
    readNamed: readNamesOf,
    calls: callsForIds,
  };
}

/** A call of importRecords takes the ids of one family. */
function callsForIds(ids: readonly string[], set: Readonly<Record<string, unknown>>): ManyCall[] {
  return FAMILY_DESCRIPTIONS.map(({ prefix }) => ids.filter((id) => idPrefix(id) === prefix))
    .filter((ofFamily) => ofFamily.length > 0)
    .map((ofFamily) => ({ tool: 'importRecords', ids: ofFamily, inputs: { set, ids: ofFamily } }));
}

/** Reads the names of records, in the order of the calls. */
async function readNamed(context: FormCollaborators, view: FormView, ids: readonly string[]): Promise<RecordName[]> {
  const lists = [...REGISTER_LISTS.values()];
  const distinct = [...new Set(ids)];
  const named = await Promise.all(
    lists.map(({ family, query }) =>
      readRecordNames(
        context,
        view,
        query,
        distinct.filter((id) => idPrefix(id) === family.prefix),
      ),
    ),
  );
  return named.flat();
}
