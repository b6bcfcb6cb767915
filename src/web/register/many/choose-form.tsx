import type { ComponentChildren } from 'preact';
import { type AddressParameters, filterTexts } from '../../../addresses/page-addresses.ts';
import type { ManyAct } from './many-acts.ts';
import { IDS } from './many-form.tsx';

interface ChooseFormProps {
  /** The page that takes the chosen records, and the parameters that it needs besides. */
  action: string;
  parameters: AddressParameters;
  /** The label of the box for all records that match, also those of other pages; null without such a box. */
  all: string | null;
  acts: readonly Pick<ManyAct, 'name' | 'label'>[];
  /** The rows, with their boxes. */
  children: ComponentChildren;
}

/** Rows to choose from. The buttons for the chosen ones stand at the bottom, while there are some. Needs no script. */
export function ChooseForm({ action, parameters, all, acts, children }: ChooseFormProps) {
  return (
    <form method="get" action={action} class="choose">
      {Object.keys(parameters).flatMap((name) =>
        filterTexts(parameters[name] ?? []).map((text) => (
          <input key={name + text} type="hidden" name={name} value={text} />
        )),
      )}
      {all !== null && (
        <label class="choice">
          <input type="checkbox" name="all" value="true" />
          <span>{all}</span>
        </label>
      )}
      {children}
      <fieldset class="card row chosen">
        <legend class="for-screen-readers">Change the chosen records</legend>
        <output data-chosen>Chosen</output>
        {acts.map(({ name, label }) => (
          <button key={name} type="submit" class="quiet" name="act" value={name}>
            {label}
          </button>
        ))}
      </fieldset>
    </form>
  );
}

/** The box of one row. */
export function RowBox({ id, name }: { id: string; name: string }) {
  return (
    <>
      <input type="checkbox" name={IDS} value={id} aria-label={`Choose ${name}`} />{' '}
    </>
  );
}
