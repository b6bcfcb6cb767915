import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { type ChangesQuery, readChangesQuery } from '../../../http/files/changes-query.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { ACCESS_RECORD_TYPE } from '../../../queries/changes/access-log-source.ts';
import { listChanges } from '../../../queries/changes/list-changes.ts';
import { isMadeByAssistant, listRefinedChanges } from '../../../queries/changes/refined-changes.ts';
import { type OrderNotices, readOrderNotices } from '../../../queries/proofs/out-of-order.ts';
import { readSealTimes, type SealTimes } from '../../../queries/proofs/seal-times.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { SEAL_EVENT_TYPES } from '../../../trail/seals/seal-events.ts';
import {
  AssistantsToday,
  type AssistantsTodayCollaborators,
  type AssistantToday,
  readAssistantsToday,
} from '../../register/assistants-today.tsx';
import { ChangeEntry, SealLine } from '../../register/change-entry.tsx';
import { RecordLink, readNamesInChanges } from '../../register/change-words.tsx';
import {
  ActiveChangesFilters,
  CHANGES_FILTER_INPUTS,
  ChangesFilterForm,
  type ChangesFilterProps,
} from '../../register/changes-filter.tsx';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
} from '../../register/open-register.ts';
import { OrderNotice } from '../../register/order-notice.tsx';
import { refusedInput } from '../../register/refused-input.ts';
import { readUndoOffers, type UndoOffers } from '../../register/undo/undo-offers.ts';
import { get, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { changeCountText, countText, MAX_COUNT } from '../../texts/counts.ts';
import { typeText } from '../../texts/event-words.ts';

const CHANGES_PER_PAGE = 50;

interface ChangesPageContent extends Omit<ChangesFilterProps, 'view'> {
  people: NamesByKey;
  sealTimes: SealTimes;
  undoOffers: UndoOffers;
  notices: OrderNotices | null;
  nextCursor: string | null;
  total: number;
  /** The events of seals, which have positions too. The list leaves them out unless a filter names them. 0 with a filter. */
  sealTotal: number;
  /** Shown with the newest changes. With a filter there are none. */
  assistants: readonly AssistantToday[];
}

type Collaborators = RegisterCollaborators & AssistantsTodayCollaborators;

/** The organization's history, newest first, with the filters of listChanges in the address. */
export const changesPage = (context: Collaborators): Route[] => [
  get('/organizations/:id/changes', async (request) => {
    const view = await openRegister(context, request);
    const { organization } = view;
    const members = await context.members.membersOf(organization.id);
    try {
      const page = { size: CHANGES_PER_PAGE, ...asOfInput(view) };
      const changesQuery = readChangesQuery(organization.id, view.query, page);
      if (changesQuery.input.filter?.record_types?.includes(ACCESS_RECORD_TYPE))
        return redirect(organizationAddress(organization.id, '/access'));
      return pageOf(view, { ...(await readContent(context, view, changesQuery)), members });
    } catch (thrown) {
      const refusal = refusedInput(thrown, CHANGES_FILTER_INPUTS);
      if (refusal === null) throw thrown;
      return refusedPage(view, members, refusal);
    }
  }),
];

async function readContent(
  context: Collaborators,
  view: RegisterView,
  { input, refinement }: ChangesQuery,
): Promise<Omit<ChangesPageContent, 'members'>> {
  const { organization, caller } = view;
  const scanReader = context.scanReaderOf(caller);
  const countOf = async (filter: typeof input.filter) => {
    const countInput = { ...input, filter, cursor: undefined, view: 'COUNT', max_count: MAX_COUNT + 1 } as const;
    return ((await listChanges(scanReader, caller, countInput)) as { total: number }).total;
  };
  const isWhole = Object.keys(input.filter ?? {}).length === 0;
  const [{ changes, nextCursor }, total, sealTotal] = await Promise.all([
    listRefinedChanges(scanReader, caller, input, refinement),
    countOf(input.filter),
    isWhole ? countOf({ event_types: SEAL_EVENT_TYPES }) : 0,
  ]);
  return {
    filter: input.filter ?? {},
    refinement,
    changes,
    people: await readNamesInChanges(view, changes),
    sealTimes: await readSealTimes(view.snapshot, organization.id, changes),
    undoOffers: await readUndoOffers(view, changes),
    notices: await readOrderNotices(view.snapshot, organization.id),
    nextCursor,
    total,
    sealTotal,
    assistants: view.query.size === 0 ? await readAssistantsToday(context, view) : [],
  };
}

/** Returns the page for filters that can't be read. It shows no changes, because they would not match the filters. */
function refusedPage(view: RegisterView, members: readonly Member[], refusal: string): WebPage {
  const none = { filter: {}, refinement: { client: null, onlyAssistants: false }, members, changes: [] };
  return {
    ...frameOf(view),
    status: 400,
    body: (
      <>
        <p class="notice warning" role="alert">
          {refusal}
        </p>
        <ChangesFilterForm view={view} {...none} isOpen />
        <ActiveChangesFilters view={view} {...none} />
      </>
    ),
  };
}

function frameOf(view: RegisterView): Omit<WebPage, 'body'> {
  return { title: 'Changes', section: view.path, organization: view.organization, moment: view };
}

function pageOf(view: RegisterView, content: ChangesPageContent): WebPage {
  const { changes, people, sealTimes, undoOffers, notices, nextCursor, total, sealTotal, refinement, assistants } =
    content;
  const isRefined = refinement.client !== null || refinement.onlyAssistants;
  const { organization, path, query } = view;
  return {
    ...frameOf(view),
    body: (
      <>
        <p class="sub row">
          <span>
            {isRefined ? 'Among ' : ''}
            {changeCountText(total)}, newest first
            {sealTotal > 0 && ` · not listed: ${countText(sealTotal)} of seals`}
          </span>
          <a href={organizationAddress(organization.id, '/compare')}>Compare two moments</a>
          <SealLine changes={changes} sealTimes={sealTimes} />
        </p>
        <OrderNotice notices={notices} />
        <AssistantsToday view={view} rows={assistants} />
        <ChangesFilterForm view={view} {...content} />
        <ActiveChangesFilters view={view} {...content} />
        {changes.length === 0 && <p>{nextCursor === null ? 'No change' : 'No newer change'} matches these filters.</p>}
        <ol class="timeline changes">
          {changes.map((change) => (
            <li
              key={change.position}
              id={`change-${change.position}`}
              class={isMadeByAssistant(change) ? 'bot' : undefined}
            >
              <h2>
                <RecordLink view={view} record={change.record} /> <small>{typeText(change.record.type)}</small>
              </h2>
              <ChangeEntry
                view={view}
                change={change}
                people={people}
                sealTimes={sealTimes}
                undo={undoOffers.get(change.position)}
              />
            </li>
          ))}
        </ol>
        {nextCursor !== null && (
          <a class="button quiet" href={`${path}?${withParameter(query, 'cursor', nextCursor)}`}>
            Older changes
          </a>
        )}
      </>
    ),
  };
}

function withParameter(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return parameters;
}
