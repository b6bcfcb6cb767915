/** @jsxRuntime automatic @jsxImportSource preact */
import { CopyBlock } from '../../components/components.tsx';
import { openRegister, type RegisterCollaborators } from '../../register/open-register.ts';
import { get, type Route } from '../../server/page-request.ts';

/** Says how the first records come into a register: by a command, or by a sentence to an assistant. */
export const gettingStartedPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/getting-started', async (request) => {
    const { organization, path } = await openRegister(context, request);
    return {
      title: 'Getting started',
      section: path,
      organization,
      body: (
        <>
          <section class="card" id="import">
            <h2>Import a spreadsheet</h2>
            <p>Run this where veritrail runs. It shows what would be added; without --dry-run it adds it.</p>
            <CopyBlock
              id="import-command"
              text="npx veritrail import suppliers.xlsx --type vendors --map name=Supplier --dry-run"
            />
            <p>Or attach the file, and say to your assistant:</p>
            <CopyBlock
              id="import-sentence"
              text="Add the vendors in this spreadsheet to veritrail. Show me doubtful rows before you add them."
            />
          </section>
          <section class="card" id="framework">
            <h2>Adopt a framework</h2>
            <p>Say to your assistant:</p>
            <CopyBlock
              id="framework-sentence"
              text="Adopt ISO/IEC 27001 from veritrail’s library, and list the controls that have no measure."
            />
            <p>Or import your own catalog, where veritrail runs:</p>
            <CopyBlock id="framework-command" text={'npx veritrail framework import rules.csv --name "House rules"'} />
          </section>
          <p>
            No assistant yet? <a href="/connect">Connect one</a>.
          </p>
        </>
      ),
    };
  }),
];
