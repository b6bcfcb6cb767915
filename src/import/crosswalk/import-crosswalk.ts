import { Refusal } from '../../commands/engine/refusal.ts';
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

/** Imports the rows of a call of importRecords. If one is wrong, nothing is written. */
export async function importCrosswalk(
  context: ToolContext,
  { rows: inputs, ...call }: CrosswalkCall & { rows: readonly object[] },
): Promise<ImportAnswer> {
  const crosswalkImport = await CrosswalkImport.open(context, call, context.service.reader.snapshot());
  const checked = await crosswalkImport.check(inputs);
  if (!call.dry_run && checked.some(isRefusedPair)) {
    const message = 'Nothing was written. Fix the rows that have errors, then send all rows again.';
    throw new Refusal('invalid_input', message, { field: 'rows' }, answerOf(checked, []));
  }
  const { rows, crosswalks, pending } = await crosswalkImport.write(checked);
  return {
    ...answerOf(rows, crosswalks),
    // Without a key, the write will have another id than its dry run.
    ...(call.dry_run && call.idempotency_key === undefined ? {} : { call_id: crosswalkImport.callId }),
    crosswalks,
    ...(pending ? { pending: true as const } : {}),
  };
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
