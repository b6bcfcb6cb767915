import { idPrefix } from '../../../commands/engine/ids.ts';
import { notFound } from '../../../http/http-errors.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import { matchRecords } from '../../../queries/lists/match-records.ts';
import { currentMoment } from '../../../queries/moments/moment.ts';
import { readAllMembersOf } from '../../../queries/records/member-names.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { RISK } from '../../../register/risk.ts';
import { withStates } from '../../../tools/set/set-input.ts';
import { formFields } from '../../register/forms/form-fields.ts';
import { BACK, type FormCollaborators, type FormView, openForm } from '../../register/forms/open-form.ts';
import { readChoices } from '../../register/forms/read-choices.ts';
import { NEW_OWNER } from '../../register/many/many-acts.ts';
import type { ManyCall } from '../../register/many/many-calls.ts';
import { IDS, type RecordName } from '../../register/many/many-form.tsx';
import { type ManyPart, type ManyTask, openTask, submitTask } from '../../register/many/many-task.ts';
import { readRecordNames } from '../../register/many/read-record-names.ts';
import { countOwnedRecords, OwnedRecords, ownedTotalText } from '../../register/owned-records.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { REGISTER_LISTS } from '../../register/register-lists.ts';
import type { WebContext } from '../../server/context.ts';
import { get, post, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';

type Collaborators = FormCollaborators & Pick<WebContext, 'readNames'>;

/** Records that one form hands over. */
const MAX_RECORDS = 200;
/** Events contain no names of people, so neither does this. */
const DEFAULT_REASON = 'Hand-over of everything of one person';

/**
 * The forms that give records of any family another owner: those that the address names by `ids`, and the unfinished ones of
 * a present or former member.
 */
export const handOverPages = (context: Collaborators): Route[] =>
  (
    [
      ['/organizations/:id/hand-over', taskOfChosen],
      ['/organizations/:id/members/:account/hand-over', taskOfMember],
    ] as const
  ).flatMap(([path, taskOf]) => [
    get(path, async (request) => openTask(context, await taskOf(context, request))),
    post(path, async (request) => submitTask(context, request, await taskOf(context, request))),
  ]);

async function taskOfChosen(context: Collaborators, request: SignedInRequest): Promise<ManyTask> {
  const task = await commonTask(context, request);
  const section = `/organizations/${task.view.organization.id}/needs-you`;
  return {
    ...task,
    title: 'Hand over records',
    section,
    back: safeNext(request.query.get(BACK), section),
    readPart: async () => ({ records: await task.readNamed(request.query.getAll(IDS)), next: null }),
  };
}

/** @throws HttpError 404 for an account that neither is nor was a member */
async function taskOfMember(context: Collaborators, request: SignedInRequest): Promise<ManyTask> {
  const task = await commonTask(context, request);
  const { view, fields } = task;
  const { id } = view.organization;
  const { account = '' } = request.params;
  if (!(await readAllMembersOf(context.reader.snapshot(), id)).has(account))
    throw notFound('No such member. Choose one from the list of members.');
  const name = (await context.readNames(id, [account])).of(account);
  const owned = await countOwnedRecords(context.reader, view.caller, id, account);
  const members = `/organizations/${id}/members`;
  const others = (field: (typeof fields)[number]) => field.choices?.filter(({ value }) => value !== account) ?? null;
  const isMember = fields.some(({ choices }) => choices?.some(({ value }) => value === account));
  return {
    ...task,
    title: `Hand over the records of ${name}`,
    section: members,
    back: members,
    fields: fields.map((field) => ({ ...field, choices: others(field) })),
    about: (
      <>
        <p>
          {name} owns {ownedTotalText(owned)}. <a href={members}>All members</a>
        </p>
        <OwnedRecords owned={owned} organizationId={id} account={account} />
        <p>Finished records, such as closed risks, keep their owner. You see the others before anything changes.</p>
      </>
    ),
    nothing: 'Nothing to hand over: they own no record that is unfinished.',
    defaultReason: DEFAULT_REASON,
    // The records of a former member would stay with the new owner.
    isFinal: !isMember,
    readPart: () => readUnfinished(context, view, account),
  };
}

async function commonTask(context: Collaborators, request: SignedInRequest) {
  const view = await openForm(context, request, 'changeRecords');
  const fields = { owner_id: NEW_OWNER };
  return {
    view,
    action: request.ctx.url,
    button: 'Hand over',
    needsReason: false,
    fields: formFields(RISK, fields, await readChoices(context, view, fields), null),
    family: RISK,
    readNamed: (ids: readonly string[]) => readNamed(context, view, ids),
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

/** Reads records of an account that are not finished. After they have another owner, the next ones are read the same way. */
async function readUnfinished(
  { reader }: FormCollaborators,
  { organization, caller }: FormView,
  account: string,
): Promise<ManyPart> {
  const snapshot = reader.snapshot();
  const context = { snapshot, organizationId: organization.id, moment: currentMoment(snapshot) };
  const records: RecordName[] = [];
  for (const { type } of FAMILY_DESCRIPTIONS) {
    const filter = withStates(type, { owner_id: [account], unfinished: true })!;
    const most = MAX_RECORDS + 1 - records.length;
    const unfinished = await matchRecords(context, familyQueryOfType(type), caller, filter, most);
    records.push(...unfinished.map((record) => ({ id: record.id, name: numberedName(record) })));
    if (records.length > MAX_RECORDS) return { records: records.slice(0, MAX_RECORDS), next: 'MORE' };
  }
  return { records, next: null };
}
