import { accountEmail } from './account-email.ts';
import { accountLink } from './account-link.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { exportHistory } from './export.ts';
import { frameworkImport } from './framework-import.ts';
import { importFile } from './import.ts';
import { init } from './init.ts';
import { memberList } from './member-list.ts';
import { rebuild } from './rebuild.ts';
import { redact } from './redact.ts';
import { restore } from './restore.ts';
import { seal } from './seal.ts';
import { sealKey } from './seal-key.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRegenerate } from './token-regenerate.ts';
import { tokenRevoke } from './token-revoke.ts';
import { verify } from './verify.ts';

/** Every subcommand, in the order of the help. Adding one is adding its name. */
export const COMMANDS: readonly Command[] = [
  tokenCreate,
  tokenList,
  tokenRevoke,
  tokenRegenerate,
  memberList,
  accountLink,
  accountEmail,
  importFile,
  frameworkImport,
  exportHistory,
  verify,
  redact,
  seal,
  sealKey,
  restore,
  backup,
  rebuild,
  init,
];
