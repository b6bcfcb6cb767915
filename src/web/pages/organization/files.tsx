/** @jsxRuntime automatic @jsxImportSource preact */
import type { Role } from '../../../commands/organization/caller.ts';
import { type Permission, roleAllows } from '../../../commands/organization/permissions.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { codeWords } from '../../../reports/formats/report-text.ts';
import { Table } from '../../components/components.tsx';
import type { WebContext } from '../../server/context.ts';
import { get, type Route } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';

/** The export files: path, title, and the permission needed. Families without a list have none. */
const EXPORT_FILES: readonly (readonly [path: string, name: string, permission: Permission])[] = [
  ...FAMILY_DESCRIPTIONS.filter(({ tools }) => tools.list !== undefined).map(
    ({ plural }) => [`records/${plural}`, codeWords(plural), 'readRecords'] as const,
  ),
  ['changes', 'Changes, newest first', 'readChanges'],
];

const FORMATS = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
] as const;

/** Records and changes as export files. Every member may download records; changes need the role Auditor or above. */
export const filesPage = (context: Pick<WebContext, 'members'>): Route[] => [
  get('/organizations/:id/files', async (request) => {
    const { organization, path } = await requireMembership(context, request);
    return {
      title: 'Files',
      section: `${path}/files`,
      organization,
      body: (
        <>
          <p>
            Each file is a complete snapshot at one point in time, without archived records. Downloads are logged. CSV
            is for spreadsheets, JSON Lines for programs.
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
      caption="Available files"
      head={['File', ...FORMATS.map(([, title]) => title)]}
      rows={EXPORT_FILES.filter(([, , permission]) => roleAllows(role, permission)).map(([path, name]) => ({
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
