import { addressWith, selectionParameters } from '../../../addresses/page-addresses.ts';
import { needOf } from '../../../commands/organization/permissions.ts';
import { addFormAddress, entryFormOf } from '../../register/forms/add-forms.ts';
import { BACK } from '../../register/forms/open-form.ts';
import { ControlGroups } from '../../register/list/control-groups.tsx';
import { DownloadMenu } from '../../register/list/download-menu.tsx';
import { EmptyList } from '../../register/list/empty-list.tsx';
import { FilterForm } from '../../register/list/filter-form.tsx';
import { addressWithoutEmpty, listAddress } from '../../register/list/list-address.ts';
import { hasFrameworkFilter, type ListFilter, listFilters } from '../../register/list/list-filters.ts';
import { type ControlGroup, MAX_GROUPED_CONTROLS, readControlGroups } from '../../register/list/read-control-groups.ts';
import {
  type ListView,
  readFilterNames,
  readFormerOwners,
  readFrameworkChoices,
  readList,
} from '../../register/list/read-list.ts';
import { RecordTable } from '../../register/list/record-table.tsx';
import { ChooseForm } from '../../register/many/choose-form.tsx';
import { type ManyAct, manyActs } from '../../register/many/many-acts.ts';
import { readTimeBar, type TimeBarContent } from '../../register/moments/read-time-bar.ts';
import { TimeBar } from '../../register/moments/time-bar.tsx';
import {
  mayChange,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { REGISTER_LISTS, type RegisterList } from '../../register/register-lists.ts';
import type { WebContext } from '../../server/context.ts';
import { get, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { countText } from '../../texts/counts.ts';
import { withRoleNames } from '../../texts/role-labels.ts';

/** A page for each family: its records at a moment. */
export const recordListPages = (context: RegisterCollaborators & Pick<WebContext, 'tools'>): Route[] =>
  [...REGISTER_LISTS.values()].map((list) =>
    get(`/organizations/:id/${list.family.plural}`, async (request) => {
      const shorter = addressWithoutEmpty(request);
      if (shorter !== null) return redirect(shorter);
      const view = await openRegister(context, request);
      const members = await context.members.membersOf(view.organization.id);
      const former = (await readFormerOwners(list, view)).filter(
        ({ value }) => !members.some(({ account_id }) => account_id === value),
      );
      const owners = [...members.map(({ account_id, name }) => ({ value: account_id, label: name })), ...former];
      const frameworks = hasFrameworkFilter(list.family) ? await readFrameworkChoices(context.reader, view) : [];
      const filters = listFilters(list.family, owners, frameworks);
      const listView = await readList(context.scanReaderOf(view.caller), list, view, filters);
      const groups = isGrouped(list, view, listView) ? await readControlGroups(context.reader, view) : null;
      const names = await readFilterNames(context.reader, view, filters, listView.selection);
      const time = await readTimeBar(view);
      const acts = manyActs(list.family).filter(({ tool }) => mayChange(view, context.tools.permissionOf(tool)));
      return listPage(list, view, listView, { filters, names, groups, time, acts });
    }),
  );

/** Returns true for the whole register of controls in its own order. Other views are plain lists. */
function isGrouped(
  { family }: RegisterList,
  { query }: RegisterView,
  { selection, matching, refusal }: ListView,
): boolean {
  const isWhole = Object.keys(selection.filter).length === 0 && selection.order_by === undefined && refusal === null;
  const isFirstPage = !query.has('cursor') && !query.has('before');
  return family.type === 'CONTROL' && isWhole && isFirstPage && matching > 0 && matching <= MAX_GROUPED_CONTROLS;
}

interface ListParts {
  filters: readonly ListFilter[];
  names: ReadonlyMap<string, string>;
  /** Null for a plain list. */
  groups: readonly ControlGroup[] | null;
  /** Null before the first event. */
  time: TimeBarContent | null;
  acts: readonly ManyAct[];
}

function listPage(list: RegisterList, view: RegisterView, listView: ListView, parts: ListParts): WebPage {
  const { family } = list;
  const { selection, refusal } = listView;
  const { filters, names, groups, time } = parts;
  const title = familyHeading(family);
  return {
    title,
    status: refusal === null ? 200 : 400,
    section: view.path,
    organization: view.organization,
    moment: view,
    heading: (
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p class="sub">{totalText(listView)}</p>
          <WhoAdds family={family} view={view} />
        </div>
        <ViewLinks list={list} view={view} selection={selection} />
      </div>
    ),
    body: (
      <>
        {refusal !== null && (
          <p class="notice warning" role="alert">
            {refusal}
          </p>
        )}
        {time !== null && <TimeBar view={view} content={time} />}
        <FilterForm view={view} selection={selection} filters={filters} names={names} />
        <ListBody list={list} view={view} listView={listView} groups={groups} acts={parts.acts} />
        {groups === null && <ListFooter view={view} listView={listView} />}
      </>
    ),
  };
}

interface ListBodyProps extends Pick<ListParts, 'groups' | 'acts'> {
  list: RegisterList;
  view: RegisterView;
  listView: ListView;
}

function ListBody({ list, view, listView, groups, acts }: ListBodyProps) {
  const { selection, page, matching, today } = listView;
  if (matching === 0) return <EmptyList family={list.family} view={view} listView={listView} />;
  const table = { list, view, selection, today, isChosen: acts.length > 0 };
  const rows =
    groups === null ? <RecordTable {...table} rows={page.records} /> : <ControlGroups {...table} groups={groups} />;
  if (acts.length === 0) return rows;
  return (
    <ChooseForm
      action={`${view.path}/many`}
      parameters={{ ...selectionParameters(selection), [BACK]: addressWith(view.path, parametersOf(view.query)) }}
      all={`All ${countText(matching)}${isFiltered(selection) ? ' that match' : ''}`}
      acts={acts}
    >
      {rows}
    </ChooseForm>
  );
}

const isFiltered = ({ filter }: ListView['selection']): boolean => Object.keys(filter).length > 0;

const parametersOf = (query: URLSearchParams) =>
  Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));

