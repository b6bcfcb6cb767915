import type { ReadModel } from '../../projections/read-models/read-model.ts';
import type { FamilyQuery } from '../family-query.ts';

type Document = Record<string, unknown>;

/** Document fields that only projections use. */
const INTERNAL_FIELDS = new Set([
  'position',
  'from_position',
  'related_counts',
  'parked',
  'self_archived_at',
  'controls',
]);

const FIRST_FIELDS = ['id', 'organization_id'];
const LAST_FIELDS = ['owner_id', 'owner', 'created_at', 'updated_at', 'revision', 'archived_at'];
/** Fields that view FULL leaves out, or shows before or after all others. */
const FIELDS_APART = new Set([...INTERNAL_FIELDS, ...FIRST_FIELDS, ...LAST_FIELDS]);

/** The view of documents with the same members. */
interface Form {
  /** The documents' members, in order. */
  members: readonly string[];
  /** The members that the view copies. */
  copied: readonly string[];
  /** Has every member of the view, in order. Setting members of a copy is much faster than adding them one by one. */
  noValues: Document;
}

/** Builds views of whole records. It keeps the form of each family's newest view, because most have the same. */
export class FullViews {
  private readonly forms = new WeakMap<ReadModel, Form>();

  /** @param isTyped begins each view with the record's type */
  constructor(private readonly isTyped: boolean) {}

  /** Returns all fields of a record, with its owner's name and the facts of the day. */
  viewOf(family: FamilyQuery, document: Document, owner: string | null, today: string): Document {
    const dayFacts = family.dayFacts(document, today);
    const { copied, noValues } = this.formOf(family, document, dayFacts);
    const view = { ...noValues };
    if (this.isTyped) view.type = family.type;
    for (const name of copied) view[name] = document[name];
    for (const name in dayFacts) view[name] = dayFacts[name];
    view.owner = owner;
    return view;
  }

  private formOf({ model }: FamilyQuery, document: Document, dayFacts: Document): Form {
    const newest = this.forms.get(model);
    if (newest !== undefined && hasMembers(document, newest.members)) return newest;
    const members = Object.keys(document);
    const own = members.filter((name) => !FIELDS_APART.has(name));
    const type = this.isTyped ? ['type'] : [];
    const names = new Set([...type, ...FIRST_FIELDS, ...own, ...Object.keys(dayFacts), ...LAST_FIELDS]);
    const copied = [...FIRST_FIELDS, ...own, ...LAST_FIELDS.filter((name) => name !== 'owner')];
    // JSON.parse makes objects that are fast to copy.
    const noValues = JSON.parse(`{${[...names].map((name) => `${JSON.stringify(name)}:null`)}}`) as Document;
    const form = { members, copied, noValues };
    this.forms.set(model, form);
    return form;
  }
}

function hasMembers(document: Document, members: readonly string[]): boolean {
  let index = 0;
  for (const name in document) {
    if (name !== members[index]) return false;
    index += 1;
  }
  return index === members.length;
}
