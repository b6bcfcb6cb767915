import { readOrganizationSealKeys } from '../../../queries/proofs/organization-seal-keys.ts';
import { OfflineCheck } from '../../register/offline-check.tsx';
import { openRegister, type RegisterCollaborators } from '../../register/open-register.ts';
import { assetUrl } from '../../server/assets.ts';
import { get, type Route } from '../../server/page-request.ts';

/** Checks a file in the reader's browser. The file is not sent. */
export const verifyFilePage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/verify', async (request) => {
    const { organization, caller, snapshot, path } = await openRegister(context, request);
    const { current, others } = await readOrganizationSealKeys(snapshot, caller, organization.id);
    return {
      title: 'Verify a file',
      section: path,
      organization,
      script: 'proof.js',
      body: (
        <section class="card proof-file" data-verify-file data-verifier={assetUrl('verify.js')}>
          <p>
            Choose an export, a seal, the JSON of an audit pack, or a saved proof. It is checked in this browser.
            Nothing is sent.
          </p>
          <div class="field">
            <label for="keys">Public keys that you trust, one a line</label>
            <textarea id="keys" rows={2} spellcheck={false} aria-describedby="keys-hint">
              {current}
            </textarea>
            <p class="hint" id="keys-hint">
              This is the key of this service’s newest seal. Compare it with the one you were given.
            </p>
            {others.length > 0 && (
              <p class="hint">
                A file from before a key was replaced needs the key of its time:{' '}
                {others.map((key) => (
                  <code key={key}>{key} </code>
                ))}
              </p>
            )}
          </div>
          <div class="field">
            <label for="file">File, or drop it here</label>
            <input id="file" type="file" />
          </div>
          <pre class="notice outcome" role="status" data-outcome />
          <noscript>
            <p>Without JavaScript, this browser can’t check files.</p>
          </noscript>
          <OfflineCheck />
        </section>
      ),
    };
  }),
];
