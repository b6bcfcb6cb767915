import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NotAnExport } from '../../trail/check/line-splitter.ts';
import type { VerifierOptions } from '../../trail/check/verifier.ts';
import { verifySeal } from '../../trail/extension.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { KEPT_SEAL_FORMAT } from '../../trail/seals/kept-seal.ts';
import { type Command, CommandError, onlyArgument, type Shell, UnsuitableFile, UsageError } from '../command.ts';
import { beginsWith } from '../history/files.ts';
import { proofFileVerdictText } from './proof-file.ts';
import { sealVerdictText, verdictText } from './verdict-text.ts';
import { keysFrom, proofFileFrom, sealFrom, verifyFile, verifyWithNode } from './verify-file.ts';

export const verifyHistory: Command = {
  help: `Usage: veritrail verify FILE --key KEY [options]

Verifies a file. It needs only the file and the public key. Nothing is written. FILE is one of these, recognized by its
content:
- a file of "veritrail export": verifies every event, chain, seal and signature, the order, and that nothing is missing up
  to the newest seal
- a file of "veritrail seal --since": proves that the sealed history begins with the one in the seal that you kept
  (--seal). So nothing before it was altered, although you have only the two seals
- a change's proof, from "Save proof" on the page of a change: proves who, when, why, before and after, and that a seal
  covers the change. Shows the change
- the JSON of an audit pack: proves that a seal covers its position, and that its digest is that of its data

  --key KEY      the public key of the seals, from "veritrail seal-key": the text, or a file with one or several keys. All
                 of them are trusted. Get the key from somebody you trust, not together with the file. After a leak, give
                 only the new one. May be repeated
  --seal FILE    a seal that you kept earlier, from "veritrail seal". The history must extend it. For exports and seals.
                 May be repeated
  --json         prints the verdict as JSON

Exit codes: 0 valid, 1 not valid (with the first fault and its place), 2 none of these files.`,

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
    if (values.key === undefined) throw new UsageError('Give the public key: --key KEY.');
    const keys = await keysFrom(values.key, shell);
    const keptSeals = await Promise.all(
      (values.seal ?? []).map(async (seal) => (await sealFrom('--seal', seal, shell)).seal),
    );
    const { what, verdict, text } = await verifyAnyFile(file, { keys, keptSeals }, shell);
    shell.out(values.json ? JSON.stringify(verdict, null, 2) : text);
    if (!verdict.valid) throw new CommandError(`The ${what} is not valid.`);
  },
};

interface FileVerdict {
  what: 'seal' | 'proof' | 'history';
  verdict: { valid: boolean };
  text: string;
}

async function verifyAnyFile(
  file: string,
  options: Required<Omit<VerifierOptions, 'now'>>,
  shell: Shell,
): Promise<FileVerdict> {
  const path = resolve(shell.cwd, file);
  if (await beginsWith(path, `{"format":"${KEPT_SEAL_FORMAT}"`)) {
    const verdict = verifySeal(nodeCrypto, await sealFrom('verify', file, shell), options);
    return { what: 'seal', verdict, text: sealVerdictText(verdict) };
  }
  const proofFile = await proofFileFrom(path);
  if (proofFile !== null) {
    if (options.keptSeals.length > 0)
      throw new UsageError('--seal is for exports and seals: leave it out for a proof.');
    const verdict = verifyWithNode(proofFile, options.keys);
    return { what: 'proof', verdict, text: proofFileVerdictText(verdict) };
  }
  const verdict = await verifyFile(path, options, shell).catch(describeOtherFile);
  return { what: 'history', verdict, text: verdictText(verdict) };
}

/** Names the files that the command takes, for a file whose first line shows that it is none of them. */
function describeOtherFile(error: unknown): never {
  if (!(error instanceof NotAnExport) || error.line > 1) throw error;
  const kinds = 'an export, a seal, a saved proof nor the JSON of an audit pack';
  throw new UnsuitableFile(`The file is neither ${kinds}, or it is damaged: ${error.message}.`);
}
