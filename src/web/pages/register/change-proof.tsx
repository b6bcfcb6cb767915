import { type ComponentChildren, Fragment } from 'preact';
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { notFound } from '../../../http/http-errors.ts';
import { familyQueryFor } from '../../../queries/family-query.ts';
import { CHANGE_FAULT_TEXTS, eventName } from '../../../queries/proofs/check-change.ts';
import { type ProvenChange, readChangeProof } from '../../../queries/proofs/read-change-proof.ts';
import { familyOfType } from '../../../register/families.ts';
import { relationLabel } from '../../../register/link.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { isSealEventType } from '../../../trail/seals/seal-events.ts';
import { CopyBlock, ExactTime, LongDay } from '../../components/components.tsx';
import { changeLabel, changeTexts } from '../../register/change-texts.ts';
import {
  fieldLabel,
  RecordLink,
  readNamesInChanges,
  recordAddress,
  recordIdsOf,
  valueWords,
} from '../../register/change-words.tsx';
import { OfflineCheck } from '../../register/offline-check.tsx';
import { openRegister, type RegisterCollaborators, type RegisterView } from '../../register/open-register.ts';
import { ProofBadge, type ProofState } from '../../register/proof-badge.tsx';
import { assetUrl } from '../../server/assets.ts';
import type { WebContext } from '../../server/context.ts';
import { get, RefusedPage, type Route, type SignedInRequest } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { changeText } from '../../texts/event-words.ts';

const POSITION = /^[1-9]\d{0,14}$/;

interface ProofContent {
  view: RegisterView;
  proven: ProvenChange;
  /** The names of the people and records in its values. */
  names: NamesByKey;
  /** Why no seals are made; null if they are. */
  sealingProblem: string | null;
}

/** The proof panel of one change, and the proof itself as JSON for the panel's script and for saving. */
export const changeProofPages = (context: RegisterCollaborators & Pick<WebContext, 'sealingProblem'>): Route[] => [
  get('/organizations/:id/changes/:position', async (request) => {
    const { view, proven } = await openProof(context, request);
    if (view.past !== null && view.past.position < Number(proven.proof.position))
      throw new RefusedPage(recordedLaterPage(view, proven));
    const names = await readNamesInChanges(view, [proven.change]);
    return proofPage({ view, proven, names, sealingProblem: await context.sealingProblem(view.organization.id) });
  }),
  get('/organizations/:id/changes/:position/proof', async (request) => {
    const { proven } = await openProof(context, request);
    request.ctx.type = 'application/json; charset=utf-8';
    request.ctx.body = JSON.stringify(proven.proof);
    return null;
  }),
];

async function openProof(context: RegisterCollaborators, request: SignedInRequest) {
  const view = await openRegister(context, request);
  const position = request.params.position!;
  const number = POSITION.test(position) ? Number(position) : 0;
  const proven = await readChangeProof(context.reader, view.caller, view.organization.id, number);
  if (proven === null) throw notFound('There is no such change here.');
  return { view, proven };
}

function recordedLaterPage(view: RegisterView, { change, proof }: ProvenChange): WebPage {
  const { organization } = view;
  return {
    title: `Change ${proof.position}: not recorded yet`,
    status: 404,
    section: organizationAddress(organization.id, '/changes'),
    organization,
    moment: view,
    body: (
      <p>
        It was recorded later, on <ExactTime at={change.recorded_at} />.
      </p>
    ),
  };
}

function proofPage(content: ProofContent): WebPage {
  const { view, proven } = content;
  const { change, proof } = proven;
  const title = `${changeText(change)}, change ${proof.position}`;
  return {
    title,
    section: organizationAddress(view.organization.id, '/changes'),
    organization: view.organization,
    moment: view,
    script: 'proof.js',
    heading: (
      <>
        <h1>{title}</h1>
        <ProofBadge state={proofState(proven)} />
      </>
    ),
    body: (
      <div class="columns proof" data-proof={`${view.path}/proof`} data-verifier={assetUrl('verify.js')}>
        <ChangeCard {...content} />
        <SealCard {...content} />
      </div>
    ),
  };
}

function proofState({ proof, check, differs }: ProvenChange): ProofState {
  if (check.fault !== null || differs.length > 0) return { kind: 'MISMATCH' };
  if (check.erased === 'DATA' || check.erased === 'CHANGES') return { kind: 'REDACTED' };
  return proof.proof === null ? { kind: 'WAITING' } : { kind: 'SEALED', at: proof.proof.seal.sealed_at };
}

/** The change in words. The script compares each element with `data-text` with the event: its `value` if it has one. */
function ChangeCard({ view, proven, names }: ProofContent) {
  const { change, actorName } = proven;
  const parts = new Map(changeTexts(change).map(({ name, text }) => [name, text]));
  const text = (name: string) => <span data-text={name}>{parts.get(name)}</span>;
  const words = (name: string, shown: ComponentChildren) => (
    <data data-text={name} value={parts.get(name)}>
      {shown}
    </data>
  );
  const address = recordAddress(view, change.record, { change: proven.proof.position });
  return (
    <section class="card" aria-labelledby="change">
      <h2 id="change">The change</h2>
      <dl class="facts">
        <Fact term="Record">
          <span data-text="name">
            <RecordLink view={view} record={change.record} />
          </span>{' '}
          <small>{text('record')}</small>
        </Fact>
        {change.linked !== undefined && (
          <Fact term="Linked with">
            <RecordLink view={view} record={change.linked} />
          </Fact>
        )}
        <Fact term="Who">
          {actorName} <small>{text('who')}</small>
          {change.client !== null && <>, with {text('client')}</>}
        </Fact>
        <Fact term="When">
          <span data-text="when">
            <ExactTime at={change.recorded_at} />
          </span>
          {change.effective_at !== null && <>, effective {words('effective', <LongDay at={change.effective_at} />)}</>}
        </Fact>
        <Fact term="Why">
          {change.reason === null ? (
            <span class="muted">No reason was given.</span>
          ) : (
            <q data-text="why">{change.reason}</q>
          )}
        </Fact>
        <Fact term="Event">{text('what')}</Fact>
        {change.revision !== null && <Fact term="Revision">{change.revision} of the record</Fact>}
        {change.changes.map(({ field, from, to }) => (
          <Fact key={field} term={labelOf(change, field, names)}>
            {words(`changes.${field}.from`, wordsOf(view, change, field, from, names))} →{' '}
            <b>{words(`changes.${field}.to`, wordsOf(view, change, field, to, names))}</b>
          </Fact>
        ))}
      </dl>
      <p class="muted">
        The check compares what the event has: ids instead of the names of people and linked records, and times in UTC.
      </p>
      {address !== null && (
        <a href={`${address}#change-${proven.proof.position}`}>This change in the record’s history</a>
      )}
    </section>
  );
}

