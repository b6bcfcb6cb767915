/** @jsxRuntime automatic @jsxImportSource preact */
import { listRecords } from '../../../queries/lists/list-records.ts';
import { FieldContent, type RecordRow } from '../../register/field-content.tsx';
import { REGISTER_LISTS, type RegisterList, titleFieldOf } from '../../register/list-columns.ts';
import {
  addressWith,
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

const ROWS_PER_PAGE = 50;

/** A page for each family: its records at a moment. */
export const recordListPages = (context: RegisterCollaborators): Route[] =>
  [...REGISTER_LISTS.values()].map((list) =>
    get(`/organizations/:id/${list.family.plural}`, async (request) => {
      const view = await openRegister(context, request);
      return listPage(list, view, await readRows(context, list, view));
    }),
  );

interface ListRows {
  rows: readonly RecordRow[];
  nextCursor: string | undefined;
  total: number;
}

async function readRows({ reader }: RegisterCollaborators, list: RegisterList, view: RegisterView): Promise<ListRows> {
  const { query, tool, family } = list;
  const cursor = view.query.get('cursor') ?? undefined;
  const input = { organization_id: view.organization.id, ...asOfInput(view), size: ROWS_PER_PAGE };
  const [page, count] = await Promise.all([
    listRecords(reader, query, tool, view.caller, { ...input, cursor, view: 'SUMMARY' }),
    listRecords(reader, query, tool, view.caller, { ...input, view: 'COUNT' }),
  ]);
  const { [family.plural]: rows, next_cursor } = page as Record<string, unknown>;
  return {
    rows: rows as RecordRow[],
    nextCursor: next_cursor as string | undefined,
    total: (count as { total: number }).total,
  };
}

function listPage(list: RegisterList, view: RegisterView, { rows, nextCursor, total }: ListRows): WebPage {
  const { family } = list;
  const title = familyHeading(family);
  return {
    title,
    section: view.path,
    organization: view.organization,
    moment: view,
    body: (
      <>
        <p class="sub">
          {total} {total === 1 ? 'record' : 'records'}
        </p>
        <RecordTable list={list} view={view} rows={rows} />
        {nextCursor !== undefined && (
          <a class="button quiet" href={addressWith(view.path, { as_of: view.past?.asOf, cursor: nextCursor })}>
            Next
          </a>
        )}
      </>
    ),
  };
}

function RecordTable({ list, view, rows }: { list: RegisterList; view: RegisterView; rows: readonly RecordRow[] }) {
  const { family, query } = list;
  const title = titleFieldOf(family);
  const columns = query.summary.map((name) => [name, family.fields[name]!] as const);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="scroll" aria-label={familyHeading(family)} tabIndex={0}>
      <table class="records">
        <thead>
          <tr>
            {columns.map(([name, { label }]) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={String(row.id)}>
              {columns.map(([name, field]) => (
                <td key={name} data-label={field.label} class={name === title ? 'title' : `kind-${field.kind}`}>
                  {name === title ? (
                    <a href={registerAddress(view, `/${family.plural}/${row.id}`)}>{String(row[name] ?? row.id)}</a>
                  ) : (
                    <FieldContent name={name} field={field} row={row} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
