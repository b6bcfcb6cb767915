import { resolve } from 'node:path';
import { pino } from 'pino';
import { type Config, DEFAULT_DATA_DIR } from '../config.ts';
import { DEFAULT_TOKEN_DAYS } from '../identity/tokens/token-record.ts';
import { mcpServersConfig } from '../web/texts/connect-blocks.ts';
import type { StartSecret } from './start-secret.ts';

/** The facts that a start prints once the service listens. */
export interface StartBanner {
  address: string;
  endpoint: string;
  organizationId: string;
  /** A token with the role ADMIN, only on the start that created it. */
  firstToken: StartSecret | null;
  /** A link for the first owner, until one was used. */
  setupLink: StartSecret | null;
  /** A link to the people of the demo, only with the demo. */
  demoLink: StartSecret | null;
  /** Warnings about this start. */
  notes: readonly string[];
  /** The start of a command line of the `veritrail` command, for this data folder. */
  command: string;
}

/** Returns the start of a command line that uses the service's data folder, to be typed in the folder `cwd`. */
export function veritrailCommand({ dataDir }: Pick<Config, 'dataDir'>, cwd: string): string {
  if (dataDir === resolve(cwd, DEFAULT_DATA_DIR)) return 'npx veritrail';
  const isPlain = /^[\w./:@%+,-]+$/.test(dataDir);
  return `DATA_DIR=${isPlain ? dataDir : `'${dataDir.replaceAll("'", "'\\''")}'`} npx veritrail`;
}

const LINK = 'the set-up link for the first owner (it works once, for 24 hours; a restart creates another)';
const DEMO_LINK = 'the link to the demo (it works until the service stops; the next start creates another)';
const ADVICE = 'Give each assistant its own token, with the lowest role that it needs.';

/** Returns the banner as prose, for a terminal. */
export function bannerText(banner: StartBanner): string {
  const { address, notes, setupLink, demoLink } = banner;
  const parts = [`veritrail is listening on ${address}`, ...notes];
  if (banner.firstToken !== null) parts.push(firstTokenText(banner, banner.firstToken));
  // A person looks for the link first, so it comes last, above the prompt.
  if (setupLink !== null) parts.push(setupLinkText(banner, setupLink));
  if (demoLink !== null) parts.push(demoLinkText(demoLink));
  return parts.join('\n').concat('\n');
}

/** Returns the banner as JSON lines like the log's, for containers and log collectors. */
export function bannerLogLines(banner: StartBanner): string {
  const { address, endpoint, organizationId, firstToken, setupLink, demoLink, notes, command } = banner;
  const lines: string[] = [];
  const log = pino({ timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => lines.push(line) });
  log.info({ address }, `veritrail is listening on ${address}`);
  for (const note of notes) log.warn(note);
  if (firstToken !== null) {
    const start = { endpoint, organization_id: organizationId, ...fieldsOf('token', firstToken) };
    log.info(
      start,
      `This is the first start. ${secretSentence('The first token', firstToken, makeToken(command))} ${ADVICE}`,
    );
  }
  if (setupLink !== null) {
    log.info(fieldsOf('link', setupLink), secretSentence(capitalize(LINK), setupLink, makeLink(command)));
  }
  if (demoLink !== null) {
    log.info(fieldsOf('link', demoLink), secretSentence(capitalize(DEMO_LINK), demoLink, makeDemoLink));
  }
  return lines.join('');
}

const makeToken = (command: string) => `Create another one: ${command} token create --name NAME --role ADMIN.`;
const makeLink = (command: string) =>
  `Create one: ${command} account link ACCOUNT (${command} member list shows the ids).`;
const makeDemoLink = 'Make the data folder writable, and start again.';

function firstTokenText({ endpoint, organizationId, command }: StartBanner, token: StartSecret): string {
  if (!('text' in token)) {
    return `
This is the first start. Endpoint and organization:

  ${endpoint}
  ${organizationId}

${secretSentence('The first token', token, makeToken(command))}
${ADVICE}`;
  }
  return `
This is the first start. Endpoint, organization and token (shown only once, valid for ${DEFAULT_TOKEN_DAYS} days):

  ${endpoint}
  ${organizationId}
  ${token.text}

Paste this into your MCP client's configuration:

${mcpServersConfig(endpoint, token.text)}

This token has the role ADMIN, for your first steps. ${ADVICE}

  ${command} token create --name "my assistant" --role EDITOR`;
}

function setupLinkText({ command }: StartBanner, link: StartSecret): string {
  if (!('text' in link)) return `\n${secretSentence(capitalize(LINK), link, makeLink(command))}`;
  return `
Open this link in a browser to choose your name and password (it works once, for 24 hours; a restart prints another):

  ${link.text}
`;
}

function demoLinkText(link: StartSecret): string {
  if (!('text' in link)) return `\n${secretSentence(capitalize(DEMO_LINK), link, makeDemoLink)}`;
  return `
Open this link in a browser to look around the demo (it works until the service stops; the next start prints another):

  ${link.text}
`;
}

function secretSentence(name: string, secret: StartSecret, remedy: string): string {
  if ('text' in secret) return `${name} is in this line.`;
  if ('file' in secret) return `${name} is in ${secret.file}, readable by this user only. Delete the file after use.`;
  return `${name} could not be written to ${secret.unwritableFile}. ${remedy}`;
}

function fieldsOf(name: string, secret: StartSecret): Record<string, string> {
  if ('text' in secret) return { [name]: secret.text };
  return 'file' in secret ? { [`${name}_file`]: secret.file } : {};
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
