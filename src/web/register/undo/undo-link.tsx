import { addressWith } from '../../../addresses/page-addresses.ts';
import { DayOf } from '../../components/components.tsx';
import { Form } from '../../components/form.tsx';
import { BLANK_FORM } from '../../server/form-state.ts';
import { countText } from '../../texts/counts.ts';
import { BACK } from '../forms/open-form.ts';
import { KeyInput } from '../forms/write-fields.tsx';
import type { RegisterView } from '../open-register.ts';
import { type UndoOffer, undoAddress } from './undo-offers.ts';

/** Leads to the page that undoes the call of a change. It is absent if the line offers no undo. */
export function UndoLink(props: {
  view: Pick<RegisterView, 'organization' | 'path' | 'query'>;
  position: string;
  offer: UndoOffer | undefined;
}) {
  const { view, position, offer } = props;
  if (!offer?.offered) return null;
  const { callId, changes } = offer.offered;
  const back = addressWith(view.path, Object.fromEntries(view.query));
  return (
    <a
      href={undoAddress(view.organization.id, callId, back)}
      class="screen-only"
      aria-label={changes === 1 ? `Undo change ${position}` : undefined}
    >
      {changes === 1 ? 'Undo' : `Undo all ${countText(changes)}`}
    </a>
  );
}

/** Says of a change that it was undone, by whom and when. */
export function UndoneText({ offer }: { offer: UndoOffer | undefined }) {
  if (!offer?.undone) return null;
  const { by, at, isPartly } = offer.undone;
  return (
    <>
      {' · '}
      <b>
        undone {isPartly && 'in part '}by {by}, <DayOf at={at} />
      </b>
    </>
  );
}

/** Undoes what was just done by one click. A call on many records shows first what goes back. */
export function UndoButton({ action, button, back }: { action: string; button: string; back: string }) {
  return (
    <Form action={action}>
      <KeyInput form={BLANK_FORM} />
      <input type="hidden" name={BACK} value={back} />
      <button type="submit" class="quiet">
        {button}
      </button>
    </Form>
  );
}
