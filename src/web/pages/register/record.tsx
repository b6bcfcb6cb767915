/** @jsxRuntime automatic @jsxImportSource preact */
import { idPrefix } from '../../../commands/engine/ids.ts';
import { notFound } from '../../../http/http-errors.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/field.ts';
import { codeWords } from '../../../reports/formats/report-text.ts';
import { ExactTime } from '../../components/components.tsx';
import { FieldContent, type RecordRow } from '../../register/field-content.tsx';
import { numberField, titleFieldOf } from '../../register/list-columns.ts';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

/** A record with what it is linked with and, for readers of the past, its history. */
interface RecordWithParts extends RecordRow {
  links?: { records: readonly LinkedRecord[]; total: number };
  evidence?: { records: readonly RecordRow[]; total: number };
  history?: { changes: readonly RecordChange[]; truncated?: true };
}

interface LinkedRecord {
  id: string;
  type: string;
  name: string;
}

/** A change as queries return it. */
interface RecordChange {
  position: string;
  event_type: string;
  recorded_at: string;
  actor: { name: string };
  client: string | null;
  reason: string | null;
  changes: readonly { field: string; from: unknown; to: unknown }[];
}

/** A page for each record: its facts, links and history at a moment. */
export const recordPages = (context: RegisterCollaborators): Route[] =>
  FAMILY_DESCRIPTIONS.map((family) =>
    get(`/organizations/:id/${family.plural}/:record`, async (request) => {
      const view = await openRegister(context, request);
      const id = request.params.record!;
      // Only well-formed ids of this family reach the query.
      const record = idPrefix(id) === family.prefix ? await readRecord(context, view, id) : null;
      if (record === null) throw notFound('There is no such record here.');
      return recordPage(family, view, record);
    }),
  );

async function readRecord(
  { reader }: RegisterCollaborators,
  view: RegisterView,
  id: string,
): Promise<RecordWithParts | null> {
  const include = ['LINKS', 'EVIDENCE', 'ARCHIVED', ...(view.readsPast ? ['HISTORY'] : [])];
  const input = { ids: [id], organization_id: view.organization.id, include, ...asOfInput(view) };
  const { records } = (await getRecords(reader, view.caller, input)) as { records: RecordWithParts[] };
  return records[0] ?? null;
}

function recordPage(family: FamilyDescription, view: RegisterView, record: RecordWithParts): WebPage {
  const number = numberField(family);
  const title = [number === null ? null : record[number], record[titleFieldOf(family)]].filter(Boolean).join(' ');
  return {
    title,
    section: `/organizations/${view.organization.id}/${family.plural}`,
    organization: view.organization,
    moment: view,
    heading: (
      <>
        <p class="sub crumbs">
          <a href={registerAddress(view, `/${family.plural}`)}>{familyHeading(family)}</a>
        </p>
        <h1>{title}</h1>
      </>
    ),
    body: (
      <div class="record">
        <div>
          <FactsCard family={family} record={record} />
          <LinksCard view={view} record={record} />
        </div>
        {record.history !== undefined && <HistoryCard changes={record.history.changes} />}
      </div>
    ),
  };
}

function FactsCard({ family, record }: { family: FamilyDescription; record: RecordWithParts }) {
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {Object.entries(family.fields).map(([name, field]) => (
          <>
            <dt>{field.label}</dt>
            <dd>
              <FieldContent name={name} field={field} row={record} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function LinksCard({ view, record }: { view: RegisterView; record: RecordWithParts }) {
  const linked = record.links?.records ?? [];
  if (linked.length === 0) return null;
  return (
    <section class="card">
      <h2>Linked records</h2>
      <ul class="plain">
        {linked.map(({ id, type, name }) => {
          const { plural } = FAMILY_DESCRIPTIONS.find((family) => family.type === type)!;
          return (
            <li key={id}>
              <a href={registerAddress(view, `/${plural}/${id}`)}>{name}</a> <small>{codeWords(type)}</small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function HistoryCard({ changes }: { changes: readonly RecordChange[] }) {
  return (
    <section class="card">
      <h2>History</h2>
      <ol class="timeline">
        {changes.map(({ position, event_type, recorded_at, actor, client, reason }) => (
          <li key={position} id={`change-${position}`}>
            <b>{codeWords(event_type)}</b>
            {reason !== null && <q>{reason}</q>}
            <small>
              by {actor.name}
              {client !== null && `, with ${client}`} · <ExactTime at={recorded_at} />
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}
