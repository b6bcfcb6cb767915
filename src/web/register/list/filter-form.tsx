import type { ComponentChildren } from 'preact';
import { filterTexts, type ListSelection } from '../../../addresses/page-addresses.ts';
import { LongDay } from '../../components/components.tsx';
import type { RegisterView } from '../open-register.ts';
import { listAddress, withoutFilter } from './list-address.ts';
import { filterSentence, type ListFilter } from './list-filters.ts';

/** Filters that stand beside the search. The others are under "More filters" until they are set. */
const FILTERS_IN_ROW = 6;

interface FilterFormProps {
  view: RegisterView;
  selection: ListSelection;
  filters: readonly ListFilter[];
  /** Names of the records in filters, by id. */
  names?: ReadonlyMap<string, string>;
  /** False for a list that can't be searched by words. */
  isSearched?: boolean;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * Searches and filters a list. It is one form that sends its whole state, so every part of it keeps the others, and it
 * works without script.
 */
export function FilterForm(props: FilterFormProps) {
  const { view, selection, filters, names = NO_NAMES, isSearched = true } = props;
  const { filter, order_by } = selection;
  const isSet = ({ name }: ListFilter) => filter[name] !== undefined;
  const offered = filters.filter((each) => each.control.kind !== 'FIXED' && !isSet(each));
  return (
    <search>
      <form method="get" action={view.path} class="row list-filters">
        <HiddenValue name="as_of" value={view.past?.asOf} />
        <HiddenValue name="order_by" value={order_by?.field} />
        <HiddenValue name="direction" value={order_by?.direction} />
        {isSearched && <SearchField query={filter.query} />}
        {filters.filter(isSet).map((each) => (
          <SetFilter key={each.name} view={view} selection={selection} filter={each} names={names} />
        ))}
        {offered.slice(0, FILTERS_IN_ROW).map((each) => (
          <Menu key={each.name} title={each.label}>
            <FilterFields filter={each} value={undefined} />
          </Menu>
        ))}
        {offered.length > FILTERS_IN_ROW && (
          <Menu title="More filters">
            {offered.slice(FILTERS_IN_ROW).map((each) => (
              <FilterFields key={each.name} filter={each} value={undefined} />
            ))}
          </Menu>
        )}
      </form>
    </search>
  );
}

function SearchField({ query = '' }: { query: unknown }) {
  return (
    <>
      <label class="search">
        <span class="for-screen-readers">Search here</span>
        <input
          type="search"
          name="query"
          value={String(query)}
          placeholder="Search here"
          aria-keyshortcuts="/"
          data-search
        />
      </label>
      <button type="submit" class="quiet">
        Search
      </button>
    </>
  );
}

function HiddenValue({ name, value }: { name: string; value: string | undefined }) {
  return value === undefined ? null : <input type="hidden" name={name} value={value} />;
}

interface SetFilterProps {
  filter: ListFilter;
  names: ReadonlyMap<string, string>;
}

/** A filter that is set: its menu, and the link that removes it. */
function SetFilter(props: Pick<FilterFormProps, 'view' | 'selection'> & SetFilterProps) {
  const { view, selection, filter, names } = props;
  const value = selection.filter[filter.name];
  const sentence = filterSentence(filter, value, names);
  const rest = { ...selection, filter: withoutFilter(selection.filter, filter.name) };
  return (
    <span class="set">
      {filter.control.kind === 'FIXED' ? (
        <span class="fixed">
          {sentence}
          <FilterFields filter={filter} value={value} />
        </span>
      ) : (
        <Menu title={<FilterWords filter={filter} value={value} sentence={sentence} />}>
          <FilterFields filter={filter} value={value} />
        </Menu>
      )}
      <a href={listAddress(view, rest)} aria-label={`Remove the filter ${sentence}`}>
        ×
      </a>
    </span>
  );
}

/** The sentence of a filter, with a date in the reader's form. */
function FilterWords({ filter, value, sentence }: { filter: ListFilter; value: unknown; sentence: string }) {
  if (filter.control.kind !== 'date') return <>{sentence}</>;
  return (
    <span>
      {filter.label} <LongDay at={String(value)} />
    </span>
  );
}

function Menu({ title, children }: { title: ComponentChildren; children: ComponentChildren }) {
  return (
    <details>
      <summary>{title}</summary>
      <div class="menu">
        {children}
        <button type="submit">Apply</button>
      </div>
    </details>
  );
}

/** The fields for a filter's value. A filter that is kept only has hidden ones. */
export function FilterFields({ filter: { name, label, control }, value }: { filter: ListFilter; value: unknown }) {
  const texts = value === undefined ? [] : filterTexts(value);
  switch (control.kind) {
    case 'choices':
      return (
        <fieldset>
          <legend>{label}</legend>
          {control.choices.map((choice) => (
            <label key={choice.value} class="choice">
              <input
                type={control.isSingle ? 'radio' : 'checkbox'}
                name={name}
                value={choice.value}
                checked={texts.includes(choice.value)}
              />
              <span>{choice.label}</span>
            </label>
          ))}
        </fieldset>
      );
    case 'boolean':
      return (
        <label>
          {label}
          <select name={name}>
            <option value="">Any</option>
            {['true', 'false'].map((text) => (
              <option key={text} value={text} selected={texts[0] === text}>
                {text === 'true' ? 'Yes' : 'No'}
              </option>
            ))}
          </select>
        </label>
      );
    case 'date':
      return (
        <label>
          {label}
          <input type="date" name={name} value={texts[0]?.slice(0, 10)} />
        </label>
      );
    case 'score':
    case 'rating':
      return (
        <label>
          {label}
          <br />
          <input type="number" name={name} min={1} max={control.kind === 'score' ? 25 : 5} value={texts[0]} />
        </label>
      );
    case 'text':
      return (
        <>
          {(texts.length === 0 ? [''] : texts).map((text) => (
            <label key={text}>
              {label}
              <input type="text" name={name} value={text} />
            </label>
          ))}
        </>
      );
    case 'FIXED':
      return (
        <>
          {texts.map((text) => (
            <HiddenValue key={text} name={name} value={text} />
          ))}
        </>
      );
  }
}
