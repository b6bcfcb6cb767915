import { familyOfType } from '../../register/families.ts';
import type { Field } from '../../register/field.ts';
import { codeWords } from '../../texts/words.ts';

/** A change as read models store it and as browsers rebuild it: the fields that pages show. */
export interface ChangeOnPage {
  event_type: string;
  record: { id: string; type: string; name: string };
  linked?: { id: string; type: string; name: string };
  recorded_at: string;
  effective_at: string | null;
  actor_id: string;
  client: { name: string; version: string } | null;
  reason: string | null;
  changes: readonly { field: string; from: unknown; to: unknown }[];
}

/** A part of a change as text. Pages show it, and browsers make it again from the event to compare. */
export interface ChangeText {
  /** The part's name in the page, such as `reason` or `changes.status.to`. */
  name: string;
  text: string;
}

/** Returns the parts of a change in a fixed order. Server and browser use this one function, so equal changes have equal texts. */
export function changeTexts(change: ChangeOnPage): ChangeText[] {
  const { event_type, record, recorded_at, effective_at, actor_id, client, reason } = change;
  return [
    { name: 'what', text: event_type },
    { name: 'record', text: record.id },
    { name: 'name', text: record.name },
    { name: 'who', text: actor_id },
    { name: 'client', text: client === null ? '' : `${client.name} ${client.version}`.trim() },
    { name: 'when', text: recorded_at },
    { name: 'effective', text: effective_at ?? '' },
    { name: 'why', text: reason ?? '' },
    ...change.changes.flatMap(({ field, from, to }) => [
      { name: `changes.${field}.from`, text: valueText(fieldOf(record.type, field), from) },
      { name: `changes.${field}.to`, text: valueText(fieldOf(record.type, field), to) },
    ]),
  ];
}

/** Returns the label of a field that changed. */
export function changeLabel(recordType: string, field: string): string {
  if (field.startsWith('linked.')) return `Linked: ${codeWords(field.slice('linked.'.length))}`;
  const [member = '', id] = field.split('.');
  return fieldOf(recordType, field)?.label ?? codeWords(member.replace(id === undefined ? /_at$/ : /s$/, ''));
}

function fieldOf(recordType: string, field: string): Field | undefined {
  return familyOfType(recordType)?.fields[field];
}

/** Returns a value as text: an enum by its label, an object by its members. */
function valueText(field: Field | undefined, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (field?.kind === 'enum') return field.labels?.[String(value)] ?? codeWords(String(value));
  if (field?.kind === 'object') {
    const members = Object.entries(field.fields).filter(([name]) => (value as Record<string, unknown>)[name] != null);
    return members
      .map(([name, member]) => `${member.label}: ${valueText(member, (value as Record<string, unknown>)[name])}`)
      .join('; ');
  }
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
