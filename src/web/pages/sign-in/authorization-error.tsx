import { notFound } from '../../../http/http-errors.ts';
import { OAUTH_PATHS } from '../../../identity/oauth/addresses.ts';
import type { AuthorizationError, AuthorizationErrorReason } from '../../../identity/oauth/authorization-error.ts';
import { Facts } from '../../components/components.tsx';
import type { WebContext } from '../../server/context.ts';
import { publicGet, type Route } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeRedirect } from '../../texts/describe-redirect.ts';

/** The words for each reason: what happened, and then what to do next. */
const REASON_TEXTS: Readonly<Record<AuthorizationErrorReason, readonly [happened: string, ...next: string[]]>> = {
  UNKNOWN_CLIENT: [
    'veritrail does not know this assistant. It may belong to another installation, or not have been used for a long time.',
    'Remove veritrail from the assistant, add it again, and sign in once more.',
  ],
  DOCUMENT_UNREACHABLE: [
    'The assistant describes itself in a document on the web. veritrail could not fetch it, so it cannot identify the assistant.',
    'Cancel the connection in the assistant, then connect again.',
    'If that fails, tell the operator of this service. The service must be able to send https requests to the host below, or the operator must set CLIENT_METADATA_FETCH=off.',
    'After such a change, remove veritrail from the assistant and add it again. The assistant remembers its first attempt.',
  ],
  DOCUMENT_INVALID: [
    'The assistant describes itself in a document on the web. That document has an error, so veritrail cannot identify the assistant.',
    'Update the assistant, and start again. If that fails, send the error below to its developer.',
  ],
  DOCUMENTS_OFF: [
    'The assistant describes itself in a document on the web. This service fetches no such documents, so it cannot identify the assistant.',
    'Remove veritrail from the assistant, add it again, and sign in once more. Then the assistant registers here by itself.',
  ],
  UNKNOWN_REDIRECT: [
    'The assistant wants the answer to go to an address that it has not registered here.',
    'Remove veritrail from the assistant, add it again, and sign in once more.',
  ],
  EXPIRED: [
    'The assistant’s request has expired, or it was started in another browser.',
    'Start again in the assistant.',
  ],
  NO_INTERACTION: [
    'The assistant tried to connect without asking you. veritrail always asks.',
    'Start again in the assistant. If this happens again, tell its developer.',
  ],
  RATE_LIMITED: [
    'There were too many requests to connect assistants.',
    'Wait a minute, then start again in the assistant.',
  ],
  INVALID_REQUEST: [
    'The assistant sent a request that veritrail cannot answer.',
    'Start again in the assistant. If this happens again, update the assistant, or send the error below to its developer.',
  ],
  UNAVAILABLE: [
    'The service cannot reach its data at the moment.',
    'Wait a moment, then start again in the assistant.',
  ],
  INTERNAL: [
    'Something went wrong in the service.',
    'Start again in the assistant. If this happens again, tell the operator of this service.',
  ],
};

/** Shows a person that an assistant's request was refused, before the assistant gets the answer. */
export const authorizationErrorPage = ({ oauth }: Pick<WebContext, 'oauth'>): Route[] =>
  [OAUTH_PATHS.authorize, `${OAUTH_PATHS.authorize}/:uid`].map((path) =>
    publicGet(path, ({ ctx }) => {
      const error = oauth.authorizationError(ctx.req);
      if (error === null) throw notFound();
      return page(error);
    }),
  );

function page(error: AuthorizationError): WebPage {
  const [happened, ...next] = REASON_TEXTS[error.reason];
  const { host, answer, code, description } = error;
  return {
    title: 'The assistant was not connected',
    status: error.status,
    plain: true,
    body: (
      <>
        <p class="lead">{happened} It did not get access.</p>
        {next.map((step) => (
          <p key={step}>{step}</p>
        ))}
        <Facts
          facts={[
            ...(host === null ? [] : [['Asked by', <strong key="host">{host}</strong>] as const]),
            ['Error', description === null ? code : `${code}: ${description}`],
          ]}
        />
        {answer !== null && <ReturnToAssistant answer={answer} />}
      </>
    ),
  };
}

/**
 * A button that takes the error to the waiting assistant. An automatic redirect would make the service an open
 * redirect, because any web site can register an address.
 */
function ReturnToAssistant({ answer }: { answer: NonNullable<AuthorizationError['answer']> }) {
  const destination = describeRedirect(answer);
  return (
    <>
      <p class="notice warning">
        The assistant is waiting for an answer at <strong>{destination}</strong>. Return only if you started this
        yourself and your assistant is there. Otherwise close this page.
      </p>
      <p>
        <a class="button" href={answer.uri} rel="noreferrer">
          Return to the assistant
        </a>
      </p>
    </>
  );
}
