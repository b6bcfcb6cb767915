import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { notFound } from '../../../http/http-errors.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import { type ChangesSince, changesSince } from '../../../queries/records/changes-since.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Choice } from '../../components/fields.tsx';
import { MomentSelect, momentChoice, sentMoment } from '../../register/moments/moment-select.tsx';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { missingRecord } from '../../register/record/missing-record.tsx';
import { numberedName } from '../../register/record/numbered-name.ts';
import { RecordComparison } from '../../register/record/record-comparison.tsx';
import { differencePhrases } from '../../register/record/since-then.ts';
import { refusedInput } from '../../register/refused-input.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { momentText } from '../../texts/dates.ts';
import { changeText } from '../../texts/event-words.ts';

/** A moment of a record, and the record then. */
interface Side {
  /** As `as_of` takes it; empty for the page's own moment. */
  asOf: string;
  /** Null before the record was added, and for a refused moment. */
  details: RecordDetails | null;
  /** Why the moment can't be read; null if it can. */
  refusal: string | null;
}

const LINKS_CUT = 'The record has more links than are read here, so not all were compared.';

const LABELS = { from: 'From', to: 'Until' };

/** A page for each record: the record at two moments side by side, such as before and after a change, or then and now. */
export const recordRevisionPages = (context: RegisterCollaborators): Route[] =>
  FAMILY_DESCRIPTIONS.map((family) =>
    get(`/organizations/:id/${family.plural}/:record/revisions`, async (request) => {
      const view = await openRegister(context, request);
      const id = request.params.record!;
      const read = (as_of: string | undefined) =>
        readRecordDetails(context.reader, view.caller, family, { id, organization_id: view.organization.id, as_of });
      const shown = idPrefix(id) === family.prefix ? await read(asOfInput(view).as_of) : null;
      if (shown === null) throw await missingRecord(context, view, family, id);
      const changes = shown.record.history?.changes ?? [];
      // Without permission to read history there is none, and so no page.
      if (changes[0] === undefined) throw notFound('There is no such record here.');
      const sideAt = async (asOf: string, label: string): Promise<Side> => {
        if (asOf === '') return { asOf, details: shown, refusal: null };
        try {
          return { asOf, details: await read(asOf), refusal: null };
        } catch (thrown) {
          const refusal = refusedInput(thrown, { as_of: label });
          if (refusal === null) throw thrown;
          return { asOf, details: null, refusal };
        }
      };
      const to = sentMoment(view.query, 'to');
      const from = sentMoment(view.query, 'from') || momentBefore(to || newestFieldChange(changes).position, changes);
      const sides = { from: await sideAt(from, LABELS.from), to: await sideAt(to, LABELS.to) };
      return revisionsPage({ family, view, shown, changes, ...sides });
    }),
  );

/** Returns the newest change of the record's own fields, or else of its links. */
function newestFieldChange(changes: readonly ListedChange[]): ListedChange {
  return changes.find(({ linked, changes: fields }) => linked === undefined && fields.length > 0) ?? changes[0]!;
}

/** Returns the record's change before a position. Before its first change, that is the position before. */
function momentBefore(to: string, changes: readonly ListedChange[]): string {
  const position = Number(to);
  const earlier = changes.find((change) => Number(change.position) < position) ?? null;
  if (earlier !== null) return earlier.position;
  return Number.isSafeInteger(position) ? String(position - 1) : changes.at(-1)!.position;
}

interface RevisionsPageContent {
  family: FamilyDescription;
  view: RegisterView;
  /** The record at the page's moment. */
  shown: RecordDetails;
  changes: readonly ListedChange[];
  from: Side;
  to: Side;
}

function revisionsPage(content: RevisionsPageContent): WebPage {
  const { family, view, shown, from, to } = content;
  const { record, name } = shown;
  const title = numberedName({ reference_id: record.reference_id, name });
  const refusal = from.refusal ?? to.refusal;
  const changes =
    from.details === null || to.details === null ? null : changesSince(family.fields, from.details, to.details);
  return {
    title: `Before and after: ${title}`,
    section: organizationAddress(view.organization.id, `/${family.plural}`),
    organization: view.organization,
    moment: view,
    status: refusal === null ? 200 : 400,
    heading: (
      <header class="record-head">
        <p class="sub crumbs">
          <a href={registerAddress(view, `/${family.plural}`)}>{familyHeading(family)}</a> /{' '}
          <a href={registerAddress(view, `/${family.plural}/${record.id}`)}>{title}</a>
        </p>
        <h1>Before and after</h1>
      </header>
    ),
    body: (
      <>
        {refusal !== null && (
          <p class="notice warning" role="alert">
            {refusal}
          </p>
        )}
        {refusal === null && <p class="lead">{differenceText(content, changes)}</p>}
        <details class="moments" open={refusal !== null}>
          <summary>Change the moments</summary>
          <form method="get" action={view.path} class="inline filters" aria-label="Moments">
            {view.past !== null && <input type="hidden" name="as_of" value={view.past.asOf} />}
            <SideField name="from" side={from} content={content} />
            <SideField name="to" side={to} content={content} />
            <button type="submit">Compare</button>
          </form>
        </details>
        {refusal === null && (
          <RecordComparison
            family={family}
            view={view}
            changes={changes}
            before={{ heading: sideHeading(from, content), details: from.details }}
            after={{ heading: sideHeading(to, content), details: to.details }}
          />
        )}
      </>
    ),
  };
}

/** Returns all differences in one sentence. @param changes null if the record is there at one moment at most */
function differenceText({ family, to }: RevisionsPageContent, changes: ChangesSince | null): string {
  if (changes === null) return to.details === null ? 'It was not added yet.' : 'It was added between these moments.';
  const phrases = differencePhrases(family, changes);
  if (phrases.length === 0 && changes.isComplete) return 'Nothing differs between these moments.';
  const text = phrases.length > 0 ? `Changed: ${phrases.join(', ')}.` : 'Nothing that is listed here differs.';
  return changes.isComplete ? text : `${text} ${LINKS_CUT}`;
}

function SideField({ name, side, content }: { name: 'from' | 'to'; side: Side; content: RevisionsPageContent }) {
  const { view, changes } = content;
  const props = { name, label: LABELS[name], value: side.asOf, choice: view, first: changes.map(changeChoice) };
  return <MomentSelect {...props} none={ownMomentText(view)} />;
}

/** Returns a change as a moment. The record's own revision would not do, because links don't raise it. */
const changeChoice = (change: ListedChange): Choice => ({
  value: change.position,
  label: `After: ${changeText(change)}, ${momentText(change.recorded_at)} (change ${change.position})`,
  at: change.recorded_at,
});

const ownMomentText = ({ past }: RegisterView): string => (past === null ? 'Today' : momentText(past.time));

/** Returns a side's heading: the chosen change, such as `After: Linked, …`, or its moment. */
function sideHeading({ asOf, details }: Side, { changes, view }: RevisionsPageContent): Choice {
  if (asOf === '') return { value: asOf, label: ownMomentText(view), at: view.past?.time };
  const change = changes.find(({ position }) => position === asOf);
  const choice = change === undefined ? momentChoice(asOf, view) : changeChoice(change);
  return details === null ? { ...choice, label: `${choice.label}: not added yet` } : choice;
}
