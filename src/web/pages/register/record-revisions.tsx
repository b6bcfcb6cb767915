/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { endOfPeriod } from '../../../commands/engine/dates.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import { type LinkedSummary, type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/field.ts';
import { relationLabel } from '../../../register/link.ts';
import { codeWords } from '../../../reports/formats/report-text.ts';
import { ExactTime, Table, type TableHeading } from '../../components/components.tsx';
import { type Choice, SelectField } from '../../components/fields.tsx';
import { FieldContent } from '../../register/field-content.tsx';
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
import { refusedInput } from '../../register/refused-input.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { isDay, momentText } from '../../texts/dates.ts';

/** A moment of a record, and the record then. Null if it was not added yet. */
interface Side {
  asOf: string;
  /** Null before the record was added, and for a refused moment. */
  details: RecordDetails | null;
  /** Why the moment can't be read; null if it can. */
  refusal: string | null;
}

const LINKS_NOT_COMPARED = 'Links and evidence were not compared, because the record has too many of them.';

/** The form's labels of its moments. */
const LABELS = { from: 'From', to: 'To' };

/** A page for each record: two moments of it side by side, such as before and after a change. `from` and `to` take what `as_of` takes. */
export const recordRevisionPages = (context: RegisterCollaborators): Route[] =>
  FAMILY_DESCRIPTIONS.map((family) =>
    get(`/organizations/:id/${family.plural}/:record/revisions`, async (request) => {
      const view = await openRegister(context, request);
      const id = request.params.record!;
      const read = (as_of: string | undefined) =>
        readRecordDetails(context.reader, view.caller, family, { id, organization_id: view.organization.id, as_of });
      const shown = idPrefix(id) === family.prefix ? await read(asOfInput(view).as_of) : null;
      if (shown === null) throw await missingRecord(context, view, family, id);
      const { changes } = shown.record.history;
      const sideAt = async (asOf: string, label: string): Promise<Side> => {
        try {
          return { asOf, details: await read(asOf), refusal: null };
        } catch (thrown) {
          const refusal = refusedInput(thrown, { as_of: label });
          if (refusal === null) throw thrown;
          return { asOf, details: null, refusal };
        }
      };
      const to = view.query.get('to') || changes[0]!.position;
      const from = view.query.get('from') || momentBefore(to, changes);
      const sides = { from: await sideAt(from, LABELS.from), to: await sideAt(to, LABELS.to) };
      return revisionsPage({ family, view, shown, changes, ...sides });
    }),
  );

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
  const { family, view, shown, changes, from, to } = content;
  const { record, name } = shown;
  const title = numberedName({ reference_id: record.reference_id, name });
  const refusal = from.refusal ?? to.refusal;
  return {
    title: `Revisions of ${title}`,
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
        <h1>Revisions</h1>
      </header>
    ),
    body: (
      <>
        {refusal !== null && (
          <p class="notice warning" role="alert">
            {refusal}
          </p>
        )}
        <form method="get" action={view.path} class="inline filters" aria-label="Revisions">
          {view.past !== null && <input type="hidden" name="as_of" value={view.past.asOf} />}
          <RevisionField name="from" label={LABELS.from} asOf={from.asOf} view={view} changes={changes} />
          <RevisionField name="to" label={LABELS.to} asOf={to.asOf} view={view} changes={changes} />
          <button type="submit">Compare</button>
        </form>
        {refusal === null && <Differences {...content} />}
      </>
    ),
  };
}

function RevisionField(
  props: { name: string; label: string; asOf: string } & Pick<RevisionsPageContent, 'view' | 'changes'>,
) {
  const { name, label, asOf, view, changes } = props;
  const choices = changes.map(
    ({ position, event_type, recorded_at }): Choice => ({
      value: position,
      label: `${codeWords(event_type)}, ${momentText(recorded_at)} (change ${position})`,
      at: recorded_at,
    }),
  );
  const isListed = choices.some(({ value }) => value === asOf);
  const allChoices = isListed
    ? choices
    : [{ value: asOf, label: momentWords(asOf, view.audits), at: timeOf(asOf) }, ...choices];
  return <SelectField form={BLANK_FORM} name={name} label={label} choices={allChoices} value={asOf} />;
}

