/** @jsxRuntime automatic @jsxImportSource preact */
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { readChangesQuery } from '../../../http/files/changes-query.ts';
import { ACCESS_RECORD_TYPE } from '../../../queries/changes/access-log-source.ts';
import { listChanges } from '../../../queries/changes/list-changes.ts';
import { isMadeByAssistant, listRefinedChanges } from '../../../queries/changes/refined-changes.ts';
import { readSealTimes, type SealTimes } from '../../../queries/proofs/seal-times.ts';
import { codeWords } from '../../../reports/formats/report-text.ts';
import type { NamesByKey } from '../../../reports/pages/report-page.ts';
import { ChangeLinks, ChangeWords, RecordLink, readPeopleInChanges } from '../../register/change-words.tsx';
import { ActiveChangesFilters, ChangesFilterForm, type ChangesFilterProps } from '../../register/changes-filter.tsx';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
} from '../../register/open-register.ts';
import { get, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { changeCountText, MAX_COUNT } from '../../texts/counts.ts';

const CHANGES_PER_PAGE = 50;

interface ChangesPageContent extends Omit<ChangesFilterProps, 'view'> {
  people: NamesByKey;
  sealTimes: SealTimes;
  nextCursor: string | null;
  total: number;
}

/** The organization's history, newest first, with the filters of listChanges in the address. */
export const changesPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/changes', async (request) => {
    const view = await openRegister(context, request);
    const { organization, query, caller } = view;
    const page = { size: CHANGES_PER_PAGE, ...asOfInput(view) };
    const { input, refinement } = readChangesQuery(organization.id, query, page);
    const { filter = {} } = input;
    if (filter.record_types?.includes(ACCESS_RECORD_TYPE))
      return redirect(organizationAddress(organization.id, '/access'));
    const [{ changes, nextCursor }, count] = await Promise.all([
      listRefinedChanges(context.scanReader, caller, input, refinement),
      listChanges(context.scanReader, caller, { ...input, cursor: undefined, view: 'COUNT', max_count: MAX_COUNT + 1 }),
    ]);
    return pageOf(view, {
      filter,
      refinement,
      members: await context.members.membersOf(organization.id),
      changes,
      people: await readPeopleInChanges(view, changes),
      sealTimes: await readSealTimes(view.snapshot, organization.id, changes),
      nextCursor,
      total: (count as { total: number }).total,
    });
  }),
];

function pageOf(view: RegisterView, content: ChangesPageContent): WebPage {
  const { changes, people, sealTimes, nextCursor, total, refinement } = content;
  const isRefined = refinement.client !== null || refinement.onlyAssistants;
  const { organization, path, query } = view;
  return {
    title: 'Changes',
    section: path,
    organization,
    moment: view,
    body: (
      <>
        <p class="sub">
          {isRefined ? 'Among ' : ''}
          {changeCountText(total)}, newest first ·{' '}
          <a href={organizationAddress(organization.id, '/compare')}>Compare two moments</a>
        </p>
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
                <RecordLink view={view} record={change.record} /> <small>{codeWords(change.record.type)}</small>
              </h2>
              <ChangeWords view={view} change={change} people={people} />
              <ChangeLinks view={view} change={change} sealTimes={sealTimes} />
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
