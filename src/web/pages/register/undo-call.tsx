import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { MAX_UNSELECTED_RECORDS } from '../../../commands/autonomy.ts';
import { notFound } from '../../../http/http-errors.ts';
import { type ListedChange, listChanges } from '../../../queries/changes/list-changes.ts';
import { FormError } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { ChangeLine } from '../../register/change-entry.tsx';
import { readNamesInChanges } from '../../register/change-words.tsx';
import { typedText } from '../../register/forms/form-fields.ts';
import { isUndoUnderFourEyes, NEEDS_ANOTHER, readFourEyes } from '../../register/forms/four-eyes.ts';
import { BACK, type FormCollaborators, type FormView, openForm } from '../../register/forms/open-form.ts';
import { refusedForm } from '../../register/forms/refused-form.ts';
import { KeyInput, ReasonInput, writeInputs } from '../../register/forms/write-fields.tsx';
import { countBack, nothingBackText, type UndoAnswer, undoneText } from '../../register/undo/undo-answer.ts';
import { UNDONE_FIRST, undoAddress } from '../../register/undo/undo-offers.ts';
import { readUndoPreview, UndoPreview } from '../../register/undo/undo-preview.tsx';
import { callTool } from '../../server/call-tool.ts';
import { BLANK_FORM, type FormState } from '../../server/form-state.ts';
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
import { withRoleNames } from '../../texts/role-labels.ts';

const TOOL = 'importRecords';
/** The hidden input with the signed result of the dry run that the page shows. */
const SELECTION = 'selection';

/** The form that undoes a call: what goes back, what stays and why, and one button. */
export const undoCallPages = (context: FormCollaborators): Route[] => {
  const path = '/organizations/:id/undo/:call';
  return [
    get(path, async (request) => undoPage(context, request, await openUndo(context, request), BLANK_FORM)),
    post(path, async (request) => undo(context, request, await openUndo(context, request))),
  ];
};

/** The call to undo, and the page to come back to. */
interface UndoForm {
  view: FormView;
  callId: string;
  back: string;
}

async function openUndo(context: FormCollaborators, request: SignedInRequest): Promise<UndoForm> {
  const view = await openForm(context, request, context.tools.permissionOf(TOOL));
  const callId = request.params.call ?? '';
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(callId)) throw notFound('There is no such page.');
  const changes = organizationAddress(view.organization.id, '/changes');
  return { view, callId, back: safeNext(typedText(request.formValues, BACK) ?? view.back, changes) };
}

/** Undoes the call. One that changes many records needs the page's selection, so without it the page comes first. */
async function undo(context: FormCollaborators, request: SignedInRequest, form: UndoForm): Promise<Reply> {
  const { view, callId, back } = form;
  const { organization } = view;
  const { formValues: values } = request;
  const selection = typedText(values, SELECTION);
  const first = request.query.get(UNDONE_FIRST) ?? callId;
  const isRedo = (await newestChange(context, { view, callId: first }))?.event_type.endsWith('Undone') ?? false;
  // If it fails, the record stays as a whole, and the undo below says why.
  const undoneFirst = first === callId ? undefined : await undoAlone(context, request, view, first);
  const { answer, error } = await callTool(context, request, TOOL, {
    organization_id: organization.id,
    undo: { call_id: callId },
    ...writeInputs(values),
    ...(selection ? { selection } : {}),
  });
  if (error === null) return afterUndo(form, answer as unknown as UndoAnswer, { isRedo, undoneFirst });
  if (error.field === SELECTION && !selection) return new Redirect(undoAddress(organization.id, callId, back));
  // A changed selection is a new call, with a new key.
  const overtaken = { ...BLANK_FORM, formError: CHANGED_MEANWHILE };
  const state = error.field === SELECTION ? overtaken : refusedForm(error, values, { fields: {} }, REASON_ALONE);
  return { ...(await undoPage(context, request, form, state)), status: error.status };
}

/** Undoes a call that another undo needs. Returns the undo's own call; undefined if it did nothing. */
async function undoAlone(
  context: FormCollaborators,
  request: SignedInRequest,
  { organization }: FormView,
  call_id: string,
): Promise<string | undefined> {
  const input = { organization_id: organization.id, undo: { call_id } };
  const { answer } = await callTool(context, request, TOOL, input);
  return (answer as UndoAnswer | null)?.call_id;
}

/** Returns the newest change that the call made. */
async function newestChange(
  { reader }: FormCollaborators,
  { view: { organization, caller }, callId: call_id }: Pick<UndoForm, 'view' | 'callId'>,
): Promise<ListedChange | undefined> {
  const newest = { filter: { call_id }, size: 1, view: 'SUMMARY', verify: false } as const;
  const answer = await listChanges(reader, caller, { organization_id: organization.id, ...newest });
  return (answer as { changes: ListedChange[] }).changes[0];
}

