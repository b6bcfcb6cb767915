import { z } from 'zod';
import { type FormState, singleField } from '../server/form-state.ts';
import { TextField } from './fields.tsx';

const MAX_REASON_LENGTH = 2_000;

/** The reason for a change, kept in the history; undefined if left empty. */
export const REASON_FIELDS = {
  reason: singleField(
    z
      .string()
      .trim()
      .max(MAX_REASON_LENGTH, `Use at most ${MAX_REASON_LENGTH} characters.`)
      .transform((text) => text || undefined),
  ),
};

export function ReasonField({ form, id }: { form: FormState; id?: string }) {
  return (
    <TextField
      form={form}
      name="reason"
      {...(id === undefined ? {} : { id })}
      label="Reason"
      hint="Optional. Kept in the history."
      maxLength={MAX_REASON_LENGTH}
      required={false}
    />
  );
}
