export type Direction = 'ASC' | 'DESC';

/** The values of `aria-sort`. */
export const SORT_WORDS = { ASC: 'ascending', DESC: 'descending' } as const;
const SORT_ARROWS = { ASC: '↑', DESC: '↓' } as const;

/** The heading of a column that a list can be ordered by. @param props.current the direction; null in another order */
export function SortLink({ href, label, current }: { href: string; label: string; current: Direction | null }) {
  return (
    <a href={href}>
      {label}
      {current !== null && <span aria-hidden="true"> {SORT_ARROWS[current]}</span>}
    </a>
  );
}
