import { addressWith, organizationAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { readSealTimes, type SealTimes } from '../../../queries/proofs/seal-times.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { EVIDENCE } from '../../../register/evidence.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { readNamesInChanges } from '../../register/change-words.tsx';
import { actsOn, EDIT, LINK } from '../../register/forms/acts.ts';
import { BACK } from '../../register/forms/open-form.ts';
import { readRecordTimeBar, type TimeBarContent } from '../../register/moments/read-time-bar.ts';
import { TimeBar } from '../../register/moments/time-bar.tsx';
import {
  asOfInput,
  mayChange,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import {
  type AuditExamination,
  ExaminationCard,
  readAuditExamination,
} from '../../register/record/audit-examination.tsx';
import { missingRecord } from '../../register/record/missing-record.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { type OfferedActs, offeredActs } from '../../register/record/record-acts.tsx';
import { RecordFacts } from '../../register/record/record-facts.tsx';
import { RecordHeading } from '../../register/record/record-heading.tsx';
import { RecordEvidence, RecordLinks } from '../../register/record/record-links.tsx';
import { Timeline } from '../../register/record/timeline.tsx';
import { readUndoOffers, type UndoOffers } from '../../register/undo/undo-offers.ts';
import type { WebContext } from '../../server/context.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

/** A page for each record: its facts, links and history at a moment. */
export const recordPages = (context: RegisterCollaborators & Pick<WebContext, 'baseUrl' | 'tools'>): Route[] =>
  FAMILY_DESCRIPTIONS.map((family) =>
    get(`/organizations/:id/${family.plural}/:record`, async (request) => {
      const view = await openRegister(context, request);
      const id = request.params.record!;
      // Only well-formed ids of this family reach the query.
      const details = idPrefix(id) === family.prefix ? await readDetails(context, view, family, id) : null;
      if (details === null) throw await missingRecord(context, view, family, id);
      const changes = details.record.history.changes;
      const people = await readNamesInChanges(view, changes);
      const sealTimes = await readSealTimes(view.snapshot, view.organization.id, changes);
      const undoOffers = await readUndoOffers(view, changes, id);
      const examination = await readAuditExamination(context, view, details.record);
      const time = await readRecordTimeBar(view, id);
      const today = view.past === null ? null : await readDetails(context, { ...view, past: null }, family, id);
      const acts = actsOn(family, details);
      const offered = offeredActs(view, acts, context.tools.permissionOf);
      return recordPage(family, view, details, { people, sealTimes, undoOffers, examination, time, today, offered });
    }),
  );

function readDetails({ reader }: RegisterCollaborators, view: RegisterView, family: FamilyDescription, id: string) {
  const input = { id, organization_id: view.organization.id, ...asOfInput(view) };
  return readRecordDetails(reader, view.caller, family, input);
}

interface RecordPageParts {
  people: NamesByKey;
  sealTimes: SealTimes;
  undoOffers: UndoOffers;
  /** Null for records of other families than audits. */
  examination: AuditExamination | null;
  /** Null for a record without changes at the moment shown. */
  time: TimeBarContent | null;
  /** The record today, for a page of the past. Null for a page of today. */
  today: RecordDetails | null;
  offered: OfferedActs;
}

/** Returns the button at the facts. Of frameworks and evidence only the owner changes. @param id null for a record that can't change */
function editButton(
  { plural, fields, tools }: FamilyDescription,
  view: RegisterView,
  { acts }: OfferedActs,
  id: string | null,
) {
  if (acts.some(({ name }) => name === EDIT)) return { text: 'Edit', href: `${view.path}/${EDIT}` };
  if (id === null || tools.update !== undefined || !('owner_id' in fields)) return null;
  const parameters = { act: 'owner', ids: id, [BACK]: view.path };
  return { text: 'Assign owner', href: organizationAddress(view.organization.id, `/${plural}/many`, parameters) };
}

function recordPage(
  family: FamilyDescription & { type: FamilyName },
  view: RegisterView,
  details: RecordDetails,
  { people, sealTimes, undoOffers, examination, time, today, offered }: RecordPageParts,
): WebPage {
  const { record, linked, names } = details;
  const title = numberedName({ reference_id: record.reference_id, name: details.name });
  const linkAddress = offered.acts.some(({ name }) => name === LINK) ? `${view.path}/${LINK}` : null;
  const isWritable = typeof record.archived_at !== 'string' && mayChange(view, 'changeRecords');
  const nameOf = (id: string) => names.of(id, view.past?.time);
  return {
    title,
    section: organizationAddress(view.organization.id, `/${family.plural}`),
    organization: view.organization,
    moment: view,
    comparison: addressWith(`${view.path}/revisions`, { from: view.past?.asOf }),
    heading: (
      <RecordHeading family={family} view={view} details={details} title={title} today={today} offered={offered} />
    ),
    body: (
      <>
        {time !== null && <TimeBar view={view} content={time} />}
        <div class="columns record">
          <div>
            <RecordFacts
              family={family}
              details={details}
              nameOf={nameOf}
              addressOf={(id) => registerAddress(view, `/${family.plural}/${id}`)}
              edit={editButton(family, view, offered, isWritable ? String(record.id) : null)}
            />
            {/* An audit is linked with its framework and its findings only. */}
            {examination === null ? (
              <RecordLinks view={view} family={family} linked={linked} linkAddress={linkAddress} />
            ) : (
              <ExaminationCard view={view} examination={examination} />
            )}
            <RecordEvidence
              view={view}
              evidence={record.evidence}
              attachAddress={
                isWritable && family.type !== EVIDENCE.type
                  ? organizationAddress(view.organization.id, `/${EVIDENCE.plural}/add`, {
                      record_ids: String(record.id),
                      [BACK]: view.path,
                    })
                  : null
              }
            />
          </div>
          <Timeline
            view={view}
            id={String(record.id)}
            history={record.history}
            people={people}
            sealTimes={sealTimes}
            undoOffers={undoOffers}
          />
        </div>
      </>
    ),
  };
}
