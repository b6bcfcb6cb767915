import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { verifySeal } from '../../trail/extension.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { KEPT_SEAL_FORMAT } from '../../trail/seals/kept-seal.ts';
import { type Command, CommandError, onlyArgument, UsageError } from '../command.ts';
import { beginsWith } from '../history/files.ts';
import { sealVerdictText, verdictText } from './verdict-text.ts';
import { keysFrom, sealFrom, verifyFile } from './verify-file.ts';

export const verifyHistory: Command = {
  help: `Usage: veritrail verify FILE --key KEY [options]

Verifies a file of "veritrail export": every event, chain, seal and signature, the order, and that nothing is missing up to
the newest seal. It needs only the file and the public key. Nothing is written.

For a file of "veritrail seal --since", it proves that the sealed history begins with the one in the seal that you kept
(--seal). So nothing before it was altered, although you have only the two seals.

  --key KEY      the public key of the seals, from "veritrail seal-key": the text, or a file with one or several keys. All
                 of them are trusted. Get the key from somebody you trust, not together with the file. After a leak, give
                 only the new one. May be repeated
  --seal FILE    a seal that you kept earlier, from "veritrail seal". The history must extend it. May be repeated
  --json         prints the verdict as JSON

Exit codes: 0 valid, 1 not valid (with the first fault and its place), 2 neither an export nor a seal.`,

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
    const keptSeals = await Promise.all(
      (values.seal ?? []).map(async (seal) => (await sealFrom('--seal', seal, shell)).seal),
    );
    const print = (verdict: object, text: string) => shell.out(values.json ? JSON.stringify(verdict, null, 2) : text);
    if (await beginsWith(path, `{"format":"${KEPT_SEAL_FORMAT}"`)) {
      const verdict = verifySeal(nodeCrypto, await sealFrom('verify', file, shell), { keys, keptSeals });
      print(verdict, sealVerdictText(verdict));
      if (!verdict.valid) throw new CommandError('The seal is not valid.');
    } else {
      const verdict = await verifyFile(path, { keys, keptSeals }, shell);
      print(verdict, verdictText(verdict));
      if (!verdict.valid) throw new CommandError('The history is not valid.');
    }
  },
};
