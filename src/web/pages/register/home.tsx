import { addressWith, organizationAddress } from '../../../addresses/page-addresses.ts';
import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { RiskMatrix } from '../../../reports/charts/risk-charts.tsx';
import { ExactTime } from '../../components/components.tsx';
import { ExpiringTokens } from '../../components/expiring-tokens.tsx';
import { SecondFactorNotice } from '../../components/second-factor-notice.tsx';
import {
  AssistantsToday,
  type AssistantsTodayCollaborators,
  type AssistantToday,
  readAssistantsToday,
} from '../../register/assistants-today.tsx';
import { AuditTable } from '../../register/home/audit-table.tsx';
import {
  type FirstStep,
  FirstSteps,
  type FirstStepsCollaborators,
  readFirstSteps,
} from '../../register/home/first-steps.tsx';
import { BeginCards, ConnectCard, CoverageCard, TileList, WeekCard } from '../../register/home/home-cards.tsx';
import { type HomeContent, readHome } from '../../register/home/read-home.ts';
import { AuditCard } from '../../register/moments/moment-control.tsx';
import { quarterEnds } from '../../register/moments/quarter-ends.ts';
import { readTimeBar, type TimeBarContent } from '../../register/moments/read-time-bar.ts';
import { TimeBar } from '../../register/moments/time-bar.tsx';
import {
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import type { WebContext } from '../../server/context.ts';
import { get, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = RegisterCollaborators &
  FirstStepsCollaborators &
  AssistantsTodayCollaborators &
  Pick<WebContext, 'tokens' | 'sealingProblem'>;

/** The most tokens and assistants that Home lists. */
const MAX_ASSISTANTS = 10;

/** An organization's first page: the numbers that ask for somebody, and what changed. */
export const homePage = (context: Collaborators): Route[] => [
  get('/organizations/:id', async (request) => {
    const view = await openRegister(context, request);
    const tokens = await context.tokens.listOfAccount(request.person.account.id);
    const [home, time] = await Promise.all([readHome(context.reader, view), readTimeBar(view)]);
    const sealingProblem = await context.sealingProblem(view.organization.id);
    const firstSteps = await readFirstSteps(context, view);
    const assistants = await readAssistantsToday(context, view);
    return page(view, home, { time, tokens, sealingProblem, firstSteps, assistants });
  }),
];

/** The parts of Home that don't depend on the register's records. */
interface HomeFrame {
  time: TimeBarContent | null;
  tokens: readonly TokenListItem[];
  /** Null while the organization's events can be sealed. */
  sealingProblem: string | null;
  firstSteps: readonly FirstStep[];
  assistants: readonly AssistantToday[];
}

function page(view: RegisterView, home: HomeContent, frame: HomeFrame): WebPage {
  const { time, tokens, sealingProblem, firstSteps, assistants } = frame;
  // A director only reads, so this is the board's page.
  const isBoard = view.organization.role === 'VIEWER';
  return {
    title: 'Home',
    section: view.path,
    organization: view.organization,
    moment: view,
    body: (
      <>
        <p class="sub row">
          {home.seal !== null && (
            <span>
              {view.past === null ? 'Last sealed ' : 'Sealed '}
              <ExactTime at={home.seal.sealed_at} />
              {view.past === null && `, up to change ${home.seal.size}`}
            </span>
          )}
          {!home.isEmpty && !isBoard && <BoardLinks view={view} />}
        </p>
        {!home.isEmpty && isBoard && (
          <div class="row board">
            <BoardLinks view={view} class="button quiet" />
          </div>
        )}
        {sealingProblem !== null && <p class="notice warning">{sealingProblem}</p>}
        <SecondFactorNotice organization={view.organization.name} from={view.missingFactorFrom} />
        <ExpiringTokens tokens={tokens} />
        {time !== null && <TimeBar view={view} content={time} />}
        {home.isEmpty && <BeginCards view={view} />}
        <FirstSteps steps={firstSteps} />
        {!home.isEmpty && <Numbers view={view} home={home} />}
        <AssistantsToday view={view} rows={assistants} max={MAX_ASSISTANTS} />
        {!home.isEmpty && <Cards view={view} home={home} />}
      </>
    ),
  };
}

/** The report POSTURE as a page that prints well, and what moved in this quarter and in the last: what a board reads. */
function BoardLinks({ view, ...style }: { view: RegisterView; class?: string }) {
  const { organization, past, snapshot } = view;
  const report = `/api/v1/organizations/${organization.id}/reports/posture`;
  const [last, before] = quarterEnds(snapshot.today());
  const comparison = (moments: { from: string; until?: string }) =>
    organizationAddress(organization.id, '/compare', moments);
  return (
    <>
      <a href={addressWith(report, { format: 'html', as_of: past?.asOf })} {...style}>
        Board report, to print
      </a>
      {past === null && (
        <>
          <a href={comparison({ from: last!.day })} {...style}>
            This quarter so far
          </a>
          <a href={comparison({ from: before!.day, until: last!.day })} {...style}>
            {last!.quarter} against the quarter before
          </a>
        </>
      )}
    </>
  );
}

function Numbers({ view, home: { tiles, period, audits } }: { view: RegisterView; home: HomeContent }) {
  return audits === null ? <TileList tiles={tiles} period={period} /> : <AuditTable view={view} audits={audits} />;
}

function Cards({ view, home }: { view: RegisterView; home: HomeContent }) {
  const { audits, coverages, matrix, week } = home;
  return (
    <div class="columns">
      <div>
        {audits === null && <AuditCard choice={view} organizationId={view.organization.id} />}
        <WeekCard view={view} week={week} />
        <ConnectCard view={view} />
      </div>
      <div>
        <CoverageCard view={view} coverages={coverages} />
        {matrix.length > 0 && (
          <section class="card">
            <h2>Risks not closed, by likelihood and impact</h2>
            <RiskMatrix rows={matrix} addressOf={(page, filter) => registerAddress(view, page, filter)} />
          </section>
        )}
      </div>
    </div>
  );
}
