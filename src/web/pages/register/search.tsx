import { clientSignal } from '../../../http/request.ts';
import { searchNearRecords, searchRecords, searchSingleWords } from '../../../queries/lists/search-records.ts';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
} from '../../register/open-register.ts';
import { findDestinations } from '../../register/search/destinations.ts';
import { findFilteredLists } from '../../register/search/filtered-lists.ts';
import { MIN_QUERY_LENGTH, type SearchContent, SearchResults } from '../../register/search/search-results.tsx';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

/** Longer queries are cut. */
const MAX_QUERY_LENGTH = 200;

/** `?part=results` gives the results alone, for the palette's script. */
const RESULTS = 'results';

/** Finds records of all families, filtered lists, pages and actions by name, number or words. */
export const searchPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/search', async (request) => {
    const view = await openRegister(context, request);
    const query = (view.query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH);
    const input = { organization_id: view.organization.id, query, ...asOfInput(view) };
    const signal = clientSignal(request.ctx.res);
    const scanReader = context.scanReaderOf(view.caller);
    const isSearched = query.length >= MIN_QUERY_LENGTH;
    const hits = isSearched ? await searchRecords(scanReader, view.caller, input, signal) : [];
    const near = isSearched && hits.length === 0 ? await searchNearRecords(scanReader, view.caller, input, signal) : [];
    const lists = isSearched
      ? findFilteredLists(view, query, await context.members.membersOf(view.organization.id))
      : [];
    const isFound = hits.length + near.length + lists.length > 0;
    const words = isFound || !isSearched ? [] : await searchSingleWords(scanReader, view.caller, input, signal);
    return page(view, { query, hits, near, words, lists, destinations: findDestinations(view, query) });
  }),
];

function page(view: RegisterView, content: SearchContent): WebPage {
  const results = <SearchResults view={view} content={content} />;
  if (view.query.get('part') === RESULTS) return { title: 'Search', body: results, isFragment: true };
  return {
    title: 'Search',
    section: view.path,
    organization: view.organization,
    moment: view,
    body: (
      <>
        <search>
          <form method="get" action={view.path} class="row list-filters">
            {view.past !== null && <input type="hidden" name="as_of" value={view.past.asOf} />}
            <label class="search">
              <span class="for-screen-readers">Search records, pages and actions</span>
              <input
                type="search"
                name="q"
                value={content.query}
                placeholder="Records, pages and actions"
                aria-keyshortcuts="/"
                data-search
              />
            </label>
            <button type="submit" class="quiet">
              Search
            </button>
          </form>
        </search>
        <div class="card">{results}</div>
      </>
    ),
  };
}