/** The fields and links that differ between two moments, one a row. */
function Differences(content: RevisionsPageContent) {
  const { family, from, to } = content;
  const names = Object.keys(family.fields).filter((name) => valueJson(from, name) !== valueJson(to, name));
  const fieldRows = names.map((name) => ({
    key: name,
    cells: [family.fields[name]!.label, valueCell(family, from, name), valueCell(family, to, name)],
  }));
  const links = linkRows(from, to);
  const rows = [...fieldRows, ...(links ?? [])];
  const head = ['Field', sideHeading(from, content), sideHeading(to, content)];
  const fields = links === null ? 'No field differs' : 'Nothing differs';
  return (
    <>
      {rows.length === 0 && <p>{fields} between these revisions.</p>}
      {rows.length > 0 && <Table caption="Differences" head={head} rows={rows} />}
      {links === null && <p class="muted">{LINKS_NOT_COMPARED}</p>}
    </>
  );
}

function valueJson({ details }: Side, name: string): string {
  return JSON.stringify(details?.record[name] ?? null);
}

function valueCell(family: FamilyDescription, { details }: Side, name: string): ComponentChildren {
  if (details === null) return null;
  const { record, names } = details;
  return <FieldContent name={name} field={family.fields[name]!} row={record} nameOf={(id) => names.of(id)} />;
}

/**
 * Returns a side's heading: the chosen change and its time, such as `After “Records linked”, 22 Oct 2026, 10:03 UTC (change
 * 412)`. The record's own revision would not do, because links don't raise it.
 */
function sideHeading({ asOf, details }: Side, { changes, view }: RevisionsPageContent): TableHeading {
  const change = changes.find(({ position }) => position === asOf);
  if (change !== undefined) {
    const { event_type, recorded_at } = change;
    const [before, after] = [`After “${codeWords(event_type)}”,`, ` (change ${asOf})`];
    return {
      text: `${before} ${momentText(recorded_at)}${after}`,
      content: [before, <br key="line" />, <ExactTime key="at" at={recorded_at} />, after],
    };
  }
  const moment = momentWords(asOf, view.audits);
  return details === null ? `${moment}: not added yet` : moment;
}

/** Returns the point in time of a moment that is one; undefined for a day, a position and an audit. */
function timeOf(asOf: string): string | undefined {
  return isDay(asOf) ? undefined : (endOfPeriod(asOf) ?? undefined);
}

/** Returns a moment that is none of the record's changes in words. */
function momentWords(asOf: string, audits: RegisterView['audits']): string {
  if (/^\d+$/.test(asOf)) return `After change ${asOf}`;
  const end = endOfPeriod(asOf);
  if (end !== null) return `As of ${momentText(isDay(asOf) ? asOf : end)}`;
  const audit = audits.find(({ id }) => id === asOf);
  return audit === undefined ? asOf : `${audit.name}, as completed`;
}

/**
 * Returns the records that are linked at only one of the moments, or by another relation. Null if a record has more links
 * than are read.
 */
function linkRows(from: Side, to: Side) {
  const [before, after] = [linksOf(from), linksOf(to)];
  if (before === null || after === null) return null;
  const isIn = (links: readonly SideLink[]) => (link: SideLink) =>
    links.some(({ id, relation }) => id === link.id && relation === link.relation);
  const onlyBefore = before.filter((link) => !isIn(after)(link));
  const onlyAfter = after.filter((link) => !isIn(before)(link));
  return [
    ...onlyBefore.map((link) => ({ key: `${link.id} before`, cells: [linkWords(link), link.name, ''] })),
    ...onlyAfter.map((link) => ({ key: `${link.id} after`, cells: [linkWords(link), '', link.name] })),
  ];
}

type SideLink = Pick<LinkedSummary, 'id' | 'name' | 'relation'>;

const linkWords = ({ relation }: SideLink): string => relationLabel(relation) ?? 'Linked with';

function linksOf({ details }: Side): SideLink[] | null {
  if (details === null) return [];
  const { linked, record } = details;
  const { evidence } = record;
  if (linked.total > linked.records.length || evidence.total > evidence.records.length) return null;
  const pieces = evidence.records.map(({ id, name }) => ({ id: String(id), name: String(name) }));
  return [...linked.records.map((other) => ({ ...other, name: numberedName(other) })), ...pieces];
}
