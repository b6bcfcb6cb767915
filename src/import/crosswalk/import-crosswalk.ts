import { Refusal } from '../../commands/engine/refusal.ts';
import { throwRefusals } from '../../tools/bulk-write.ts';
import { writeSelected } from '../../tools/selected-write.ts';
import type { SelectionInput } from '../../tools/selection.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { AnsweredErrors, type ImportAnswer, type ImportedRow } from '../import-answer.ts';
import {
  type CheckedPair,
  type CrosswalkCall,
  CrosswalkImport,
  type CrosswalkSummary,
  isRefusedPair,
  type WrittenPair,
} from './crosswalk-import.ts';

type CrosswalkInput = SelectionInput & CrosswalkCall & { type: string; rows: readonly object[] };

/**
 * Imports the rows of a call of importRecords. If one is wrong, nothing is written. New links never need a selection; more than
 * five that get another relation do.
 */
export async function importCrosswalk(context: ToolContext, input: CrosswalkInput): Promise<ImportAnswer> {
  const { rows: inputs, organization_id: organizationId } = input;
  const crosswalkImport = await CrosswalkImport.open(context, input, context.service.reader.snapshot());
  const checked = await crosswalkImport.check(inputs);
  if (!input.dry_run && checked.some(isRefusedPair)) {
    const message = 'Nothing was written. Fix the rows that have errors, then send all rows again.';
    throw new Refusal('invalid_input', message, { field: 'rows' }, answerOf(checked, []));
  }
  const { rows, crosswalks, items, rehearsals, changedLinks } = await crosswalkImport.plan(checked);
  return writeSelected({
    call: { context, organizationId, input },
    callId: crosswalkImport.callId,
    items,
    rehearsals,
    changedCount: (_rehearsal, index) => changedLinks[index]!,
    answer: (outcomes) => {
      throwRefusals(outcomes, () => 'rows');
      return { ...answerOf(rows, crosswalks), crosswalks };
    },
  });
}

const RESULTS = { NEW: 'CREATED', CHANGED: 'UPDATED', UNCHANGED: 'UNCHANGED' } as const;

function answerOf(rows: readonly (CheckedPair | WrittenPair)[], crosswalks: readonly CrosswalkSummary[]): ImportAnswer {
  const answered = new AnsweredErrors();
  const sum = (name: 'created' | 'updated') => crosswalks.reduce((total, summary) => total + summary[name], 0);
  const answers = rows.map((row, index): ImportedRow => {
    if (isRefusedPair(row)) return { row: index, ...answered.of(row.errors, 0) };
    return { row: index, ...('result' in row ? { result: RESULTS[row.result] } : {}) };
  });
  return {
    created: sum('created'),
    updated: sum('updated'),
    unchanged: answers.filter(({ result }) => result === 'UNCHANGED').length,
    rows: answers,
  };
}
