import { roleAllows } from '../../../commands/organization/permissions.ts';
import { CopyBlock } from '../../components/components.tsx';
import { openRegister, type RegisterCollaborators } from '../../register/open-register.ts';
import { ORDERED_FAMILIES } from '../../register/rail-links.ts';
import { takesNewRows } from '../../register/takes-new-rows.ts';
import { get, type Route } from '../../server/page-request.ts';
import { roleName } from '../../texts/role-labels.ts';

/** Says how the first records come into a register: by a command, or by a sentence to an assistant. */
export const gettingStartedPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/getting-started', async (request) => {
    const { organization, path } = await openRegister(context, request);
    const { role } = organization;
    return {
      title: 'Getting started',
      section: path,
      organization,
      body: (
        <>
          {roleAllows(role, 'changeRecords') ? (
            <ImportCard />
          ) : (
            <p>Your role, {roleName(role)}, reads the register. To add records, ask an owner for the role Editor.</p>
          )}
          {roleAllows(role, 'adoptFrameworks') && <FrameworkCard organizationId={organization.id} />}
          <p>
            No assistant yet? <a href="/connect">Connect one</a>.
          </p>
        </>
      ),
    };
  }),
];

const [EXAMPLE_TYPE, ...OTHER_TYPES] = ORDERED_FAMILIES.filter(takesNewRows)
  .map(({ plural }) => plural)
  .toSorted((a, b) => Number(b === 'vendors') - Number(a === 'vendors'));

/** Says how records come from a spreadsheet. The command finds the columns itself, so the example maps none. */
function ImportCard() {
  return (
    <section class="card" id="import">
      <h2>Import a spreadsheet</h2>
      <WhereToRun />
      <CopyBlock id="import-command" text={`npx veritrail import suppliers.xlsx --type ${EXAMPLE_TYPE} --dry-run`} />
      <p>It shows what would be added. Without --dry-run, it adds the records.</p>
      <p>
        The type can also be {OTHER_TYPES.slice(0, -1).join(', ')} or {OTHER_TYPES.at(-1)}. The columns are found by
        their headings. <code>npx veritrail import --help</code> has the rest.
      </p>
      <p>Or attach the file, and say to your assistant:</p>
      <CopyBlock
        id="import-sentence"
        text="Add the vendors in this spreadsheet to veritrail. Show me doubtful rows before you add them."
      />
    </section>
  );
}

function FrameworkCard({ organizationId }: { organizationId: string }) {
  return (
    <section class="card" id="framework">
      <h2>Adopt a framework</h2>
      <p>
        <a class="button quiet" href={`/organizations/${organizationId}/frameworks/add`}>
          Choose one of the library
        </a>
      </p>
      <p>Or say to your assistant:</p>
      <CopyBlock
        id="framework-sentence"
        text="Adopt ISO/IEC 27001 from veritrail’s library, and list the controls that have no measure."
      />
      <p>Or adopt it on the command line.</p>
      <WhereToRun />
      <CopyBlock id="framework-command" text="npx veritrail framework import --library ISO_27001_2022" />
      <p>The command imports your own catalog too. Without a name after --library, it lists the built-in frameworks.</p>
      <CopyBlock id="catalog-command" text={'npx veritrail framework import rules.csv --name "House rules"'} />
    </section>
  );
}

function WhereToRun() {
  return (
    <p>
      Run this in the folder of the veritrail installation, with the settings of the service, such as the same{' '}
      <code>DATA_DIR</code>:
    </p>
  );
}
