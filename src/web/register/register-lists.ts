import { ListQueryReader } from '../../http/files/list-query.ts';
import { type FamilyQuery, familyQueryOfType } from '../../queries/family-query.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { Field } from '../../register/field.ts';

/** A family's register page: the query that it reads, whose summary holds the page's columns. */
export interface RegisterList {
  family: FamilyDescription;
  query: FamilyQuery;
  /** The list tool's name, to which cursors are bound. */
  tool: string;
  columns: readonly string[];
  /** The fields that stand in a second line below the title, so that a wide table hides no column. */
  secondLine: readonly string[];
  /** Reads the page's address. */
  queryReader: ListQueryReader;
}

/** A table with more columns folds the words that classify records. */
const MAX_COLUMNS = 7;

/** The register pages by the last part of their path. */
export const REGISTER_LISTS: ReadonlyMap<string, RegisterList> = new Map(
  FAMILY_DESCRIPTIONS.map((family) => [family.plural, registerList(family)]),
);

function registerList(family: FamilyDescription): RegisterList {
  const tool = family.tools.list?.name ?? `list${family.title}`;
  const summary = summaryOf(family);
  // An object, such as an acceptance, tells how a state is shown.
  const fields = summary.filter((name) => family.fields[name]!.kind !== 'object');
  const isWide = fields.length > MAX_COLUMNS;
  const secondLine = fields.filter((name) => isLong(family.fields[name]!) || (isWide && isWord(family, name)));
  return {
    family,
    // The end of a piece that newer evidence replaces is shown in grey.
    query: {
      ...familyQueryOfType(family.type),
      summary: 'replaced' in family.fields ? [...summary, 'replaced'] : summary,
    },
    tool,
    columns: fields.filter((name) => !secondLine.includes(name)),
    secondLine,
    queryReader: new ListQueryReader(family),
  };
}

/** Returns true for addresses and digests, which widen a table and are seldom compared. */
function isLong({ kind }: Field): boolean {
  return kind === 'url' || kind === 'sha256';
}

/** Returns true for a word that classifies a record. Its state stays a column. */
function isWord({ fields, workflow }: FamilyDescription, name: string): boolean {
  return fields[name]!.kind === 'enum' && name !== workflow?.field;
}

/** Returns the fields that a page reads, after the id: the family's summary, its counts, what is due next, and the owner. */
function summaryOf({ fields, summary, dueItems = [] }: FamilyDescription): string[] {
  const counts = Object.keys(fields).filter((name) => fields[name]!.kind === 'count' && !fields[name]!.detail);
  const due = dueItems.map(({ date }) => date).filter((name) => fields[name]?.kind === 'date');
  const owner = 'owner_id' in fields ? ['owner_id'] : [];
  return [...new Set([...summary, ...counts, ...due.slice(0, 1), ...owner])];
}
