import { addressWith } from '../../../addresses/page-addresses.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { CopyBlock, MomentTime, Table } from '../../components/components.tsx';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { familyHeading } from '../../register/rail-links.ts';
import { get, type Route } from '../../server/page-request.ts';

const FORMATS = [
  ['xlsx', 'XLSX'],
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
] as const;

/** A file to download: its path in the API, its name, and what it has. */
interface DownloadableFile {
  path: string;
  name: string;
  about: string;
}

/** The files to download, at the moment shown. */
export const filesPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/files', async (request) => {
    const view = await openRegister(context, request);
    const { organization, past } = view;
    const hasSemicolons = request.query.get('delimiter') === ';';
    return {
      title: 'Files',
      section: `/organizations/${organization.id}/files`,
      organization,
      moment: view,
      body: (
        <>
          <p class="sub">
            XLSX and CSV are for spreadsheets, JSON Lines for programs. Each file is complete and shows the register{' '}
            {past === null ? (
              'as it is now'
            ) : (
              <>
                as of <MomentTime at={past.time} />
              </>
            )}
            , without archived records. Downloads are recorded in the access log.
          </p>
          <p>
            {hasSemicolons
              ? 'Cells in CSV files are separated by semicolons. '
              : 'Cells in CSV files are separated by commas. Some spreadsheet programs expect semicolons. '}
            <a href={registerAddress(view, '/files', hasSemicolons ? {} : { delimiter: ';' })}>
              {hasSemicolons ? 'Use commas' : 'Use semicolons'}
            </a>
          </p>
          <FileTable view={view} hasSemicolons={hasSemicolons} />
          <p>
            To read or print, open the <a href={registerAddress(view, '/reports')}>reports</a>.
          </p>
          {roleAllows(organization.role, 'exportHistory') && <HistoryCard view={view} />}
        </>
      ),
    };
  }),
];

const FILES: readonly DownloadableFile[] = [
  ...FAMILY_DESCRIPTIONS.map((family) => ({
    path: `records/${family.plural}`,
    name: familyHeading(family),
    about: family.aboutFile,
  })),
  { path: 'changes', name: 'Changes', about: 'Each change, newest first: what, when, by whom, and why.' },
];

function FileTable({ view, hasSemicolons }: { view: RegisterView; hasSemicolons: boolean }) {
  return (
    <Table
      caption="Available files"
      head={['File', 'Contents', 'Download']}
      rows={FILES.map(({ path, name, about }) => ({
        key: path,
        cells: [
          name,
          about,
          <span key="formats" class="row">
            {FORMATS.map(([format, title]) => (
              <a
                key={format}
                href={addressWith(`/api/v1/organizations/${view.organization.id}/${path}`, {
                  ...asOfInput(view),
                  format,
                  ...(hasSemicolons && format === 'csv' ? { delimiter: ';' } : {}),
                })}
                aria-label={`${title}: ${name}`}
              >
                {title}
              </a>
            ))}
          </span>,
        ],
      }))}
    />
  );
}

/** Says how to get the whole history with its proofs, which a browser can check but only the operator can export. */
function HistoryCard({ view }: { view: RegisterView }) {
  return (
    <section class="card" aria-labelledby="history-title">
      <h2 id="history-title">The whole history, with its proofs</h2>
      <p>
        One file with every event, hash and seal, so that an auditor can check it without this service. The operator
        writes it where veritrail runs:
      </p>
      <CopyBlock id="export-command" text={`npx veritrail export ${view.organization.id} --to history.jsonl.gz`} />
      <p>
        Got such a file, or a pack, seal or saved proof? <a href={registerAddress(view, '/verify')}>Verify a file</a>.
      </p>
    </section>
  );
}