function totalText({ selection, matching, total, totalToday }: ListView): string {
  const found = isFiltered(selection) ? `${countText(matching)} of ` : '';
  const records = `${found}${countText(total)} ${total === 1 ? 'record' : 'records'}`;
  return totalToday === null ? records : `${records} then · ${countText(totalToday)} today`;
}

/** Says who may add records, to a reader who may not. */
function WhoAdds({ family, view }: { family: RegisterList['family']; view: RegisterView }) {
  const permission = entryFormOf(family)?.permission;
  if (permission === undefined || view.past !== null || mayChange(view, permission)) return null;
  return <p class="sub">{withRoleNames(needOf(permission))}.</p>;
}

const FILE_FORMATS = [
  ['xlsx', 'XLSX'],
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
] as const;

/** Links to exactly this view: as files, and at this moment for ever. */
function ViewLinks({
  list,
  view,
  selection,
}: {
  list: RegisterList;
  view: RegisterView;
  selection: ListView['selection'];
}) {
  const { family } = list;
  const file = `/api/v1/organizations/${view.organization.id}/records/${family.plural}`;
  const addForm = entryFormOf(family);
  const position = String(view.snapshot.newestPosition(view.organization.id));
  return (
    <div class="row">
      {addForm !== undefined && mayChange(view, addForm.permission) && (
        <a class="button" href={addFormAddress(view.organization, addForm)}>
          {addForm.button}
        </a>
      )}
      <DownloadMenu
        files={FILE_FORMATS.map(([format, name]) => ({
          name,
          href: addressWith(file, { format, as_of: view.past?.asOf, ...selection.filter }),
        }))}
      />
      {view.past === null && (
        <a class="button quiet" href={listAddress(view, selection, { as_of: position })} data-copy-link>
          Copy a link to this state
        </a>
      )}
    </div>
  );
}

/** The count, and the links to the pages beside this one. */
function ListFooter({ view, listView }: { view: RegisterView; listView: ListView }) {
  const { selection, page, matching, total } = listView;
  return (
    <div class="row list-end">
      <p class="sub">
        {isFiltered(selection) && matching > 0 && (
          <>
            {countText(matching)} of {countText(total)} ·{' '}
            <a href={listAddress(view, { ...selection, filter: {} })}>Clear filters</a>
          </>
        )}
      </p>
      <nav class="row" aria-label="Pages">
        {page.previous !== null && (
          <a class="button quiet" rel="prev" href={listAddress(view, selection, { before: page.previous })}>
            Previous
          </a>
        )}
        {page.next !== null && (
          <a class="button quiet" rel="next" href={listAddress(view, selection, { cursor: page.next })}>
            Next
          </a>
        )}
      </nav>
    </div>
  );
}
