import { z } from 'zod';
import type { CrosswalkPair } from '../../register/crosswalk.ts';
import { RELATION_LABELS, type RelationOfRecord, relationBetween } from '../../register/link.ts';
import * as field from '../../tools/schema/fields.ts';
import { InputParser } from '../../tools/schema/input-parser.ts';
import { type RowError, rowError } from '../import-rows.ts';

/** The words for the relation of `from_control` to `to_control`, in either direction. */
export const RELATION_WORDS = Object.keys(RELATION_LABELS) as [RelationOfRecord, ...RelationOfRecord[]];

export const CROSSWALK_ROW = z.strictObject({
  from_framework: field.name().optional().describe('its name or id; needed if several frameworks have the control'),
  from_control: field.name().describe('its number or id'),
  to_framework: field.name().optional(),
  to_control: field.name(),
  relation: z.enum(RELATION_WORDS).describe('the relation of from_control to to_control'),
});

/** A row of a crosswalk: two controls as people name them, and the relation of the first to the second. */
export type CrosswalkRow = z.infer<typeof CROSSWALK_ROW>;

const PARSER = new InputParser(() => CROSSWALK_ROW);

const MAX_ERRORS = 5;

/** Reads a row as a caller gives it. */
export function readCrosswalkRow(input: object): { row: CrosswalkRow } | { errors: RowError[] } {
  const result = PARSER.tryParse(input, MAX_ERRORS);
  return 'data' in result ? { row: result.data } : { errors: result.problems.map(rowError) };
}

/** Returns the pair of two controls. A relation such as SUPPORTED_BY turns it round. */
export function pairOfControls(fromId: string, toId: string, seen: RelationOfRecord): CrosswalkPair {
  const { relation, from_id } = relationBetween(fromId, toId, seen);
  return from_id === toId ? { from_id: toId, to_id: fromId, relation } : { from_id: fromId, to_id: toId, relation };
}
