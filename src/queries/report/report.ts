import type { Caller } from '../../commands/caller.ts';
import { Refusal } from '../../commands/refusal.ts';
import { permit } from '../../commands/roles.ts';
import { historyOf } from '../../projections/read-model.ts';
import type { DownloadDetails } from '../access-log-row.ts';
import { verifyBetween } from '../changes-verify.ts';
import { readSigned, writeSigned } from '../cursor.ts';
import { holdingAt, logTimeOf, type PinnedMoment, pinnedMoment } from '../moment.ts';
import { proofOf } from '../proofs.ts';
import { isIncomplete, type Reader } from '../reader.ts';
import type { Verification } from '../verification.ts';
import { Cutter } from './cutter.ts';
import { digestOf } from './digest.ts';
import { requireOwner } from './owner.ts';
import type { AnswerFormat, Format, Head, Page, People } from './page.ts';
import { accountsIn, ReportPeople } from './people.ts';
import { FORMATS } from './render/formats.ts';
import type { Content, Figure, Narrowing, ReportContext, ReportType, Section } from './report-type.ts';
import { NARROWING } from './report-type.ts';
import { REPORTS, type ReportInput, type ReportName } from './types.ts';

const BEFORE = { label: 'Note', value: 'The organization’s history begins later: there was nothing yet.' };

/** What the digest is over, beside the data. */
type Envelope = Omit<Head, 'generated_at' | 'digest' | 'incomplete' | 'proof' | 'pending_seal'>;

/**
 * Where a long report goes on: its moment, the first row that is not told yet, what the first page has worked out (its
 * digest, and how many rows each section has), and the mark of the last row that was told.
 */
type Place = [
  ...[today: string, ordinal: number, row: number, digest: string, counts: readonly number[]],
  mark: string | null,
];

/** What a report is asked for, beside how it is told. */
export type Asked = Omit<ReportInput, 'format' | 'cursor'>;

/** A report as it is drawn: its head, and as much of it as fits. */
interface Drawing {
  head: Head;
  page: Page;
  /** How many rows each section has. */
  counts: readonly number[];
  mark: string | null;
}

/**
 * A report of now or of any moment, or the next page of a long one. It is computed from the read models' history alone,
 * at one position: the same position, day and inputs give the same digest for ever.
 */
export async function getReport(
  reader: Reader,
  caller: Caller,
  input: ReportInput,
  drawn: (report: DownloadDetails) => void,
  progress?: (records: number) => void,
): Promise<object> {
  const { organization_id, type, format: name, cursor, ...narrowing } = input;
  permitReport(caller, input);
  // Bound to the account as well: who goes on with a report is who has drawn it, as the access log says.
  const boundTo = ['getReport', caller.account_id, organization_id, type, name, narrowing];
  const place = cursor === undefined ? null : readSigned<Place>(reader.cursorKey, boundTo, cursor);
  const moment = place ? { today: place[0], ordinal: place[1] } : await momentOfReport(reader, input);
  const context = contextOf(reader, caller, input, moment, progress);
  await requireOwner(context);
  const format = FORMATS[name];
  const { head, page, counts, mark } = await draw(context, caller, type, format, place);
  if (place === null) drawn({ organization_id, type, format: name, position: head.position, ...context.inputs });
  const goesOn: Place = [moment.today, moment.ordinal, page.next ?? 0, head.digest, counts, mark];
  return {
    report: { ...head, ...(await format.write(head, page)) },
    ...(page.next === null ? {} : { next_cursor: writeSigned(reader.cursorKey, boundTo, goesOn) }),
  };
}

/** A report that can be drawn as one file. */
export interface ReportFile {
  /** All that what it says follows from, its inputs, day and position among it; not the names that people have. */
  identity: string;
  /** Names as they stand in it now, by the keys of those that did when it was drawn. */
  names(keys: readonly string[]): Promise<People>;
  /** Its head, what the format makes of all its rows, and whose names stand in it. */
  draw(): Promise<{ head: Head; written: object; people: People }>;
}

/**
 * The same report as one file, however long, once it is known that the caller may have it.
 * @param name what the access log calls the format
 * @param progress told how many records were read so far; what it throws ends the drawing
 */
export async function openReportFile(
  reader: Reader,
  caller: Caller,
  input: Asked,
  { name, format }: { name: string; format: Format },
  drawn: (report: DownloadDetails) => void,
  progress?: (records: number) => void,
): Promise<ReportFile> {
  permitReport(caller, input);
  const { organization_id, type } = input;
  const context = contextOf(reader, caller, input, await momentOfReport(reader, input), progress);
  await requireOwner(context);
  const { moment, inputs } = context;
  return {
    identity: JSON.stringify([organization_id, type, moment, inputs, isIncomplete(reader, organization_id)]),
    names: (keys) => new ReportPeople(context).named(keys),
    async draw() {
      const { head, page } = await draw(context, caller, type, null, null);
      drawn({ organization_id, type, format: name, position: head.position, ...inputs });
      return { head, written: await format.write(head, page), people: page.people };
    },
  };
}

function permitReport(caller: Caller, input: Asked): void {
  permit(caller, input.organization_id, 'getReport');
  checkInputs(input.type, REPORTS[input.type], input);
}

/** @param progress told how many records were read so far, of no known number */
function contextOf(
  reader: Reader,
  caller: Caller,
  input: Asked,
  moment: PinnedMoment,
  progress?: (records: number) => void,
): ReportContext {
  let records = 0;
  const recordsRead = (more: number): void => {
    records += more;
    progress?.(records);
  };
  return { reader, organizationId: input.organization_id, moment, inputs: inputsOf(caller, input), recordsRead };
}

