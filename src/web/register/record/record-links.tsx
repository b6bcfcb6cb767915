import type { LinkedSummary, RecordDetails } from '../../../queries/records/record-details.ts';
import { CONTROL } from '../../../register/control.ts';
import { FAMILY_DESCRIPTIONS, linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { relationLabel } from '../../../register/link.ts';
import { MEASURE } from '../../../register/measure.ts';
import { LongDay } from '../../components/components.tsx';
import { countText } from '../../texts/counts.ts';
import { ExpiredChip, type RecordRow, StateChip } from '../field-content.tsx';
import { sectionText, sectionTitle } from '../list/control-groups.tsx';
import { sectionsOf } from '../list/read-control-groups.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import { numberedName } from './numbered-name.ts';
import { States } from './record-heading.tsx';

/** A record's linked records with their states: a card for each family. */
export function RecordLinks(props: {
  view: RegisterView;
  family: FamilyDescription;
  linked: RecordDetails['linked'];
  /** The form that links another record; null if the reader can't. */
  linkAddress: string | null;
}) {
  const { view, family: own, linked, linkAddress } = props;
  const linkable = linkablePrefixes(own.prefix);
  return (
    <>
      {FAMILY_DESCRIPTIONS.map((family) => (
        <LinkedCard
          key={family.type}
          view={view}
          family={family}
          records={linked.records.filter(({ type }) => type === family.type).toSorted(byNumber)}
          total={linked.totals.get(family.type) ?? 0}
          linkAddress={linkable.includes(family.prefix) ? linkAddress : null}
          isExpected={own.type === CONTROL.type && family.type === MEASURE.type}
        />
      ))}
      {linked.total === 0 && linkAddress !== null && (
        <section class="card" aria-labelledby="links">
          <div class="row heading">
            <h2 id="links">Links</h2>
            <AddLink address={linkAddress} text="Link records" />
          </div>
        </section>
      )}
    </>
  );
}

/** Compares numbers by value, so that A.5.2 comes before A.5.10. Records without one keep their order, the newest first. */
export function byNumber(a: LinkedSummary, b: LinkedSummary): number {
  return NATURAL_ORDER.compare(numberOf(a), numberOf(b));
}

const NATURAL_ORDER = new Intl.Collator('en', { numeric: true });

const numberOf = (record: LinkedSummary): string => String(record.section_title ?? record.reference_id ?? '');

interface LinkedCardProps {
  view: RegisterView;
  family: FamilyDescription;
  records: readonly LinkedSummary[];
  /** The number of links; more than `records` if they are cut. */
  total: number;
  linkAddress: string | null;
  /** True for a card that stands there without links too, for whoever may add one. */
  isExpected: boolean;
}

function AddLink({ address, text }: { address: string; text: string }) {
  return (
    <div class="row">
      <a class="button quiet" href={address}>
        {text}
      </a>
    </div>
  );
}

/** More controls than this are folded by section. */
const MAX_UNGROUPED_CONTROLS = 20;

function LinkedCard({ view, family, records, total, linkAddress, isExpected }: LinkedCardProps) {
  if (total === 0 && !(isExpected && linkAddress !== null)) return null;
  const isGrouped = family.type === CONTROL.type && records.length > MAX_UNGROUPED_CONTROLS;
  const sections = isGrouped ? [...sectionsOf(records)] : [];
  return (
    <section class="card" aria-labelledby={`linked-${family.plural}`}>
      <div class="row heading">
        <h2 id={`linked-${family.plural}`}>
          {familyHeading(family)} <LinkCount records={records} total={total} />
        </h2>
        {linkAddress !== null && <AddLink address={linkAddress} text="Link…" />}
      </div>
      {!isGrouped && <LinkedList view={view} family={family} records={records} />}
      {sections.map(([section, controls]) => (
        <details key={section}>
          <summary>
            <span>
              {sectionTitle(section, controls)} <small>{sectionText(controls)}</small>
            </span>
          </summary>
          <LinkedList view={view} family={family} records={controls} />
        </details>
      ))}
      {total > records.length && <p class="sub">The newest {records.length} are listed.</p>}
    </section>
  );
}

/** The number of linked records. If all are listed, archived ones are counted apart. */
function LinkCount({ records, total }: { records: readonly RecordRow[]; total: number }) {
  const archived = total > records.length ? 0 : records.filter(({ archived_at }) => archived_at !== undefined).length;
  return (
    <>
      <span class="number">{countText(total - archived)}</span>
      {archived > 0 && <small> and {archived} archived</small>}
    </>
  );
}

/** Linked records of one family with their states. */
export function LinkedList({ view, family, records }: Pick<LinkedCardProps, 'view' | 'family' | 'records'>) {
  return (
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
            {record.overdue === true && <StateChip tone="danger" text="Overdue" />}
            {record.archived_at !== undefined && <Archived />}
          </span>
        </li>
      ))}
    </ul>
  );
}

const Archived = () => <span class="chip state archived">Archived</span>;

/** A record's evidence, and how long each piece is valid. */
export function RecordEvidence({
  view,
  evidence,
  attachAddress,
}: {
  view: RegisterView;
  evidence: RecordDetails['record']['evidence'];
  /** The form that attaches evidence; null if the reader can't. */
  attachAddress: string | null;
}) {
  const { records, total } = evidence;
  if (total === 0 && attachAddress === null) return null;
  return (
    <section class="card" aria-labelledby="evidence">
      <div class="heading">
        <h2 id="evidence">
          Evidence <LinkCount records={records} total={total} />
        </h2>
        {attachAddress !== null && (
          <div class="row">
            <a class="button quiet" href={attachAddress}>
              Attach evidence
            </a>
          </div>
        )}
      </div>
      <EvidenceList view={view} records={records} />
      {total > records.length && <p class="sub">The newest {records.length} are listed.</p>}
    </section>
  );
}

/** Pieces of evidence, and how long each is valid. */
export function EvidenceList({ view, records }: { view: RegisterView; records: readonly RecordRow[] }) {
  return (
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
  );
}

function Validity({ record }: { record: RecordRow }) {
  const { valid_until, expired } = record;
  if (typeof valid_until !== 'string') return null;
  return expired ? (
    <>
      <ExpiredChip row={record} />
      <small>
        <LongDay at={valid_until} />
      </small>
    </>
  ) : (
    <small>
      valid until <LongDay at={valid_until} />
    </small>
  );
}
