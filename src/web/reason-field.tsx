/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { TextField } from './fields.tsx';
import { type FormState, one } from './forms.ts';

const MOST = 2_000;

/** Why something is done that the history keeps; undefined where nothing was said. */
export const REASON = {
  reason: one(
    z
      .string()
      .trim()
      .max(MOST, `Keep the reason within ${MOST} characters.`)
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
      hint="Kept in the history. May be left empty."
      maxLength={MOST}
      required={false}
    />
  );
}
