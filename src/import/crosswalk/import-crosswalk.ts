import { Refusal } from '../../commands/engine/refusal.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { AnsweredErrors, type ImportAnswer, type ImportedRow } from '../import-answer.ts';
import { type CheckedRow, type CrosswalkCall, CrosswalkImport, type CrosswalkSummary } from './crosswalk-import.ts';

/** Imports the rows of a call of importRecords. If one is wrong, nothing is written. */
export async function importCrosswalk(
  context: ToolContext,
  { rows: inputs, ...call }: CrosswalkCall & { rows: readonly object[] },
): Promise<ImportAnswer> {
  const crosswalkImport = await CrosswalkImport.open(context, call, context.service.reader.snapshot());
  const rows = await crosswalkImport.check(inputs);
  if (!call.dry_run && rows.some(({ errors }) => errors !== undefined)) {
    const message = 'Nothing was written. Fix the rows that have errors, then send all rows again.';
    throw new Refusal('invalid_input', message, { field: 'rows' }, answerOf(rows, []));
  }
  const { crosswalks, pending } = await crosswalkImport.write(rows);
  return {
    ...answerOf(rows, crosswalks),
    call_id: crosswalkImport.callId,
    crosswalks,
    ...(pending ? { pending: true as const } : {}),
  };
}

const RESULTS = { NEW: 'CREATED', CHANGED: 'UPDATED', UNCHANGED: 'UNCHANGED' } as const;

function answerOf(rows: readonly CheckedRow[], crosswalks: readonly CrosswalkSummary[]): ImportAnswer {
  const answered = new AnsweredErrors();
  const sum = (name: 'created' | 'updated') => crosswalks.reduce((total, summary) => total + summary[name], 0);
  return {
    created: sum('created'),
    updated: sum('updated'),
    unchanged: rows.filter(({ result }) => result === 'UNCHANGED').length,
    rows: rows.map(({ errors, result }, row): ImportedRow => {
      if (errors !== undefined) return { row, ...answered.of(errors, 0) };
      return result === undefined ? { row } : { row, result: RESULTS[result] };
    }),
  };
}
