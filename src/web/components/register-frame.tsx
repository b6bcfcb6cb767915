import type { ComponentChildren } from 'preact';
import { organizationAddress } from '../../addresses/page-addresses.ts';
import type { MomentChoice } from '../register/moments/moment-choice.ts';
import { MomentControl, momentAddress } from '../register/moments/moment-control.tsx';
import type { PastMoment } from '../register/page-moment.ts';
import type { RailCounts } from '../register/rail-counts.ts';
import { RAIL_GROUPS } from '../register/rail-links.ts';
import { Palette, SearchLink } from '../register/search/palette.tsx';
import { type OrganizationLink, settingsLinks } from '../server/organization-links.ts';
import type { WebPage } from '../server/web-page.ts';
import { changeCountText, countText } from '../texts/counts.ts';
import { LongDay, MomentTime } from './components.tsx';
import { Form } from './form.tsx';

type Organization = NonNullable<WebPage['organization']>;

/** The frame of an organization's pages: the rail on the left, search, moment and person above. */
export function RegisterFrame(props: {
  page: WebPage;
  organization: Organization;
  name: string;
  address: string;
  railCounts: RailCounts;
  today: string;
  children: ComponentChildren;
}) {
  const { page, organization, name, address, railCounts, today, children } = props;
  const { moment } = page;
  const past = moment?.past ?? null;
  const settings = settingsLinks(organization);
  const isSetting = settings.some(({ href }) => href === page.section);
  return (
    <div class={past === null ? 'shell' : 'shell past'}>
      <Rail
        organization={organization}
        section={isSetting ? settings[0]!.href : page.section}
        past={past}
        counts={railCounts}
      />
      <div class="main">
        <header class="bar">
          <SearchLink organizationId={organization.id} past={past} />
          {moment !== undefined && <MomentControl choice={moment} />}
          <Person name={name} />
        </header>
        {past !== null && <PastLine past={past} page={page} choice={moment!} organization={organization} />}
        {isSetting && moment === undefined && <TodayLine address={address} organization={organization} />}
        <PaperLine past={past} organization={organization} today={today} />
        {isSetting && <SettingsLinks links={settings} section={page.section} />}
        {children}
      </div>
      <Palette organizationId={organization.id} past={past} />
    </div>
  );
}

function Rail(props: {
  organization: Organization;
  section: string | undefined;
  past: PastMoment | null;
  counts: RailCounts;
}) {
  const { organization, section, past, counts } = props;
  const base = `/organizations/${organization.id}`;
  const query = past === null ? '' : `?as_of=${encodeURIComponent(past.asOf)}`;
  return (
    <nav class="rail" id="rail" aria-label={organization.name}>
      <a class="brand" href="/organizations" title="Switch organization">
        {organization.name}
        <span aria-hidden="true"> ▾</span>
      </a>
      <RailSwitch />
      {RAIL_GROUPS.map((links) => (
        <ul key={links[0]![0]}>
          {links.map(([page, title]) => (
            <li key={page}>
              <a href={`${base}${page}${query}`} aria-current={`${base}${page}` === section ? 'page' : undefined}>
                {title}
                <RailCount count={counts.get(page)} />
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** Opens and closes the rail on a phone. Each is a link to a place in the page, so that it works without script. */
export function RailSwitch() {
  return (
    <>
      <a class="switch" href="#rail">
        Menu
      </a>
      <a class="switch" href="#main">
        Close menu
      </a>
    </>
  );
}

function RailCount({ count }: { count: number | undefined }) {
  return count === undefined ? null : <span class="count">{countText(count)}</span>;
}

function SettingsLinks({ links, section }: { links: readonly OrganizationLink[]; section: string | undefined }) {
  return (
    <nav class="tabs" aria-label="Settings">
      <ul>
        {links.map(({ href, title }) => (
          <li key={href}>
            <a href={href} aria-current={href === section ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The line that stays while a past moment is shown. */
function PastLine(props: { past: PastMoment; page: WebPage; choice: MomentChoice; organization: Organization }) {
  const { past, page, choice, organization } = props;
  const { time, audit, hint } = past;
  return (
    <div class="row then" role="status">
      <span>
        You are viewing{' '}
        <b>
          <MomentTime at={time} />
        </b>
        {audit === null ? '.' : ` — ${audit}, as completed.`} {hint} {sinceText(past)}
      </span>
      <a href={page.comparison ?? organizationAddress(organization.id, '/compare', { from: past.asOf })}>
        Compare with today
      </a>
      <a href={momentAddress(choice, null)}>Back to today</a>
    </div>
  );
}

/** Says that settings have no past, if the reader comes from one. */
function TodayLine({ address, organization }: { address: string; organization: Organization }) {
  const as_of = new URLSearchParams(address.split('?')[1]).get('as_of');
  if (!as_of) return null;
  return (
    <p class="row then" role="status">
      Settings are always those of today.
      <a href={organizationAddress(organization.id, '', { as_of })}>Back to the moment you were viewing</a>
    </p>
  );
}

/** Returns `37 changes since.` Where only seals came since, their positions don't stay without a word. */
function sinceText({ changesSince, eventsSince }: PastMoment): string {
  if (changesSince > 0 || eventsSince === 0) return `${changeCountText(changesSince)} since.`;
  return `0 changes since, only ${countText(eventsSince)} ${eventsSince === 1 ? 'event' : 'events'} of seals.`;
}

/** The line above a printed page. */
function PaperLine(props: { past: PastMoment | null; organization: Organization; today: string }) {
  const { past, organization, today } = props;
  return (
    <p class="paper">
      {organization.name} ·{' '}
      {past === null ? (
        'Today, '
      ) : (
        <>
          <MomentTime at={past.time} /> · printed on{' '}
        </>
      )}
      <LongDay at={today} />
    </p>
  );
}

/** The signed-in person: a link to their account's pages, and the way out. */
export function Person({ name }: { name: string }) {
  return (
    <div class="person">
      <a href="/settings/account" class="name" title="Your account">
        {name}
      </a>
      <Form action="/sign-out">
        <button type="submit" class="quiet">
          Sign out
        </button>
      </Form>
    </div>
  );
}
