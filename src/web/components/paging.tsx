/** Rows per page of a list that is in memory. */
const ROWS_PER_PAGE = 25;

/** Addresses of the links below a page; null where there is no such page. */
interface PageTargets {
  first: string | null;
  next: string | null;
}

/** Returns the page of `all` that starts at the query's `from`. @param path the address without a query */
export function paginate<T>(
  all: readonly T[],
  query: URLSearchParams,
  path: string,
): { rows: readonly T[]; targets: PageTargets } {
  const fromText = query.get('from') ?? '';
  const from = /^\d{1,6}$/.test(fromText) && Number(fromText) < all.length ? Number(fromText) : 0;
  const until = from + ROWS_PER_PAGE;
  const targets = { first: from > 0 ? path : null, next: until < all.length ? `${path}?from=${until}` : null };
  return { rows: all.slice(from, until), targets };
}

/** @param props.label names the list for screen readers */
export function PageLinks({ label, targets: { first, next } }: { label: string; targets: PageTargets }) {
  if (first === null && next === null) return null;
  return (
    <nav aria-label={label} class="row">
      {first !== null && (
        <a class="button quiet" href={first}>
          Newest
        </a>
      )}
      {next !== null && (
        <a class="button quiet" href={next}>
          Older
        </a>
      )}
    </nav>
  );
}