/** Leads back, and offers the undo of the undo. */
function afterUndo(
  { view: { organization }, callId, back }: UndoForm,
  undone: UndoAnswer,
  { isRedo, undoneFirst }: { isRedo: boolean; undoneFirst: string | undefined },
): Redirect {
  const text = undoneText(undone, isRedo);
  if (countBack(undone) === 0) {
    const why = undone.skipped === undefined ? back : undoAddress(organization.id, callId, back);
    return new Redirect(why, { kind: 'WARNING', text });
  }
  const next = undone.remaining === undefined ? back : undoAddress(organization.id, callId, back);
  // The undo of both begins with the one that came last.
  const [again, before] = undoneFirst === undefined ? [undone.call_id] : [undoneFirst, undone.call_id];
  return redirect(next, text, undoAddress(organization.id, again!, undefined, before));
}

/** The form has no field but the reason. */
const REASON_ALONE = { fields: [], shownValue: () => '' };

const CHANGED_MEANWHILE = 'Somebody changed these records meanwhile. Look again at what goes back.';

async function undoPage(
  context: FormCollaborators,
  request: SignedInRequest,
  undoForm: UndoForm,
  sent: FormState,
): Promise<WebPage> {
  const { view, callId } = undoForm;
  const { organization } = view;
  const { answer, error } = await callTool(context, request, TOOL, {
    organization_id: organization.id,
    undo: { call_id: callId },
    dry_run: true,
  });
  if (error?.code === 'not_found') throw notFound('There is no such change here.');
  const form = error === null ? sent : { ...sent, formError: withRoleNames(error.message) };
  const dryRun = answer as unknown as UndoAnswer | null;
  const back = dryRun === null ? 0 : countBack(dryRun);
  const snapshot = context.reader.snapshot();
  const shown = { snapshot, organization, past: null, today: snapshot.today() };
  const newest = await newestChange(context, undoForm);
  const changes = newest === undefined ? [] : [newest];
  const people = await readNamesInChanges(shown, changes);
  const preview = dryRun && (await readUndoPreview(shown, dryRun));
  const types = (preview?.back ?? []).flatMap(({ record, linked }) => (linked === undefined ? [record.type] : []));
  const needsAnother = isUndoUnderFourEyes(await readFourEyes(context, organization.id), types);
  return {
    title: back > 1 ? `Undo ${back} changes` : 'Undo a change',
    section: organizationAddress(organization.id, '/changes'),
    organization,
    form,
    ...(error === null ? {} : { status: error.status }),
    body: (
      <>
        {changes.map((change) => (
          <p key={change.position} class="sub">
            {change.record.name}: <ChangeLine view={shown} change={change} people={people} />
            {' · '}
            <a href={organizationAddress(organization.id, '/changes', { call_id: callId })}>All changes of this call</a>
          </p>
        ))}
        <FormError form={form} />
        {dryRun !== null && back === 0 && <NothingBack dryRun={dryRun} back={undoForm.back} />}
        {dryRun !== null && back > 0 && <UndoButtons {...undoForm} {...{ form, dryRun, needsAnother }} />}
        {preview !== null && <UndoPreview view={shown} preview={preview} />}
      </>
    ),
  };
}

/** Says that no change goes back. The list below it says why, unless an undo took them back before. */
function NothingBack({ dryRun, back }: { dryRun: UndoAnswer; back: string }) {
  return (
    <p>
      {nothingBackText(dryRun)} <a href={back}>Back</a>
    </p>
  );
}

/** The button that undoes what the page shows. Few changes can have a reason: the selection of many is bound to its own. */
function UndoButtons(props: UndoForm & { form: FormState; dryRun: UndoAnswer; needsAnother: boolean }) {
  const { view, callId, back, form, dryRun, needsAnother } = props;
  const { selection = '', skipped = [], remaining = 0 } = dryRun;
  const count = countBack(dryRun);
  const isMany = count > MAX_UNSELECTED_RECORDS;
  const isAll = skipped.length === 0 && remaining === 0;
  return (
    <section class="card" aria-label="Undo">
      <Form action={undoAddress(view.organization.id, callId)}>
        <KeyInput form={form} />
        <input type="hidden" name={BACK} value={back} />
        {isMany ? (
          <input type="hidden" name={SELECTION} value={selection} />
        ) : (
          <ReasonInput form={form} isRequired={false} />
        )}
        <div class="actions">
          <button type="submit">{count === 1 ? 'Undo' : isAll ? `Undo all ${count}` : `Undo ${count}`}</button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
          <span class="muted">
            {needsAnother && `${NEEDS_ANOTHER} `}
            {remaining > 0 ? `${remaining} are left for another undo. ` : ''}The history keeps both, the change and its
            undo.
          </span>
        </div>
      </Form>
    </section>
  );
}
