import { idPrefix } from '../../../commands/engine/ids.ts';
import { familyQueryFor } from '../../../queries/family-query.ts';
import { type FieldAuthor, fieldAuthors } from '../../../queries/records/field-authors.ts';
import { documentsAt } from '../../../queries/records/record-links.ts';
import { familyOfPrefix } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { ProposedEffect } from '../../../register/proposal.ts';
import { recordName } from '../../../reports/sections/records.ts';
import { throughText } from '../../server/call-tool.ts';
import type { RegisterView } from '../open-register.ts';

/** Records of a proposal whose texts stand on its page. */
const MAX_RECORDS = 5;

/** A text that somebody wrote into a record, which a proposal would change. */
export interface QuotedText {
  record: string;
  label: string;
  text: string;
  author: FieldAuthor | undefined;
}

/** Reads the texts in the first records that a proposal would change, each with its author. */
export async function readRecordTexts(
  { snapshot, organization }: RegisterView,
  effects: readonly ProposedEffect[],
): Promise<QuotedText[]> {
  const moment = { today: snapshot.today(), position: null };
  const context = { snapshot, organizationId: organization.id, moment };
  const records = effects.map(({ record_id }) => record_id).filter((id) => familyOfPrefix(idPrefix(id) ?? ''));
  const ids = [...new Set(records)].slice(0, MAX_RECORDS);
  const texts: QuotedText[] = [];
  for (const record of await documentsAt(context, ids)) {
    const { model } = familyQueryFor(String(record.id));
    const { fields } = familyOfPrefix(model.family.prefix) as FamilyDescription;
    const written = Object.entries(fields).filter(([name, { kind }]) => isText(kind) && Boolean(record[name]));
    if (written.length === 0) continue;
    const authors = await fieldAuthors(context, model, record);
    for (const [name, { label }] of written) {
      texts.push({ record: recordName(record), label, text: String(record[name]), author: authors[name] });
    }
  }
  return texts;
}

const isText = (kind: string): boolean => kind === 'text' || kind === 'longText';

/** Quotes texts of records, each with its author: people wrote them, and a decision doesn't rest on what they ask for. */
export function RecordTexts({ texts }: { texts: readonly QuotedText[] }) {
  if (texts.length === 0) return null;
  return (
    <section class="card" aria-label="From the record">
      {texts.map(({ record, label, text, author }) => (
        <div key={`${record} ${label}`}>
          <p class="muted">
            From the record, written by {authorText(author)} · {record}: {label}
          </p>
          <blockquote>{text}</blockquote>
        </div>
      ))}
    </section>
  );
}

function authorText(author: FieldAuthor | undefined): string {
  if (author === undefined || author.how === 'UNKNOWN') return 'somebody unknown';
  const { actor, client } = author;
  return throughText(actor.kind === 'TOKEN' ? 'a token' : actor.name, client);
}
