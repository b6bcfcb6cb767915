/** @jsxRuntime automatic @jsxImportSource preact */
import type { LinkedSummary, RecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/field.ts';
import { relationLabel } from '../../../register/link.ts';
import { LongDay } from '../../components/components.tsx';
import { type RecordRow, StateChip } from '../field-content.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import { numberedName } from './numbered-name.ts';
import { States } from './record-heading.tsx';

/** A record's linked records with their states: a card for each family. */
export function RecordLinks({ view, linked }: { view: RegisterView; linked: RecordDetails['linked'] }) {
  const { records, total } = linked;
  return (
    <>
      {FAMILY_DESCRIPTIONS.map((family) => (
        <LinkedCard
          key={family.type}
          view={view}
          family={family}
          records={records.filter(({ type }) => type === family.type)}
        />
      ))}
      {total > records.length && (
        <p class="sub">
          The newest {records.length} of {total} links are listed.
        </p>
      )}
    </>
  );
}

function LinkedCard(props: { view: RegisterView; family: FamilyDescription; records: readonly LinkedSummary[] }) {
  const { view, family, records } = props;
  if (records.length === 0) return null;
  return (
    <section class="card" aria-labelledby={`linked-${family.plural}`}>
      <h2 id={`linked-${family.plural}`}>
        {familyHeading(family)} <span class="number">{records.length}</span>
      </h2>
      <ul class="plain linked">
        {records.map((record) => (
          <li key={record.id}>
            <span>
              {record.relation !== undefined && <span class="muted">{relationLabel(record.relation)} </span>}
              <a href={registerAddress(view, `/${family.plural}/${record.id}`)}>{numberedName(record)}</a>
              {record.framework !== undefined && <small> ({record.framework})</small>}
            </span>
            <span class="states">
              <States family={family} record={record} />
              {record.archived_at !== undefined && <Archived />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const Archived = () => <span class="chip state archived">Archived</span>;

/** A record's evidence, and how long each piece is valid. */
export function RecordEvidence({
  view,
  evidence,
}: {
  view: RegisterView;
  evidence: RecordDetails['record']['evidence'];
}) {
  const { records, total } = evidence;
  if (total === 0) return null;
  return (
    <section class="card" aria-labelledby="evidence">
      <h2 id="evidence">
        Evidence <span class="number">{total}</span>
      </h2>
      <ul class="plain linked">
        {records.map((record) => (
          <li key={String(record.id)}>
            <a href={registerAddress(view, `/evidence/${record.id}`)}>{String(record.name)}</a>
            <span class="states">
              <Validity record={record} />
              {record.archived_at !== undefined && <Archived />}
            </span>
          </li>
        ))}
      </ul>
      {total > records.length && <p class="sub">The newest {records.length} are listed.</p>}
    </section>
  );
}

function Validity({ record: { valid_until, expired } }: { record: RecordRow }) {
  if (typeof valid_until !== 'string') return null;
  return expired ? (
    <>
      <StateChip tone="danger" text="Expired" />
      <small>
        <LongDay at={valid_until} />
      </small>
    </>
  ) : (
    <small>
      valid to <LongDay at={valid_until} />
    </small>
  );
}
