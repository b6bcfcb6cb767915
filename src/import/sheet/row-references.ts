import type { CommandResult } from '../../commands/engine/handler.ts';
import { idPrefix, itemCommandId } from '../../commands/engine/ids.ts';
import { importCommandId } from '../../commands/engine/import-ids.ts';
import { requireLiveRecord } from '../../commands/engine/references.ts';
import { FAMILIES, recordAggregate } from '../../commands/families.ts';
import { linkAggregate } from '../../commands/link.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { type LogSource, RecentRecords } from '../../queries/records/recent-records.ts';
import { CONTROL } from '../../register/control.ts';
import type { FamilyName } from '../../register/families.ts';
import { sortedPair } from '../../register/link.ts';
import { type BulkItem, catchRefusal, mapConcurrently } from '../../tools/bulk-write.ts';
import type { RecordNames } from '../../tools/record-names.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { envelopeFor } from '../../tools/write.ts';
import { type Note, shortWord } from './notes.ts';
import {
  areNumbers,
  type BareNumbers,
  isClause,
  itemsOfList,
  listsInCell,
  meaningOfNumbers,
  numberBeforeTitle,
  numberMeant,
  spellingsOf,
} from './reference-words.ts';

/** A cell of a row that names records of another family. */
export interface Reference {
  type: FamilyName;
  cell: string;
}

/** The records that a cell names, and notes about its words that name none. */
interface NamedRecords {
  ids: readonly string[];
  notes: readonly Note[];
}

type Naming = { word: string } & ({ id: string } | { problem: 'UNKNOWN_RECORD' | 'UNCLEAR_NUMBER' });

interface RowReferencesOptions {
  context: WriteContext;
  organizationId: string;
  /** The caller's role there. */
  role: Role;
  reason: string | undefined;
  /** The import, of which each link is a part. */
  callId: string;
  /** Finds records by number or name. Null without read models. */
  names: RecordNames | null;
  /** Finds those that the read models don't have yet. */
  log: LogSource;
  /** The heading of the column of controls, and words in it. */
  numbers: { heading: string; words: readonly string[] };
}

/** Finds the records that rows name by id or reference_id, and links them. */
export class RowReferences {
  private recent: Promise<RecentRecords> | undefined;
  private meaning: Promise<BareNumbers> | undefined;

  constructor(private readonly options: RowReferencesOptions) {}

  /** Finds the records that a cell names. It is a list only where all parts name records: a name may have a comma. */
  async find({ type, cell }: Reference): Promise<NamedRecords> {
    const whole = await this.findWord(type, cell.trim());
    const namings = 'id' in whole ? [whole] : await this.findParts(type, cell);
    return {
      ids: namings.flatMap((naming) => ('id' in naming ? naming.id : [])),
      notes: namings.flatMap((naming) =>
        'id' in naming ? [] : [{ kind: naming.problem, text: shortWord(naming.word) }],
      ),
    };
  }

  private async findParts(type: FamilyName, cell: string): Promise<Naming[]> {
    const namings: Naming[] = [];
    for (const part of listsInCell(cell)) {
      const whole = await this.findWord(type, part);
      const items = itemsOfList(part);
      const each: Naming[] = [];
      if (!('id' in whole) && items.length > 1) {
        for (const item of items) each.push(await this.findTitled(type, await this.findWord(type, item)));
      }
      const isList = each.length > 0 && (areNumbers(items) || each.every((item) => 'id' in item));
      namings.push(...(isList ? each : [await this.findTitled(type, whole)]));
    }
    return namings;
  }

  private async findWord(type: FamilyName, word: string): Promise<Naming> {
    const isControl = type === CONTROL.type;
    const exists = async (number: string) => (await this.findOne(type, number)) !== null;
    for (const spelling of spellingsOf(word, isControl)) {
      const number = isControl ? await numberMeant(spelling, await this.meaningOf(word, exists), exists) : spelling;
      if (number === null) return { word, problem: 'UNCLEAR_NUMBER' };
      const id = await this.findOne(type, number);
      if (id !== null) return { word, id };
    }
    return { word, problem: 'UNKNOWN_RECORD' };
  }

  /** Finds a word that isn't a record by the number before its title: "ZM-10: Training". */
  private async findTitled(type: FamilyName, naming: Naming): Promise<Naming> {
    const number = 'id' in naming ? null : numberBeforeTitle(naming.word, type === CONTROL.type);
    if (number === null) return naming;
    return { ...(await this.findWord(type, number)), word: naming.word };
  }

  /** Returns how bare numbers are meant: "clause 8.2" says it, else the column decides. */
  private meaningOf(word: string, exists: (number: string) => Promise<boolean>): Promise<BareNumbers> | BareNumbers {
    if (isClause(word)) return 'CLAUSES';
    const { heading, words } = this.options.numbers;
    this.meaning ??= meaningOfNumbers(heading, words, exists);
    return this.meaning;
  }

  /** Returns the id of the record that a text names, or null if there is no such live record. */
  private async findOne(type: FamilyName, text: string): Promise<string | null> {
    const id = (await this.search(type, text)) ?? (await this.searchLog(type, text));
    if (id === null) return null;
    const { context, organizationId } = this.options;
    const { organization_id } = await context.service.handler.load(recordAggregate(id));
    return organization_id === organizationId ? id : null;
  }

  private async search(type: FamilyName, text: string): Promise<string | null> {
    const { prefix } = FAMILIES[type];
    if (idPrefix(text) === prefix) return text;
    const found = await this.options.names?.find({ word: text, prefixes: [prefix] });
    return found !== undefined && 'id' in found ? found.id : null;
  }

  /** Finds a record of a command before this one, or that was imported under its number. The read models may lag behind. */
  private async searchLog(type: FamilyName, text: string): Promise<string | null> {
    const { names, log } = this.options;
    const found = await names?.find({ word: text, prefixes: [FAMILIES[type].prefix] });
    if (found !== undefined && (!('isUnknown' in found) || !found.isUnknown)) return null;
    this.recent ??= RecentRecords.open(log);
    const [id, another] = (await this.recent).find(type, text);
    return another === undefined ? (id ?? null) : null;
  }

  /**
   * Links a record that a row became with others. A link that this row made before is not made again, even if somebody has
   * removed it.
   * @returns the number of new links
   */
  async link(from: string, ids: readonly string[]): Promise<number> {
    const { handler } = this.options.context.service;
    const items = [...new Set(ids)].map((to) => this.linkCommand(from, to));
    const outcomes = await mapConcurrently(items, ({ aggregate, command, envelope }) =>
      catchRefusal(() => handler.execute(aggregate, command, envelope)),
    );
    const results = outcomes.flatMap((outcome) => ('refusal' in outcome ? [] : [outcome as CommandResult<object>]));
    return results.filter(({ repeated, event_types }) => !repeated && event_types.length > 0).length;
  }

  private linkCommand(from: string, to: string): BulkItem {
    const { context, organizationId, role, reason, callId } = this.options;
    const { handler } = context.service;
    const ids = sortedPair(from, to);
    const aggregate = linkAggregate(from, to);
    const command = { type: 'Link', ids, ...(reason ? { reason } : {}) };
    return {
      aggregate: aggregate as unknown as BulkItem['aggregate'],
      command,
      envelope: {
        ...envelopeFor(context.caller, organizationId, role, context.tool.permission, callId),
        command_id: itemCommandId(importCommandId(from), aggregate.stream),
        input: { ids, action: 'LINK' },
        checkReferences: async () => {
          for (const id of ids) await requireLiveRecord(handler, organizationId, id, 'links');
        },
      },
    };
  }
}
