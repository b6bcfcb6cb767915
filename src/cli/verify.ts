import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { verifySeal } from '../trail/extension.ts';
import { KEPT_SEAL_FORMAT } from '../trail/kept-seal.ts';
import { type Command, CommandError, onlyArgument, UsageError } from './command.ts';
import { beginsWith } from './files.ts';
import { sealVerdictText, verdictText } from './verdict-text.ts';
import { keysFrom, sealFrom, verifyFile } from './verify-file.ts';

export const verifyHistory: Command = {
  help: `Usage: veritrail verify FILE --key KEY [options]

Proves a history that "veritrail export" wrote: every event, every chain, every seal and signature, the order, and that
nothing is missing up to the newest seal. It needs the file and the public key alone. Nothing is written.

Of a file that "veritrail seal --since" wrote it proves that the history which was sealed begins with the one that was
sealed in the file you kept (--seal): nothing before was altered, though you have no more of it than the two seals.

  --key KEY      the public key that seals are signed with, which the service prints by "veritrail seal-key": the text
                 itself or a file with it, or with several, one after the other; all are trusted. Get it from somebody
                 you trust, not with the file; after a leak, the new one alone. May be repeated
  --seal FILE    a seal that was kept elsewhere earlier ("veritrail seal"): the history must extend it. May be repeated
  --json         the verdict as JSON

Ends with 0 where all holds, 1 where something does not fit (it says what, and where), 2 where the file is neither.`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        seal: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
      },
    });
    const file = onlyArgument(positionals, 'the FILE to verify');
    const path = resolve(shell.cwd, file);
    if (values.key === undefined) throw new UsageError('Give the public key: --key KEY.');
    const keys = await keysFrom(values.key, shell);
    const kept = await Promise.all(
      (values.seal ?? []).map(async (seal) => (await sealFrom('--seal', seal, shell)).seal),
    );
    const say = (verdict: object, text: string) => shell.out(values.json ? JSON.stringify(verdict, null, 2) : text);
    if (await beginsWith(path, `{"format":"${KEPT_SEAL_FORMAT}"`)) {
      const verdict = verifySeal(await sealFrom('verify', file, shell), { keys, keptSeals: kept });
      say(verdict, sealVerdictText(verdict));
      if (!verdict.valid) throw new CommandError('The seal does not hold.');
    } else {
      const verdict = await verifyFile(path, { keys, keptSeals: kept }, shell);
      say(verdict, verdictText(verdict));
      if (!verdict.valid) throw new CommandError('The history does not hold.');
    }
  },
};
