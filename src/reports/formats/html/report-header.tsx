/** @jsxRuntime automatic @jsxImportSource preact */
import type { ReportHead, ReportPage } from '../../pages/report-page.ts';
import { headFacts, INCOMPLETE_NOTE } from '../head.ts';
import { RichText } from './rich-text.tsx';

/** A document with fewer sections has no table of contents. */
const MIN_SECTIONS_FOR_CONTENTS = 4;

export function ReportHeader({
  head,
  page,
  organization,
}: {
  head: ReportHead;
  page: ReportPage;
  organization: string;
}) {
  return (
    <header>
      <h1>{head.title}</h1>
      <p class="organization">{organization}</p>
      <dl>
        {headFacts(head, page.people).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <RichText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {head.incomplete && <p class="incomplete">{INCOMPLETE_NOTE}</p>}
    </header>
  );
}

/** Links to the sections, with their numbers of rows. */
export function Contents({ parts }: Pick<ReportPage, 'parts'>) {
  if (parts.length < MIN_SECTIONS_FOR_CONTENTS) return null;
  return (
    <nav aria-label="Contents">
      <ol>
        {parts.map(({ section, rows }, index) => (
          <li key={section.name}>
            <a href={`#section-${index}`}>{section.title}</a>
            {rows.length > 1 && (
              <>
                {' '}
                <span class="muted">{rows.length}</span>
              </>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