function labelOf({ record }: ProvenChange['change'], name: string, names: NamesByKey): string {
  if (name.startsWith('linked.')) return changeLabel(record.type, name);
  return fieldLabel(name, familyOfType(record.type)?.fields[name], names);
}

/** Returns a value of a change as the history shows it. Records are links. */
function wordsOf(
  view: RegisterView,
  { record, linked }: ProvenChange['change'],
  name: string,
  value: unknown,
  names: NamesByKey,
): ComponentChildren {
  if (linked !== undefined && value === linked.id) return <RecordLink view={view} record={linked} />;
  const field = familyOfType(record.type)?.fields[name];
  const ids = recordIdsOf(field, value);
  if (ids.length > 0) {
    return ids.map((id, index) => (
      <Fragment key={id}>
        {index > 0 && '; '}
        <RecordLink view={view} record={{ id, type: familyQueryFor(id).type, name: names.get(id) ?? id }} />
      </Fragment>
    ));
  }
  const relation = /^(?:relation$|linked\.)/.test(name) ? relationLabel(value) : null;
  return relation ?? valueWords(field, value, names) ?? '–';
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  );
}

function SealCard(content: ProofContent) {
  const { view, proven } = content;
  const { proof } = proven;
  const simulated = proof.events.at(-1)!.metadata.simulated === true;
  return (
    <section class="card" aria-labelledby="seal">
      <h2 id="seal">The proof</h2>
      <Explanation {...content} />
      <SealKey {...proven} />
      {proven.notice !== null && <p class="notice warning">Recorded out of order: {proven.notice}.</p>}
      {simulated && <p class="notice warning">Made-up history. The check is real, the dates are not.</p>}
      <p class="actions">
        <button type="button" data-check hidden>
          Check in this browser
        </button>
        <a class="button quiet" href={`${view.path}/proof`} download={`change-${proof.position}-proof.json`}>
          Save proof
        </a>
        <a href={organizationAddress(view.organization.id, '/verify')}>Verify a file</a>
      </p>
      <noscript>
        <p>Without JavaScript, this browser can’t check the proof. Save it, or use the standalone verifier.</p>
      </noscript>
      <p class="notice outcome" role="status" data-outcome />
      <OfflineCheck />
      <div class="field" data-cheat hidden>
        <label for="copy">Now try to cheat: change one letter of this copy</label>
        <textarea id="copy" rows={12} spellcheck={false} />
        <p class="notice outcome" role="status" data-cheat-outcome />
      </div>
    </section>
  );
}

/** Returns what doesn't match: the page, the event's chain, or the seal. Names the event, which may be an earlier one. */
function mismatchText({ differs, check }: ProvenChange): string {
  if (check.fault === null) return `It differs in: ${differs.join(', ')}.`;
  return `${CHANGE_FAULT_TEXTS[check.fault]} (${eventName(check.event)})`;
}

/** The panel's text, by what the service itself found. */
function Explanation({ proven, sealingProblem }: ProofContent) {
  const { kind } = proofState(proven);
  const seal = proven.proof.proof?.seal;
  if (kind === 'MISMATCH') {
    return (
      <p>
        <b>{proven.check.fault === null ? 'This page does not match the history.' : 'The proof fails.'}</b>{' '}
        {mismatchText(proven)}
      </p>
    );
  }
  if (kind === 'REDACTED') {
    return <p>Data of this history was erased together with its salt. Nobody can check what it said any more.</p>;
  }
  if (seal === undefined) {
    // Only the seal after the next change covers a seal.
    const next = isSealEventType(proven.change.event_type)
      ? 'The next seal covers it. One is made after the next change.'
      : 'The next one usually comes within a minute.';
    return <p>No seal covers this change yet. {sealingProblem ?? next}</p>;
  }
  return (
    <p>
      This change is in the sealed history. If somebody without the private key had altered it after{' '}
      <ExactTime at={seal.sealed_at} />, this check would fail. A seal that you kept yourself also shows if somebody
      with the key did. The check does not prove that the entry was true, or who sat at the keyboard.
    </p>
  );
}

/** The public key of the seal, for comparing, whatever the check found. */
function SealKey({ proof: { proof }, sealKey }: ProvenChange) {
  if (proof === null) return null;
  return (
    <>
      {sealKey !== null && (
        <>
          <p>Compare this public key with the one you were given:</p>
          <CopyBlock id="seal-key" text={sealKey} />
        </>
      )}
      <p class="sub">
        Key id: <code>{proof.seal.key_id}</code>
      </p>
    </>
  );
}
