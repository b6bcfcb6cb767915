import { filterTexts } from '../../../addresses/page-addresses.ts';
import { hasRelations } from '../../../register/families.ts';
import type { FamilyDescription, KeyFilter } from '../../../register/family-description.ts';
import type { Field } from '../../../register/field.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import { RELATIONS } from '../../../register/link.ts';
import { codeWords } from '../../../texts/words.ts';
import type { Choice } from '../../components/fields.tsx';
import { dayText } from '../../texts/dates.ts';
import { enumText } from '../field-content.tsx';

/** The input for a filter's value. `FIXED`: an address can set it, but the form only keeps it. */
type FilterControl =
  | { kind: 'choices'; choices: readonly Choice[]; isSingle?: true }
  | { kind: 'date' | 'score' | 'rating' | 'boolean' | 'text' | 'FIXED' };

/** A filter of a family's list, as its page offers it. */
export interface ListFilter {
  name: string;
  label: string;
  control: FilterControl;
}

const fixed = (name: string, label: string): ListFilter => ({ name, label, control: { kind: 'FIXED' } });

/**
 * Returns a family's filters, its own first.
 * @param members the people who can own its records
 * @param frameworks choices for filters by framework; without any, only an address sets these
 */
export function listFilters(
  family: FamilyDescription,
  members: readonly Choice[],
  frameworks: readonly Choice[],
): ListFilter[] {
  const { fields, filters = {}, missing } = family;
  const ownFields = Object.entries(fields).filter(([, { filter }]) => filter !== undefined);
  const owners = [{ value: 'ME', label: 'Me' }, ...members];
  return [
    ...ownFields.map(([name, field]) => ({
      name,
      label: field.kind === 'id' ? codeWords(name.replace(/_id$/, '')) : field.label,
      control: fieldControl(field, frameworks),
    })),
    ...('owner_id' in fields ? [choiceFilter('owner_id', 'Owner', owners)] : []),
    ...(hasRelations(family)
      ? [
          { name: 'linked_framework_id', label: 'Linked with framework', control: frameworkControl(frameworks) },
          choiceFilter('relation', 'Relation', RELATIONS.map(codeChoice)),
        ]
      : []),
    ...(missing.length === 0 ? [] : [choiceFilter('missing', 'Missing', missing.map(codeChoice))]),
    ...Object.entries(filters).map(([name, { kind, label }]) => ({
      name,
      label: label ?? codeWords(name),
      control: keyControl(kind),
    })),
    { name: 'updated_since', label: 'Updated since', control: { kind: 'date' } },
    { name: 'include_archived', label: 'Archived too', control: { kind: 'boolean' } },
    fixed('linked_to', 'Linked with'),
    fixed('ids', 'Chosen records'),
  ];
}

const codeChoice = (value: string): Choice => ({ value, label: codeWords(value) });

function choiceFilter(name: string, label: string, choices: readonly Choice[]): ListFilter {
  return { name, label, control: { kind: 'choices', choices } };
}

/** Returns true for a filter of a family by framework. */
export function hasFrameworkFilter({ fields }: FamilyDescription): boolean {
  return Object.values(fields).some((field) => field.filter !== undefined && isFrameworkId(field));
}

const isFrameworkId = (field: Field): boolean => field.kind === 'id' && field.prefix === FRAMEWORK.prefix;

function fieldControl(field: Field, frameworks: readonly Choice[]): FilterControl {
  switch (field.kind) {
    case 'enum':
      return {
        kind: 'choices',
        choices: field.values.map((value) => ({ value, label: enumText(field, value) })),
      };
    case 'boolean':
    case 'past':
      return { kind: 'boolean' };
    case 'id':
      return isFrameworkId(field) ? frameworkControl(frameworks) : { kind: 'FIXED' };
    default:
      return { kind: 'text' };
  }
}

const frameworkControl = (frameworks: readonly Choice[]): FilterControl =>
  frameworks.length > 0 ? { kind: 'choices', choices: frameworks } : { kind: 'FIXED' };

function keyControl(kind: KeyFilter['kind']): FilterControl {
  return { kind: kind === 'time' ? 'date' : kind };
}

/** Returns a set filter in words, such as `Status: Open, Accepted`. @param names names of records by id */
export function filterSentence(
  { label, control }: ListFilter,
  value: unknown,
  names: ReadonlyMap<string, string>,
): string {
  const texts = filterTexts(value);
  switch (control.kind) {
    case 'boolean':
      return value === true ? label : `Not ${label.toLowerCase()}`;
    case 'choices':
      return `${label}: ${texts.map((text) => control.choices.find((choice) => choice.value === text)?.label ?? text).join(', ')}`;
    case 'date':
      return `${label} ${dayText(texts[0]!)}`;
    case 'score':
    case 'rating':
      return `${label} ${texts[0]}`;
    case 'text':
      return `${label}: ${texts.join(', ')}`;
    case 'FIXED':
      return `${label}: ${texts.map((text) => names.get(text) ?? text).join(', ')}`;
  }
}
