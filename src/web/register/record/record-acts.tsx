import { needOf, type Permission } from '../../../commands/organization/permissions.ts';
import { withRoleNames } from '../../texts/role-labels.ts';
import { type Act, ARCHIVE, EDIT, LINK, UNLINK, WITHDRAW } from '../forms/acts.ts';
import { mayChange, type RegisterView } from '../open-register.ts';

/** The acts on a record that the page offers, and the permissions that the reader lacks for others. */
export interface OfferedActs {
  acts: readonly Act[];
  lacking: readonly Permission[];
}

const NO_ACTS: OfferedActs = { acts: [], lacking: [] };

/** Returns the acts that are possible now and that the reader's role may do. The past offers none. */
export function offeredActs(
  view: RegisterView,
  acts: readonly Act[],
  permissionOf: (tool: string) => Permission,
): OfferedActs {
  if (view.past !== null) return NO_ACTS;
  const possible = acts.filter(({ isPossible }) => isPossible);
  const needed = (act: Act) => act.permission ?? permissionOf(act.tool);
  const lacking = possible.map(needed).filter((permission) => !mayChange(view, permission));
  return { acts: possible.filter((act) => mayChange(view, needed(act))), lacking: [...new Set(lacking)] };
}

/** Acts beside the title. Others are in a menu. */
const MAX_BUTTONS = 2;

/** Acts with buttons at the facts and at the links, and those that are in the menu only. */
const ELSEWHERE: readonly string[] = [EDIT, LINK];
const IN_MENU: readonly string[] = [ARCHIVE, UNLINK, WITHDRAW];

/** Returns the acts beside the title. */
function likelyNext(acts: readonly Act[]): Act[] {
  return acts.filter(({ name }) => !ELSEWHERE.includes(name) && !IN_MENU.includes(name)).slice(0, MAX_BUTTONS);
}

/** The buttons of a record: the likely next acts, and a menu with the rest. */
export function ActButtons({ view, acts }: { view: RegisterView } & Pick<OfferedActs, 'acts'>) {
  const offered = acts.filter(({ name }) => !ELSEWHERE.includes(name));
  if (offered.length === 0) return null;
  const buttons = likelyNext(offered);
  const rest = offered.filter((act) => !buttons.includes(act));
  return (
    <div class="row">
      {buttons.map((act, at) => (
        <a key={act.name} class={at === 0 ? 'button' : 'button quiet'} href={`${view.path}/${act.name}`}>
          {act.button}
        </a>
      ))}
      {rest.length > 0 && (
        <details>
          <summary aria-label="More">…</summary>
          <div class="menu">
            {rest.map((act) => (
              <a key={act.name} href={`${view.path}/${act.name}`}>
                {act.button}
                <small>{actText(act)}</small>
              </a>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Says what the first act leads to, and who may do what the reader can't. */
export function ActNotes({ acts, lacking }: OfferedActs) {
  const [next] = likelyNext(acts);
  return (
    <>
      {next !== undefined && actText(next) !== '' && (
        <p class="sub screen-only">
          {next.button}: {actText(next)}
        </p>
      )}
      {lacking.length > 0 && (
        <p class="sub screen-only">{lacking.map((permission) => `${withRoleNames(needOf(permission))}.`).join(' ')}</p>
      )}
    </>
  );
}

/** Returns `Becomes Closed. Needs Root cause, Corrective action, and Effectiveness check.` */
function actText({ follows, missing }: Act): string {
  const needs = missing.length === 0 ? '' : `Needs ${new Intl.ListFormat('en').format(missing)}.`;
  return [follows, needs].filter(Boolean).join(' ');
}
