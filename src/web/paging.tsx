/** @jsxRuntime automatic @jsxImportSource preact */

/** Entries on a page of a list that is in memory. */
const SIZE = 25;

/** Where the links below a page lead; null: there is nothing that way. */
interface Ways {
  first: string | null;
  next: string | null;
}

/** The page of `all` that the address asks for by `from`. @param here the address without a query */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  here: string,
): { shown: readonly T[]; ways: Ways } {
  const asked = query.get('from') ?? '';
  const from = /^\d{1,6}$/.test(asked) && Number(asked) < all.length ? Number(asked) : 0;
  const until = from + SIZE;
  const ways = { first: from > 0 ? here : null, next: until < all.length ? `${here}?from=${until}` : null };
  return { shown: all.slice(from, until), ways };
}

/** @param props.label what these are pages of, for who does not see them */
export function PageLinks({ label, ways: { first, next } }: { label: string; ways: Ways }) {
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
