/** @jsxRuntime automatic @jsxImportSource preact */
import type { Narrowing } from '../../queries/report/report-type.ts';
import { REPORT_TYPES, REPORTS, type ReportName } from '../../queries/report/types.ts';
import type { WebParts } from '../parts.ts';
import { get, type Route } from '../visit.ts';
import { within } from '../within.ts';

const FORMATS = [
  ['html', 'Page to print'],
  ['pdf', 'PDF'],
  ['csv', 'CSV for spreadsheets'],
  ['markdown', 'Markdown'],
  ['json', 'JSON'],
] as const;

const DATES = { type: 'date' } as const;
const TEXT = { type: 'text' } as const;
/** How each input is asked for; only what a report takes is. */
const INPUTS: Readonly<Record<Narrowing, { label: string; type: 'text' | 'date' }>> = {
  framework_id: { label: 'Framework’s id, where there are several', ...TEXT },
  audit_id: { label: 'Id of the completed audit', ...TEXT },
  owner_id: { label: 'Of this owner (ME for your own)', ...TEXT },
  until: { label: 'Due until', ...DATES },
  from: { label: 'From', ...DATES },
  to: { label: 'To', ...DATES },
};

/** Reports as files, now or as of a day: for AUDITORs and up. */
export const reportsPage = (parts: WebParts): Route[] => [
  get('/organizations/:id/reports', async (visit) => {
    const { organization, path } = await within(parts, visit, 'getReport');
    const here = `/api/v1/organizations/${organization.id}/reports`;
    return {
      title: 'Reports',
      section: `${path}/reports`,
      organization,
      body: (
        <>
          <p>
            Each report is drawn when you ask for it, of today unless you name a day, and is noted in the access log.
            Its digest is the same whenever the same position is asked for again.
          </p>
          {REPORT_TYPES.map((type) => (
            <ReportForm key={type} here={here} type={type} />
          ))}
        </>
      ),
    };
  }),
];

/** Sent by GET: nothing is changed by it, so it needs no token. */
function ReportForm({ here, type }: { here: string; type: ReportName }) {
  const { title, takes, needs = {} } = REPORTS[type];
  const name = type.toLowerCase().replaceAll('_', '-');
  return (
    <section>
      <h2 id={name}>{title}</h2>
      <form method="get" action={`${here}/${name}`} class="inline card" aria-labelledby={name}>
        {takes.map((input) => (
          <Field key={input} id={`${name}-${input}`} name={input} required={input in needs} {...INPUTS[input]} />
        ))}
        <Field id={`${name}-as_of`} name="as_of" required={false} label="As of" type="date" />
        <div class="field">
          <label for={`${name}-format`}>Format</label>
          <select id={`${name}-format`} name="format">
            {FORMATS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" aria-label={`Draw: ${title}`}>
          Draw
        </button>
      </form>
    </section>
  );
}

interface Asked {
  id: string;
  name: string;
  label: string;
  type: 'text' | 'date';
  required: boolean;
}

function Field({ id, label, type, ...input }: Asked) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'date' ? <input id={id} type="date" {...input} /> : <input id={id} type="text" {...input} />}
    </div>
  );
}
