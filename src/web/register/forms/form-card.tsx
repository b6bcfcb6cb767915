import type { ComponentChildren } from 'preact';
import { FormError } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { FormState } from '../../server/form-state.ts';
import { FieldInput } from './field-input.tsx';
import type { FormField } from './form-fields.ts';
import { KeyInput, ReasonInput } from './write-fields.tsx';

/** The field and the value that the second button sends. */
export const THEN = 'after';
export const ANOTHER = 'another';

export interface FormCardProps {
  /** The address that takes the form. */
  action: string;
  form: FormState;
  fields: readonly FormField[];
  /** Returns a field's value until something is typed. */
  shownValue: (field: FormField) => string;
  /** The primary button, with its verb. */
  button: string;
  /** A second button, which saves and shows the form again for another record. */
  another?: string;
  /** True for the form for another record. The cursor is in its first field. */
  isNext?: boolean;
  /** Says where the button leads, such as "Becomes Closed.". */
  follows?: string | null;
  needsReason?: boolean;
  /** The field that is the reason too; undefined for a form with a field for the reason. */
  reasonField?: string | undefined;
  /** The labels of the fields whose changes need a reason, if not every change does. */
  reasonNeededBy?: readonly string[];
  /** Says when else a reason is needed. */
  reasonNeed?: string;
  /** The page to which the form leads without a change. */
  back: string;
  /** Shown beside a field, such as what somebody else wrote there meanwhile. */
  besideField?: (field: FormField) => ComponentChildren;
  /** The records or values that the form is about, above its button. */
  details?: ComponentChildren;
  /** Hidden inputs of this form. */
  children?: ComponentChildren;
}

/** A form in one column: its fields, the reason last, and one primary button. */
export function FormCard(props: FormCardProps) {
  const { action, form, fields, shownValue, button, follows, needsReason, back, besideField, children } = props;
  return (
    <section class="card" aria-label={button}>
      <Form action={action}>
        <FormError form={form} />
        <KeyInput form={form} />
        {children}
        {fields.map((input, at) => (
          <div key={input.name}>
            {besideField?.(input)}
            <FieldInput
              form={form}
              input={input}
              value={shownValue(input)}
              autofocus={at === 0 && props.isNext === true}
            />
          </div>
        ))}
        {props.reasonField === undefined && (
          <ReasonInput
            form={form}
            isRequired={needsReason ?? false}
            neededBy={props.reasonNeededBy}
            need={props.reasonNeed}
          />
        )}
        {props.details}
        <div class="actions">
          <button type="submit">{button}</button>
          {props.another !== undefined && (
            <button type="submit" class="quiet" name={THEN} value={ANOTHER}>
              {props.another}
            </button>
          )}
          <a class="button quiet" href={back}>
            Cancel
          </a>
          {follows && <span class="muted">{follows}</span>}
        </div>
      </Form>
    </section>
  );
}
