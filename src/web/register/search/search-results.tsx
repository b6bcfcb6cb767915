import type { ComponentChildren } from 'preact';
import { type MatchedField, matchedField } from '../../../queries/lists/matched-field.ts';
import { isAbbreviated } from '../../../queries/lists/near-matches.ts';
import type { SearchHits } from '../../../queries/lists/search-records.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { FieldContent, type RecordRow } from '../field-content.tsx';
import { numberField, titleFieldOf } from '../naming-fields.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading, ORDERED_FAMILIES } from '../rail-links.ts';
import { type Destination, nextSteps } from './destinations.ts';

export interface SearchContent {
  query: string;
  hits: readonly SearchHits[];
  /** Records that come near if there are no hits: other spellings, and what an abbreviation stands for. */
  near: readonly SearchHits[];
  /** The words of a query without results that find records alone. */
  words: readonly string[];
  /** The filtered lists that words of the query name. */
  lists: readonly Destination[];
  destinations: readonly Destination[];
}

/** The records, pages and actions that a search found. The palette's script shows the same. */
export function SearchResults({ view, content }: { view: RegisterView; content: SearchContent }) {
  const { query, words, lists, destinations } = content;
  const hits = content.hits.length > 0 ? content.hits : content.near;
  const families = ORDERED_FAMILIES.filter(({ type }) => hits.some((group) => group.type === type));
  return (
    <>
      <p class="sub" data-status data-nothing={findsNothing(content) || undefined}>
        {statusText(content)}
      </p>
      {families.map((family) => (
        <FamilyHits
          key={family.type}
          view={view}
          family={family}
          query={query}
          hits={hits.find(({ type }) => type === family.type)!}
        />
      ))}
      <Destinations title="Filtered lists" destinations={lists} />
      <Destinations title="Pages and actions" destinations={destinations} />
      <Destinations
        title="One of the words"
        destinations={words.map((word) => ({ title: word, address: registerAddress(view, '/search', { q: word }) }))}
      />
      {findsNothing(content) && <Destinations title="Look further" destinations={nextSteps(view)} />}
    </>
  );
}

function Destinations({ title, destinations }: { title: string; destinations: readonly Destination[] }) {
  if (destinations.length === 0) return null;
  return (
    <ResultGroup title={title}>
      {destinations.map((destination) => (
        <li key={destination.title}>
          <a href={destination.address} data-row>
            {destination.title}
          </a>
        </li>
      ))}
    </ResultGroup>
  );
}

/** The fewest characters with which records are searched. */
export const MIN_QUERY_LENGTH = 2;

/** Counts the results, without those that only come near. */
function countResults({ hits, lists, destinations }: SearchContent): number {
  return hits.reduce((sum, { records }) => sum + records.length, lists.length + destinations.length);
}

function findsNothing(content: SearchContent): boolean {
  return content.query.length >= MIN_QUERY_LENGTH && countResults(content) === 0;
}

/** Returns true if the query abbreviates the titles of all these records, or spells them out. */
function isAbbreviatedBy(query: string, { type, records }: SearchHits): boolean {
  const family = ORDERED_FAMILIES.find((candidate) => candidate.type === type)!;
  return records.every((record) => isAbbreviated(query, String(record[titleFieldOf(family)])));
}

function statusText(content: SearchContent): string {
  const { query, hits } = content;
  if (query.length < MIN_QUERY_LENGTH) return 'Type a name, a number or words.';
  if (findsNothing(content)) {
    const { near } = content;
    if (near.length > 0 && near.every((group) => isAbbreviatedBy(query, group)))
      return `No exact match. These may mean “${query}”.`;
    const next =
      near.length > 0 ? 'These come near.' : 'The search finds names, numbers and words of records, and pages.';
    return `Nothing matches “${query}”. ${next}`;
  }
  const count = countResults(content);
  const more = hits.some(({ hasMore }) => hasMore) ? ' or more' : '';
  return `${count}${more} ${count === 1 ? 'result' : 'results'}`;
}

function ResultGroup({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="found" aria-label={title}>
      <h2>{title}</h2>
      <ul class="plain">{children}</ul>
    </section>
  );
}

function FamilyHits(props: { view: RegisterView; family: FamilyDescription; query: string; hits: SearchHits }) {
  const { view, family, query, hits } = props;
  const heading = familyHeading(family);
  const titleFields = [numberField(family), titleFieldOf(family)].filter((name) => name !== null);
  return (
    <ResultGroup title={heading}>
      {hits.records.map((record) => (
        <li key={String(record.id)}>
          <Hit view={view} family={family} record={record} reason={matchedField(family, record, query, titleFields)} />
        </li>
      ))}
      {hits.hasMore && (
        <li>
          <a href={registerAddress(view, `/${family.plural}`, { query, include_archived: 'true' })} data-row>
            All {heading.toLowerCase()} that match
          </a>
        </li>
      )}
    </ResultGroup>
  );
}

interface HitProps {
  view: RegisterView;
  family: FamilyDescription;
  record: RecordRow;
  reason: MatchedField | null;
}

/** A record: its number, title and state, if it is archived, and where the query was found if the title doesn't show it. */
function Hit({ view, family, record, reason }: HitProps) {
  const number = numberField(family);
  const state = family.workflow?.field;
  return (
    <a href={registerAddress(view, `/${family.plural}/${record.id}`)} data-row>
      {number !== null && typeof record[number] === 'string' && <span class="number">{record[number]} </span>}
      <span class="title">{String(record[titleFieldOf(family)] ?? record.id)} </span>
      {state !== undefined && <FieldContent name={state} field={family.fields[state]!} row={record} />}{' '}
      {typeof record.archived_at === 'string' && <span class="chip state archived">Archived</span>}
      {reason !== null && (
        <small>
          {reason.label}: {reason.excerpt}
        </small>
      )}
    </a>
  );
}
