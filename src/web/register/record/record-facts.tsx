import type { FieldAuthor } from '../../../queries/records/field-authors.ts';
import type { RecordDetails } from '../../../queries/records/record-details.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { type Field, hasTimedState } from '../../../register/field.ts';
import { ExactTime } from '../../components/components.tsx';
import { throughText } from '../../server/call-tool.ts';
import { isStateField } from '../displayed-state.ts';
import { FieldContent, type NameOf, type RecordRow } from '../field-content.tsx';
import { numberField, titleFieldOf } from '../naming-fields.ts';

type NamedField = readonly [name: string, field: Field];

/** A group of facts, by what their fields are about. Objects, such as an acceptance, are groups of their own. */
type FactGroup = 'About' | 'Assessment' | 'Dates' | 'People';

const GROUPS: readonly FactGroup[] = ['About', 'Assessment', 'Dates', 'People'];

/** A record's fields in groups. Empty fields are folded away, except for an unknown time of a state. */
export function RecordFacts(props: {
  family: FamilyDescription;
  details: RecordDetails;
  nameOf: NameOf;
  /** Returns the page of another record of the family. */
  addressOf: (id: string) => string;
  /** The button of the form that corrects the facts; null if the reader can't. */
  edit: { text: string; href: string } | null;
}) {
  const { family, details, nameOf, addressOf, edit } = props;
  const { record, relatives } = details;
  const relativeOf = (id: string) => ({ name: relatives.get(id) ?? id, address: addressOf(id) });
  const facts = Object.entries(family.fields).filter(([name, field]) => isFact(family, name, field));
  // A derived "No" needs no line.
  const fields = facts.filter(([name, { derived }]) => !derived || record[name] !== false);
  const isShown = ([name, field]: NamedField) => !isEmpty(record[name]) || hasTimedState(field, record);
  const filled = fields.filter(isShown);
  const empty = fields.filter((field) => !isShown(field));
  const objects = filled.flatMap(([name, field]) => (field.kind === 'object' ? [{ name, field }] : []));
  return (
    <section class="card" aria-labelledby="facts">
      <div class="heading">
        <h2 id="facts">Facts</h2>
        {edit !== null && (
          <div class="row">
            <a class="button quiet" href={edit.href}>
              {edit.text}
            </a>
          </div>
        )}
      </div>
      {GROUPS.map((group) => (
        <FactList
          key={group}
          title={group}
          fields={filled.filter(([name, field]) => groupOf(name, field) === group)}
          row={record}
          nameOf={nameOf}
          relativeOf={relativeOf}
          authors={record.authors}
        />
      ))}
      {objects.map(({ name, field }) => {
        const row = record[name] as RecordRow;
        const members = Object.entries(field.fields).filter(
          ([member, { kind }]) => !isEmpty(row[member]) && kind !== 'past',
        );
        return <FactList key={name} title={field.label} fields={members} row={row} nameOf={nameOf} />;
      })}
      {empty.length > 0 && (
        <details class="fold">
          <summary>{empty.length === 1 ? '1 empty field' : `${empty.length} empty fields`}</summary>
          <p class="muted">{empty.map(([, { label }]) => label).join(' · ')}</p>
        </details>
      )}
      <Origin fields={filled} record={record} />
    </section>
  );
}

interface FactListProps {
  title: string;
  fields: readonly NamedField[];
  row: RecordRow;
  nameOf: NameOf;
  relativeOf?: (id: string) => { name: string; address: string };
  authors?: RecordDetails['record']['authors'];
}

function FactList({ title, fields, row, nameOf, relativeOf, authors }: FactListProps) {
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts">
        {fields.map(([name, field]) => (
          <>
            <dt>{field.label}</dt>
            <dd
              class={field.kind === 'text' || field.kind === 'longText' ? 'prose' : undefined}
              title={authors?.[name] && authorText(authors[name])}
            >
              {field.kind === 'id' && relativeOf ? (
                <RelativeLink {...relativeOf(String(row[name]))} />
              ) : (
                <FieldContent name={name} field={field} row={row} nameOf={nameOf} />
              )}
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}

/** Says who wrote a field, through what, and in which change. */
function authorText({ actor, client, how, approved_by, position }: FieldAuthor): string {
  const name = actor.kind === 'TOKEN' ? 'a token' : actor.name;
  const through = throughText(name, client);
  const words: Record<FieldAuthor['how'], string> = {
    DIRECT: `Written by ${through}`,
    PROPOSED: `Approved by ${approved_by?.name}, proposed by ${through}`,
    IMPORTED: `Imported by ${through}`,
    UNKNOWN: `Written by ${through}; the history doesn’t say through what`,
  };
  return `${words[how]} · change ${position}`;
}

const RelativeLink = ({ name, address }: { name: string; address: string }) => <a href={address}>{name}</a>;

/** The record's id, digest, revision and dates, in small print. */
function Origin({ fields, record }: { fields: readonly NamedField[]; record: RecordRow }) {
  const digests = fields.filter(([, { kind }]) => kind === 'sha256');
  return (
    <p class="quiet-facts">
      <code>{String(record.id)}</code> · revision {String(record.revision)} · added{' '}
      <ExactTime at={String(record.created_at)} /> · facts last changed <ExactTime at={String(record.updated_at)} />
      {digests.map(([name, { label }]) => (
        <span key={name}>
          {' '}
          · {label} <code>{String(record[name])}</code>
        </span>
      ))}
    </p>
  );
}

/** Returns false for fields that the heading or the lists of linked records show. */
function isFact(family: FamilyDescription, name: string, field: Field): boolean {
  const { kind } = field;
  if (name === numberField(family) || (name === titleFieldOf(family) && kind === 'name')) return false;
  if (kind === 'id') return field.prefix === family.prefix;
  return kind !== 'ids' && kind !== 'past';
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function groupOf(name: string, field: Field): FactGroup | null {
  switch (field.kind) {
    case 'rating':
    case 'score':
    case 'share':
    case 'count':
    case 'validCount':
      return 'Assessment';
    case 'enum':
      return isStateField(name) || field.hasOwnEvent ? 'Assessment' : 'About';
    case 'date':
    case 'time':
    case 'months':
      return 'Dates';
    case 'account':
      return 'People';
    case 'sha256':
    case 'object':
      return null;
    default:
      return 'About';
  }
}
