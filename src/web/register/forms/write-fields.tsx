import { randomUUID } from 'node:crypto';
import { TextAreaField } from '../../components/fields.tsx';
import type { FormState, FormValues } from '../../server/form-state.ts';
import { typedText } from './form-fields.ts';

export const KEY_INPUT = 'idempotency_key';
const REASON_ROWS = 2;

/** The reason for a change, as the last field of its form. */
export function ReasonInput(props: {
  form: FormState;
  isRequired: boolean;
  /** The labels of the fields whose changes need a reason. */
  neededBy?: readonly string[] | undefined;
  /** Says when else it is needed. */
  need?: string | undefined;
}) {
  const { form, isRequired, neededBy = [] } = props;
  const need = props.need ?? (neededBy.length === 0 ? 'Optional.' : `Needed if you change ${neededBy.join(', ')}.`);
  return (
    <TextAreaField
      form={form}
      name="reason"
      label={isRequired ? 'Reason (required)' : 'Reason'}
      hint={`${isRequired ? '' : `${need} `}Kept in the history, for auditors.`}
      rows={REASON_ROWS}
    />
  );
}

/** The key by which the tool recognises a form that is sent twice. A form that is shown again keeps it. */
export function KeyInput({ form }: { form: FormState }) {
  return <input type="hidden" name={KEY_INPUT} value={form.values.get(KEY_INPUT)?.[0] ?? randomUUID()} />;
}

/** Returns the inputs of writing tools that a form has: the reason and the key. @param reasonField see `Act` */
export function writeInputs(values: FormValues, reasonField = 'reason'): { reason?: string; idempotency_key?: string } {
  const reason = typedText(values, reasonField);
  const key = typedText(values, KEY_INPUT);
  return { ...(reason ? { reason } : {}), ...(key ? { idempotency_key: key } : {}) };
}
