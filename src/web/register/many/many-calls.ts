import { createHash } from 'node:crypto';
import type { WrittenChange } from '../../../queries/changes/written-changes.ts';
import { callTool, type ToolError } from '../../server/call-tool.ts';
import type { WebContext } from '../../server/context.ts';
import { Redirect, type SignedInRequest } from '../../server/page-request.ts';

/** One call of a tool on many records, without what confirms it. */
export interface ManyCall {
  tool: string;
  inputs: Readonly<Record<string, unknown>>;
  /** The records that it names, in its order. */
  ids: readonly string[];
}

/** A record of a call: what changes on it, or why it can't be changed. */
export interface ManyOutcome {
  id: string;
  changes: readonly WrittenChange[];
  /** UPDATED, UNCHANGED, CREATED for a new link; null if the answer doesn't say. */
  result: string | null;
  /** The live records that refer to one that is archived. */
  referredBy?: number;
  error: RecordError | null;
}

interface RecordError {
  field?: string;
  message: string;
}

/** The dry run of some calls. */
export interface ManyPreview {
  outcomes: readonly ManyOutcome[];
  /** The selections of the calls, in their order; null if a record can't be changed. */
  selections: readonly string[] | null;
  /** The refusal of a whole call. */
  error: ToolError | null;
}

type Collaborators = Pick<WebContext, 'members' | 'tools'>;

/** Makes the dry run of each call. */
export async function previewCalls(
  context: Collaborators,
  request: SignedInRequest,
  calls: readonly ManyCall[],
): Promise<ManyPreview> {
  const outcomes: ManyOutcome[] = [];
  const selections: string[] = [];
  for (const call of calls) {
    const { answer, error } = await callTool(context, request, call.tool, { ...call.inputs, dry_run: true });
    if (error !== null) {
      const refused = refusedRecords(call, error);
      if (refused.length === 0) return { outcomes, selections: null, error };
      outcomes.push(...refused);
      continue;
    }
    const { ids } = call;
    // The same order as in the call: the form sends it again, and its selection counts only for the same call.
    outcomes.push(...outcomesOf(answer).toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)));
    selections.push(String(answer.selection));
  }
  const shared = sharedError(outcomes);
  if (shared !== null) return { outcomes: [], selections: null, error: shared };
  const isAllowed = selections.length === calls.length && outcomes.every(({ error }) => error === null);
  return { outcomes, selections: isAllowed ? selections : null, error: null };
}

type Answer = Readonly<Record<string, unknown>>;

/** The answers of written calls, what became of each record in them, and the refusal of the first call that was refused. */
export interface ManyWritten {
  outcomes: readonly ManyOutcome[];
  answers: readonly Answer[];
  error: ToolError | null;
}

/**
 * Writes the calls of a dry run. The same form again finishes what an earlier attempt began, because its calls have the same
 * keys. @param key the form's
 */
export async function writeCalls(
  context: Collaborators,
  request: SignedInRequest,
  calls: readonly ManyCall[],
  { selections, key }: { selections: readonly string[]; key: string },
): Promise<ManyWritten> {
  const outcomes: ManyOutcome[] = [];
  const answers: Answer[] = [];
  /** The newest proposal. A call that another account must approve leaves the others to be done. */
  let proposed: Redirect | null = null;
  for (const [index, { tool, inputs }] of calls.entries()) {
    const selection = selections[index] ?? '';
    const idempotency_key = keyOfCall(key, { ...inputs, selection });
    try {
      const { answer, error } = await callTool(context, request, tool, { ...inputs, selection, idempotency_key });
      if (error !== null) return { outcomes, answers, error };
      outcomes.push(...outcomesOf(answer));
      answers.push(answer);
    } catch (thrown) {
      if (!(thrown instanceof Redirect)) throw thrown;
      proposed = thrown;
    }
  }
  if (proposed !== null) throw proposed;
  return { outcomes, answers, error: null };
}

/** Returns a key for one call of a form. A form that comes back can be sent with other contents. */
function keyOfCall(key: string, inputs: object): string {
  return `${key.slice(0, 100)} ${createHash('sha256').update(JSON.stringify(inputs)).digest('base64url')}`;
}

/** A record in the answers of importRecords and archiveRecords, or a link in that of linkRecords. */
interface AnsweredRecord {
  id?: string;
  from_id?: string;
  result?: string;
  referred_by?: number;
  errors?: readonly RecordError[];
}

function outcomesOf(answer: Answer): ManyOutcome[] {
  const records = (answer.rows ?? answer.records ?? answer.links) as readonly AnsweredRecord[];
  const changes = (answer.changes ?? []) as readonly WrittenChange[];
  return records.map(({ id, from_id, result = null, referred_by, errors = [] }) => {
    const recordId = (id ?? from_id)!;
    return {
      id: recordId,
      changes: changes.filter(({ record_id }) => record_id === recordId),
      result,
      ...(referred_by === undefined ? {} : { referredBy: referred_by }),
      error: errors[0] ?? null,
    };
  });
}

/** Returns the error that all records have at one input, such as a missing reason. It is one of the form. */
function sharedError(outcomes: readonly ManyOutcome[]): ToolError | null {
  const [first] = outcomes;
  const field = first?.error?.field;
  if (field === undefined || !outcomes.every(({ error }) => error?.field === field)) return null;
  return { status: 400, code: 'invalid_input', message: first!.error!.message, field };
}

/** Returns the records of a refused call, those with their problem that the refusal names by their place. */
function refusedRecords({ ids }: ManyCall, { issues = [] }: ToolError): ManyOutcome[] {
  const problems = new Map(
    issues.flatMap(({ field, message }) => {
      const place = /^(?:ids|links)\.(\d+)(?:\.from_id)?$/.exec(field)?.[1];
      return place === undefined ? [] : [[Number(place), { message }] as const];
    }),
  );
  if (problems.size === 0) return [];
  return ids.map((id, index) => ({ id, changes: [], result: null, error: problems.get(index) ?? null }));
}
