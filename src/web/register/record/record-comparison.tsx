import type { ComponentChildren } from 'preact';
import type { ChangesSince } from '../../../queries/records/changes-since.ts';
import type { LinkedSummary, RecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Field } from '../../../register/field.ts';
import { MomentTime, Table, type TableHeading } from '../../components/components.tsx';
import type { Choice } from '../../components/fields.tsx';
import { momentText } from '../../texts/dates.ts';
import { FieldContent } from '../field-content.tsx';
import type { RegisterView } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import { byNumber, EvidenceList, LinkedList } from './record-links.tsx';

/** A longer list of linked records shows only those that differ. */
const MAX_UNCHANGED_LISTED = 20;

/** A record at one moment, under the words for the moment. Null before it was added. */
interface RecordThen {
  heading: Choice;
  details: RecordDetails | null;
}

interface RecordComparisonProps {
  family: FamilyDescription;
  view: RegisterView;
  before: RecordThen;
  after: RecordThen;
  /** The differences. Null if the record is there at one moment only. */
  changes: ChangesSince | null;
}

/** A fact at both moments. */
interface FactRow {
  key: string;
  label: string;
  isChanged: boolean;
  contentOf: (details: RecordDetails) => ComponentChildren;
}

/** The whole record at two moments, a fact a line. Facts that differ are marked by a word and a colour. */
export function RecordComparison(props: RecordComparisonProps) {
  const { before, after } = props;
  const sides = [before.details, after.details];
  const rows = [...fieldRows(props), ...FAMILY_DESCRIPTIONS.flatMap((family) => linkRow(props, family))];
  return (
    <div class="beside">
      <Table
        caption="The record before and after"
        head={['Fact', headingOf('Before', before.heading), headingOf('After', after.heading)]}
        rows={rows.map(({ key, label, isChanged, contentOf }) => ({
          key,
          cells: [
            <>
              {label} {isChanged && <small class="changed">changed</small>}
            </>,
            ...sides.map((details) => details !== null && contentOf(details)),
          ],
        }))}
      />
    </div>
  );
}

/** Returns a moment as a heading. Its time is shown in the reader's zone. A phone shows its side at each fact instead. */
function headingOf(text: 'Before' | 'After', { label, at }: Choice): TableHeading {
  if (at === undefined) return { text, content: label };
  const [before, after] = label.split(momentText(at));
  return { text, content: [before, <MomentTime key="at" at={at} />, after] };
}

const FAMILY_HEADINGS = new Set(FAMILY_DESCRIPTIONS.map(familyHeading));

/** Returns the fields with a value at one of the moments, in the family's order. */
function fieldRows({ family, before, after }: RecordComparisonProps): FactRow[] {
  return Object.entries(family.fields).flatMap(([name, field]) => {
    const [from, to] = [before, after].map(({ details }) => details?.record[name] ?? null);
    if (!isFact(field) || [from, to].every((value) => value === null || value === '' || value === false)) return [];
    const contentOf = ({ record, names }: RecordDetails) => (
      <FieldContent name={name} field={field} row={record} nameOf={(id) => names.of(id)} />
    );
    return [{ key: name, label: field.label, isChanged: JSON.stringify(from) !== JSON.stringify(to), contentOf }];
  });
}

/** Returns false for ids and digests, which say nothing to a reader, and for the length of a list that is shown. */
function isFact({ kind, label }: Field): boolean {
  const isLength = kind === 'count' || kind === 'validCount';
  return kind !== 'ids' && kind !== 'id' && kind !== 'sha256' && !(isLength && FAMILY_HEADINGS.has(label));
}

/** Returns the linked records of a family. No row if there are none at both moments. */
function linkRow({ view, before, after, changes }: RecordComparisonProps, family: FamilyDescription): FactRow[] {
  const differing = changes?.linked.filter(({ type }) => type === family.type) ?? [];
  const isAnyLinked = [before, after].some(({ details }) => details !== null && linksTo(details, family).total > 0);
  if (!isAnyLinked) return [];
  const ids = new Set(differing.map(({ record }) => record.id));
  const contentOf = (details: RecordDetails) => {
    const { records, total } = linksTo(details, family);
    const listed = records.length > MAX_UNCHANGED_LISTED ? records.filter(({ id }) => ids.has(id)) : records;
    return (
      <>
        {family.type === 'EVIDENCE' ? (
          <EvidenceList view={view} records={listed} />
        ) : (
          <LinkedList view={view} family={family} records={listed} />
        )}
        {total > listed.length && (
          <small>
            {total - listed.length} {listed.length > 0 && 'others'} are not listed here.
          </small>
        )}
      </>
    );
  };
  return [{ key: family.plural, label: familyHeading(family), isChanged: changes === null || ids.size > 0, contentOf }];
}

function linksTo({ record, linked }: RecordDetails, { type }: FamilyDescription) {
  if (type === 'EVIDENCE') return record.evidence as unknown as { records: readonly LinkedSummary[]; total: number };
  const records = linked.records.filter((other) => other.type === type).toSorted(byNumber);
  return { records, total: linked.totals.get(type) ?? 0 };
}
