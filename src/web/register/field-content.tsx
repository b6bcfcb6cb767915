import type { ComponentChildren } from 'preact';
import { priorityOf } from '../../commands/risk.ts';
import { type Field, hasTimedState } from '../../register/field.ts';
import { planText } from '../../texts/treatment-text.ts';
import { codeWords, monthsText, shareText } from '../../texts/words.ts';
import { LongDay, MomentTime } from '../components/components.tsx';
import { type ChipTone, displayedState } from './displayed-state.ts';

/** A record as queries return it. */
export type RecordRow = Readonly<Record<string, unknown>>;

/** Returns an account's name. Lists need none: they show only the owner, whose name is in the answer. */
export type NameOf = (accountId: string) => string;

/** Shows a field's value by its kind. An empty value is a dash, or "unknown" for the time of a state. */
export function FieldContent(props: { name: string; field: Field; row: RecordRow; nameOf?: NameOf | undefined }) {
  const { name, field, row, nameOf = String } = props;
  // The answers of queries have the owner's name beside the id.
  const value = name === 'owner_id' && row.owner !== undefined ? row.owner : row[name];
  if (value === null || value === undefined || value === '') {
    return <span class="muted">{hasTimedState(field, row) ? 'unknown' : '–'}</span>;
  }
  switch (field.kind) {
    case 'enum':
      return <EnumValue name={name} field={field} value={String(value)} row={row} />;
    case 'score':
      return <Score value={Number(value)} />;
    case 'share':
      return <>{shareText(Number(value))}</>;
    case 'date':
      return <LongDay at={String(value)} />;
    case 'time':
      return <MomentTime at={String(value)} />;
    case 'boolean':
      return <>{value === true ? 'Yes' : 'No'}</>;
    case 'past':
      if (value !== true) return <span class="muted">No</span>;
      return name === 'expired' ? <ExpiredChip row={row} /> : <StateChip tone="danger" text={field.label} />;
    case 'months':
      return <>{monthsText(Number(value))}</>;
    case 'url':
      return <WebAddress text={String(value)} />;
    case 'sha256':
      return <code>{String(value)}</code>;
    case 'ids':
      return <>{(value as readonly string[]).length}</>;
    case 'object':
      return <ObjectValue field={field} value={value as RecordRow} nameOf={nameOf} />;
    case 'account':
      return <>{value === row.owner ? String(value) : nameOf(String(value))}</>;
    case 'importedName':
      return <>{nameOf(String(value))}</>;
    case 'name':
    case 'person':
    case 'text':
    case 'longText':
    case 'id':
    case 'rating':
    case 'count':
    case 'validCount':
    case 'position':
      return <>{String(value)}</>;
  }
}

/** A link to a page of the web. Another scheme, such as `javascript:`, stays text even if it is in an event. */
function WebAddress({ text }: { text: string }) {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol)) return <span>{text}</span>;
  return (
    <a href={text} rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

/** Returns an enum's value in words. */
export function enumText(field: Field, value: string): string {
  return (field.kind === 'enum' && field.labels?.[value]) || codeWords(value);
}

function EnumValue(props: { name: string; field: Field & { kind: 'enum' }; value: string; row: RecordRow }) {
  const { name, field, value, row } = props;
  const state = displayedState(name, value, row);
  switch (state?.kind) {
    case undefined:
      return <>{planText(name, value, enumText(field, value), row)}</>;
    case 'NOT_APPLICABLE':
      return <span class="muted">–</span>;
    case 'ACCEPTANCE_EXPIRED':
      return (
        <StateChip
          tone="danger"
          text={
            <>
              Acceptance expired <LongDay at={state.on} />
            </>
          }
        />
      );
    case 'VALUE':
      return <StateChip tone={state.tone} text={enumText(field, value)} />;
  }
}

function ObjectValue(props: { field: Field & { kind: 'object' }; value: RecordRow; nameOf: NameOf }) {
  const { field, value, nameOf } = props;
  return (
    <dl class="facts inner">
      {Object.entries(field.fields).map(([name, member]) => (
        <>
          <dt>{member.label}</dt>
          <dd>
            <FieldContent name={name} field={member} row={value} nameOf={nameOf} />
          </dd>
        </>
      ))}
    </dl>
  );
}

/** Icons beside the words of a chip, so that its tone can be told without colour. */
const CHIP_ICONS: Readonly<Record<ChipTone, string>> = { danger: '!', warning: '◐', done: '✓', plain: '·' };

/** A state in a word, with an icon. */
export function StateChip({ tone, text }: { tone: ChipTone; text: ComponentChildren }) {
  return (
    <span class={`chip state ${tone}`}>
      <span aria-hidden="true">{CHIP_ICONS[tone]} </span>
      {text}
    </span>
  );
}

/** Says that evidence has expired, or that newer evidence replaces it, which is nobody's task. */
export function ExpiredChip({ row: { replaced } }: { row: RecordRow }) {
  return replaced === true ? (
    <StateChip tone="plain" text="Replaced by newer evidence" />
  ) : (
    <StateChip tone="danger" text="Expired" />
  );
}

/** A risk's score, 1 to 25, in the colour of its priority. */
export function Score({ value }: { value: number }) {
  return <span class={`score tone-${priorityOf(value)!.toLowerCase()}`}>{value}</span>;
}
