import type { CommandResult } from '../../commands/engine/handler.ts';
import { idPrefix, itemCommandId } from '../../commands/engine/ids.ts';
import { importCommandId, importedId } from '../../commands/engine/import-ids.ts';
import { requireLiveRecord } from '../../commands/engine/references.ts';
import { FAMILIES, recordAggregate } from '../../commands/families.ts';
import { linkAggregate } from '../../commands/link.ts';
import type { Role } from '../../commands/organization/caller.ts';
import type { FamilyName } from '../../register/families.ts';
import { sortedPair } from '../../register/link.ts';
import { type BulkItem, catchRefusal, mapConcurrently } from '../../tools/bulk-write.ts';
import type { RecordNames } from '../../tools/record-names.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { envelopeFor } from '../../tools/write.ts';

/** A word of a row that names a record of another family. */
export interface Reference {
  type: FamilyName;
  word: string;
}

interface RowReferencesOptions {
  context: WriteContext;
  organizationId: string;
  /** The caller's role there. */
  role: Role;
  /** The organization's secret key, from which the ids of imported records are derived. */
  importKey: string;
  reason: string | undefined;
  /** The import, of which each link is a part. */
  callId: string;
  /** Finds records by number or name. Null without read models. */
  names: RecordNames | null;
}

/** Finds the records that rows name by id or reference_id, and links them. */
export class RowReferences {
  constructor(private readonly options: RowReferencesOptions) {}

  /** Returns a named record's id, or null if there is no such live record. */
  async find({ type, word }: Reference): Promise<string | null> {
    const id = await this.search(type, word);
    if (id === null) return null;
    const { context, organizationId } = this.options;
    const { organization_id } = await context.service.handler.load(recordAggregate(id));
    return organization_id === organizationId ? id : null;
  }

  /** Returns the id that a word is or names. The read models may not have a record yet that was imported under its number. */
  private async search(type: FamilyName, word: string): Promise<string | null> {
    const { names, importKey, organizationId } = this.options;
    const family = FAMILIES[type];
    if (idPrefix(word) === family.prefix) return word;
    const found = await names?.find({ word, prefixes: [family.prefix] });
    if (found !== undefined && 'id' in found) return found.id;
    if (found?.isUnknown === false || !('reference_id' in family.fields)) return null;
    return importedId(family, importKey, organizationId, { reference_id: word });
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
