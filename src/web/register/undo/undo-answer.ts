import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { WrittenChange } from '../../../queries/changes/written-changes.ts';
import type { RegisterView } from '../open-register.ts';
import { permissionsToUndo, undoAddress } from './undo-offers.ts';

/** A record or link that an undo leaves: as a whole, or some of its fields. */
export interface StayingRecord {
  id: string;
  linked_id?: string;
  why: 'CHANGED_SINCE' | 'LINKED_SINCE' | 'OWNER_GONE' | 'REFUSED';
  message?: string;
  fields?: readonly string[];
}

/** The answer to an undo or to its dry run, as far as pages use it. */
export interface UndoAnswer {
  call_id?: string;
  selection?: string;
  rows: readonly { id?: string; errors?: readonly object[] }[];
  links?: readonly { from_id: string; to_id: string; errors?: readonly object[] }[];
  changes?: readonly WrittenChange[];
  skipped?: readonly StayingRecord[];
  more_skipped?: number;
  remaining?: number;
}

/** Returns the number of records and links that go back. */
export function countBack({ rows, links = [] }: UndoAnswer): number {
  return [...rows, ...links].filter(({ errors }) => errors === undefined).length;
}

/** Says that an undo takes nothing back: all changes stay, or were taken back before. */
export function nothingBackText({ skipped }: Pick<UndoAnswer, 'skipped'>): string {
  return skipped === undefined ? 'Nothing is left to undo.' : 'Nothing goes back.';
}

/** Says what an undo did. @param isRedo true for the undo of an undo */
export function undoneText(answer: UndoAnswer, isRedo = false): string {
  const { rows, links = [], skipped = [], more_skipped = 0, remaining = 0 } = answer;
  const back = countBack(answer);
  if (back === 0) return nothingBackText(answer);
  const failed = rows.length + links.length - back;
  const whole = skipped.filter(({ fields }) => fields === undefined).length + more_skipped;
  const inPart = skipped.some(({ fields }) => fields !== undefined);
  return [
    `${back === 1 ? 'The change is' : `${back} changes are`} ${isRedo ? 'redone' : 'undone'}.`,
    whole > 0 && (whole === 1 ? '1 stays.' : `${whole} stay.`),
    inPart && 'Fields that somebody changed since stay.',
    failed > 0 && `${failed} failed, because somebody changed them at the same time.`,
    remaining > 0 && `${remaining} are left.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Returns the address of the form that undoes a call that the person made; undefined if there is nothing that their role may
 * undo. @param first see `undoAddress`
 */
export function undoOfCall(
  { organization }: Pick<RegisterView, 'organization'>,
  answer: Readonly<Record<string, unknown>>,
  first?: string,
): string | undefined {
  const {
    call_id,
    event_types,
    links,
    created,
    updated,
    changes = [],
  } = answer as {
    call_id?: string;
    event_types?: readonly string[];
    links?: readonly { result?: string }[];
    created?: number;
    updated?: number;
    changes?: readonly WrittenChange[];
  };
  const isImportUnchanged = created === 0 && updated === 0;
  const isUnchanged =
    event_types?.length === 0 || isImportUnchanged || links?.every(({ result }) => result === 'UNCHANGED');
  if (call_id === undefined || isUnchanged) return undefined;
  return permissionsToUndo(changes).every((permission) => roleAllows(organization.role, permission))
    ? undoAddress(organization.id, call_id, undefined, first)
    : undefined;
}
