import { addressWith } from '../../../addresses/page-addresses.ts';
import type { PastMoment } from '../page-moment.ts';

interface PaletteProps {
  organizationId: string;
  past: PastMoment | null;
}

const searchPath = (organizationId: string) => `/organizations/${organizationId}/search`;

/** The link to the search page. With script, it opens the palette instead. */
export function SearchLink({ organizationId, past }: PaletteProps) {
  return (
    <a
      class="search-link"
      href={addressWith(searchPath(organizationId), { as_of: past?.asOf })}
      aria-keyshortcuts="Control+K Meta+K"
      data-palette
    >
      Search <kbd hidden />
    </a>
  );
}

/** The command palette, which palette.js fills from the search page. Enter alone goes there. */
export function Palette({ organizationId, past }: PaletteProps) {
  return (
    <dialog class="palette" aria-label="Search">
      <form method="get" action={searchPath(organizationId)}>
        {past !== null && <input type="hidden" name="as_of" value={past.asOf} />}
        <input
          type="text"
          name="q"
          role="combobox"
          aria-label="Search records, pages and actions"
          aria-autocomplete="list"
          aria-controls="found"
          aria-expanded="false"
          placeholder="Search records, pages and actions"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
        />
      </form>
      <p class="sub" role="status" />
      <div id="found" role="listbox" aria-label="Results" />
      <p class="row hints">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
        <button type="button" class="quiet" data-keys>
          All keys
        </button>
      </p>
    </dialog>
  );
}
