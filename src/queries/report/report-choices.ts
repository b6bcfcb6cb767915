import type { Caller } from '../../commands/caller.ts';
import { permit } from '../../commands/roles.ts';
import { auditQuery } from '../audits.ts';
import type { FamilyQuery } from '../family.ts';
import { frameworkQuery } from '../frameworks.ts';
import { listConditions } from '../list.ts';
import { momentOf } from '../moment.ts';
import { readPages } from '../page.ts';
import type { Reader } from '../reader.ts';

/** So many of a kind are offered. */
export const MOST_CHOICES = 100;
/** Records of one read. */
const AT_ONCE = 500;

/** A record that a report can be about. */
export interface ReportChoice {
  id: string;
  name: string;
  /** What tells those of one name apart: an audit's first day, a framework's version; null where it has none. */
  mark: string | null;
  /** Reports of the past may be about them too. */
  archived: boolean;
}

/** The newest of a kind, and whether there are more. */
export interface Offered {
  choices: readonly ReportChoice[];
  cut: boolean;
}

export interface ReportChoices {
  /** Those that were completed, whatever became of them: each has its pack. Newest start first. */
  audits: Offered;
  /** Newest adoption first. */
  frameworks: Offered;
}

type Document = Record<string, unknown>;

/** What reports can be about, as it is now, for whoever is to choose. @throws Refusal as reports do */
export async function reportChoices(reader: Reader, caller: Caller, organizationId: string): Promise<ReportChoices> {
  permit(caller, organizationId, 'getReport');
  const newest = (family: FamilyQuery, key: string, mark: string, fits: (document: Document) => boolean) =>
    offered(reader, organizationId, { family, key, mark, fits });
  return {
    audits: await newest(auditQuery, 'starts_on', 'starts_on', isCompleted),
    frameworks: await newest(frameworkQuery, 'created_at', 'version', () => true),
  };
}

/** An audit that was reopened keeps the position of its completion, and by it its pack. */
const isCompleted = ({ completed_position }: Document): boolean => typeof completed_position === 'string';

interface Kind {
  family: FamilyQuery;
  /** The key by which the newest come first. */
  key: string;
  mark: string;
  fits(document: Document): boolean;
}

/** Reads no further than to the first that is left out. */
async function offered(reader: Reader, organizationId: string, { family, key, mark, fits }: Kind): Promise<Offered> {
  const moment = await momentOf(reader, organizationId, undefined);
  const filter = { include_archived: true };
  const source = {
    collection: family.plural,
    organizationId,
    where: listConditions(family, moment, { today: moment.today, account_id: '', filter }),
    order: { key, direction: 'DESC' } as const,
  };
  const choices: ReportChoice[] = [];
  for await (const rows of readPages(reader.models, { ...source, size: AT_ONCE, after: null })) {
    for (const { doc } of rows.filter((row) => fits(row.doc))) {
      if (choices.length === MOST_CHOICES) return { choices, cut: true };
      choices.push(choiceOf(doc, mark));
    }
  }
  return { choices, cut: false };
}

function choiceOf({ id, name, archived_at, ...more }: Document, mark: string): ReportChoice {
  const archived = (archived_at ?? null) !== null;
  return { id: String(id), name: String(name), mark: (more[mark] ?? null) as string | null, archived };
}
