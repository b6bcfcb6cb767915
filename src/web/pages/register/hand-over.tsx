import { idPrefix } from '../../../commands/engine/ids.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { Fields } from '../../../register/field.ts';
import { RISK } from '../../../register/risk.ts';
import { formFields } from '../../register/forms/form-fields.ts';
import { BACK, type FormCollaborators, type FormView, openForm } from '../../register/forms/open-form.ts';
import { readChoices } from '../../register/forms/read-choices.ts';
import { NEW_OWNER } from '../../register/many/many-acts.ts';
import type { ManyCall } from '../../register/many/many-calls.ts';
import { IDS, type NamedRecord } from '../../register/many/many-form.tsx';
import { type ManyTask, openTask, submitTask } from '../../register/many/many-task.ts';
import { readRecordNames } from '../../register/many/read-record-names.ts';
import { REGISTER_LISTS } from '../../register/register-lists.ts';
import { get, post, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';

/**
 * The form that gives records of any family another owner: those that the address names by `ids`, or everything of the
 * account in `owner`.
 */
export const handOverPages = (context: FormCollaborators): Route[] => {
  const path = '/organizations/:id/hand-over';
  return [
    get(path, async (request) => openTask(context, await taskOf(context, request))),
    post(path, async (request) => submitTask(context, request, await taskOf(context, request))),
  ];
};

/** Which records of a person go to another one. */
const SCOPE: Fields = {
  scope: {
    kind: 'enum',
    label: 'Which records',
    values: ['UNFINISHED', 'ALL'],
    labels: { UNFINISHED: 'Only those that are not finished', ALL: 'All, also finished ones' },
    initial: 'UNFINISHED',
  },
};

async function taskOf(context: FormCollaborators, request: SignedInRequest): Promise<ManyTask> {
  const view = await openForm(context, request, 'changeRecords');
  const { id } = view.organization;
  const owner = request.query.get('owner');
  const described = { owner_id: NEW_OWNER, ...(owner === null ? {} : SCOPE) };
  const section = `/organizations/${id}/needs-you`;
  const shared = {
    view,
    action: request.ctx.url,
    section,
    button: 'Hand over',
    needsReason: false,
    fields: formFields(RISK, described, await readChoices(context, view, described), null),
    family: RISK,
    back: safeNext(request.query.get(BACK), section),
    readNamed: (ids: readonly string[]) => readNamed(context, view, ids),
  };
  if (owner === null) {
    const readPart = async () => ({ records: await shared.readNamed(request.query.getAll(IDS)), next: null });
    return { ...shared, title: 'Hand over records', readPart, calls: callsForIds };
  }
  const all = await context.members.membersOf(id);
  const member = all.find(({ account_id }) => account_id === owner);
  return {
    ...shared,
    title: `Hand over everything of ${member?.name ?? 'a former member'}`,
    readPart: null,
    calls: (_ids, { scope, ...set }) => {
      const filter = { owner_id: [owner], ...(scope === 'ALL' ? {} : { unfinished: true }) };
      return [{ tool: 'importRecords', ids: [], inputs: { set, filter } }];
    },
  };
}

/** A call of importRecords takes the ids of one family. */
function callsForIds(ids: readonly string[], set: Readonly<Record<string, unknown>>): ManyCall[] {
  return FAMILY_DESCRIPTIONS.map(({ prefix }) => ids.filter((id) => idPrefix(id) === prefix))
    .filter((ofFamily) => ofFamily.length > 0)
    .map((ofFamily) => ({ tool: 'importRecords', ids: ofFamily, inputs: { set, ids: ofFamily } }));
}

/** Reads the names of records, in the order of the calls. */
async function readNamed(context: FormCollaborators, view: FormView, ids: readonly string[]): Promise<NamedRecord[]> {
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