/**
 * @param format of the answer that it has to fit; null where there is room for all
 * @param place where it goes on; null from its beginning
 */
async function draw(
  context: ReportContext,
  caller: Caller,
  name: ReportName,
  format: AnswerFormat | null,
  place: Place | null,
): Promise<Drawing> {
  const { reader, organizationId } = context;
  const type = REPORTS[name];
  const content = await type.draw(context);
  const envelope = await envelopeOf(context, name, type, content);
  const [, , from = 0, known, counts, mark = null] = place ?? [];
  const figures = place === null ? await content.figures() : [];
  const room = format && { ...format, room: format.room - format.headTakes(envelope) };
  const names = new ReportPeople(context);
  const cutter = new Cutter(names, content, figures, room, from, mark);
  if (counts !== undefined) await cutter.fill(counts);
  const digest = known ?? (await digestOfReport(envelope, figures, content.sections, cutter));
  const incomplete = isIncomplete(reader, organizationId);
  const page = cutter.page();
  const people = await names.named(accountsIn(envelope.about));
  const head: Head = {
    ...envelope,
    generated_at: reader.now().toISOString(),
    digest,
    ...(incomplete ? { incomplete: true } : {}),
    ...(type.proved
      ? await provenBy(context, place === null ? () => verifiedFor(context, caller, content) : null)
      : {}),
  };
  return {
    head,
    page: { ...page, people: new Map([...people, ...page.people]) },
    counts: cutter.counts,
    mark: cutter.mark,
  };
}

/** The first seal that covers the report's position, with the path that shows it. */
async function provenBy(
  context: ReportContext,
  verify: (() => Promise<Verification | null>) | null,
): Promise<Pick<Head, 'proof' | 'pending_seal'>> {
  const { reader, organizationId, moment } = context;
  const proof = await proofOf(reader.models, organizationId, moment.ordinal);
  if (proof === null) return { pending_seal: true };
  const verification = verify === null ? null : await verify();
  return { proof: verification === null ? proof : { ...proof, verification } };
}

/** Holds the changes that a report shows, and those up to its position, against the log; null where one call cannot. */
async function verifiedFor(context: ReportContext, caller: Caller, { inputs }: Content): Promise<Verification | null> {
  const { reader, organizationId, moment } = context;
  const period = { from: String(inputs?.from_position ?? 1), to: String(moment.ordinal) };
  // The report ends where its client has left.
  const progress = () => context.recordsRead?.(0);
  try {
    return await verifyBetween(reader, caller, organizationId, period, { progress });
  } catch (error) {
    // The report is drawn all the same, and says nothing of a check.
    if (error instanceof Refusal && error.code === 'too_large') return null;
    throw error;
  }
}

/** A type takes what narrows it, and nothing else: what is silently left out would be believed to hold. */
function checkInputs(name: string, { takes, needs = {} }: ReportType, input: Asked): void {
  for (const field of NARROWING) {
    const given = input[field] !== undefined;
    if (given && !takes.includes(field)) {
      const message = `${name} takes no ${field}: leave it out, or choose another type.`;
      throw new Refusal('invalid_input', message, { field, allowed: [...takes, 'as_of', 'format', 'cursor'] });
    }
    if (!given && field in needs) throw new Refusal('invalid_input', `Give ${field}: ${needs[field]}.`, { field });
  }
}

function inputsOf(caller: Caller, input: Asked): ReportContext['inputs'] {
  const given = Object.entries(input).filter(
    ([field, value]) => value !== undefined && NARROWING.some((known) => known === field),
  );
  return Object.fromEntries(
    given.map(([field, value]) => [field, value === 'ME' ? caller.account_id : value]),
  ) as Readonly<Partial<Record<Narrowing, string>>>;
}

async function momentOfReport(reader: Reader, input: Asked): Promise<PinnedMoment> {
  const { organization_id, type, as_of } = input;
  const own = REPORTS[type].moment;
  return own ? own(reader, organization_id, input) : pinnedMoment(reader, organization_id, as_of);
}

async function envelopeOf(
  context: ReportContext,
  type: string,
  { title: usual }: ReportType,
  content: Content,
): Promise<Envelope> {
  const { reader, organizationId, moment } = context;
  const { owner_id } = context.inputs;
  const { title = usual, inputs, about = [] } = content;
  const [organization] = await reader.models.find({
    collection: historyOf('organizations'),
    organizationId,
    // Before its beginning it has the name that it began with.
    where: holdingAt(Math.max(1, moment.ordinal)),
    order: { key: null, direction: 'ASC' },
    limit: 1,
  });
  return {
    type,
    title: owner_id === undefined ? title : `${title}, one owner’s records`,
    organization: { id: organizationId, name: (organization?.doc.name ?? null) as string | null },
    inputs: { ...(owner_id === undefined ? {} : { owner_id }), ...inputs },
    about: [
      ...about,
      ...(owner_id === undefined ? [] : [{ label: 'Owner', value: owner_id }]),
      ...(moment.ordinal === 0 ? [BEFORE] : []),
    ],
    as_of: await logTimeOf(reader, organizationId, moment.ordinal),
    position: String(moment.ordinal),
    today: moment.today,
  };
}

/** Over the canonical JSON of the whole report: what stands at its head, its figures and every row. */
function digestOfReport(
  envelope: Envelope,
  figures: readonly Figure[],
  sections: readonly Section[],
  cutter: Cutter,
): Promise<string> {
  const told = sections.map((section) => {
    const { name, note } = section;
    return { name, ...(note ? { note } : {}), rows: cutter.through(section) };
  });
  return digestOf({ ...envelope, data: { figures, sections: told } });
}
