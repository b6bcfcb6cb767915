/** @jsxRuntime automatic @jsxImportSource preact */
import type { Role } from '../../commands/caller.ts';
import { type Deed, may } from '../../commands/roles.ts';
import type { WebContext } from '../context.ts';
import { Table } from '../pieces.tsx';
import { get, type Route } from '../visit.ts';
import { within } from '../within.ts';

/** What comes as a file: where it is, what it is called, and what whoever draws it has to be allowed. */
const FILES: readonly (readonly [path: string, name: string, deed: Deed])[] = [
  ['records/risks', 'Risks', 'listRisks'],
  ['records/measures', 'Measures', 'listMeasures'],
  ['records/vendors', 'Vendors', 'listVendors'],
  ['records/obligations', 'Obligations', 'listObligations'],
  ['records/nonconformities', 'Nonconformities', 'listNonconformities'],
  ['records/frameworks', 'Frameworks', 'listFrameworks'],
  ['records/controls', 'Controls', 'listControls'],
  ['records/audits', 'Audits', 'listAudits'],
  ['changes', 'Changes, newest first', 'listChanges'],
];

const FORMATS = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
] as const;

/** Records and changes as files: records for every member, changes for AUDITORs and up. */
export const filesPage = (context: WebContext): Route[] => [
  get('/organizations/:id/files', async (visit) => {
    const { organization, path } = await within(context, visit);
    return {
      title: 'Files',
      section: `${path}/files`,
      organization,
      body: (
        <>
          <p>
            Each file is whole, of one position, and noted in the access log. CSV is for spreadsheets, JSON Lines for
            programs. Records that are archived are left out.
          </p>
          <Files organizationId={organization.id} role={organization.role} />
        </>
      ),
    };
  }),
];

function Files({ organizationId, role }: { organizationId: string; role: Role }) {
  return (
    <Table
      caption="What there is"
      head={['What', ...FORMATS.map(([, title]) => title)]}
      rows={FILES.filter(([, , deed]) => may(role, deed)).map(([path, name]) => ({
        key: path,
        cells: [
          name,
          ...FORMATS.map(([format, title]) => (
            <a
              key={format}
              href={`/api/v1/organizations/${organizationId}/${path}?format=${format}`}
              aria-label={`${title}: ${name}`}
            >
              {title}
            </a>
          )),
        ],
      }))}
    />
  );
}
