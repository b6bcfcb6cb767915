import { parseArgs } from 'node:util';
import { SealKeys } from '../seal/seal-keys.ts';
import { publicPem, readPublicKey, type SigningKey } from '../trail/key.ts';
import type { Command } from './command.ts';
import { withInstallation } from './with-installation.ts';

export const sealKey: Command = {
  help: `Usage: veritrail seal-key [--rotate] [--pem]

Prints the public keys that seals are or were signed with, the first one first, each as the text that "veritrail verify
--key" takes. Whoever verifies should get them from you, and not with the file. The private keys are in the account store.

  --rotate    puts a new key in force. The running service writes into each organization's history that it follows the
              one before, signed by both: whoever has the first key needs no other
  --pem       prints PEM (SPKI) instead, for other tools`,

  async run(args, shell) {
    const options = {
      rotate: { type: 'boolean', default: false },
      pem: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ args, options });
    await withInstallation(shell, async ({ accounts }) => {
      const keys = new SealKeys(accounts, () => new Date());
      if (values.rotate) await keys.rotate();
      const all = await keys.all();
      const show = ({ public_key }: SigningKey) => (values.pem ? publicPem(readPublicKey(public_key)) : public_key);
      shell.out(all.map(show).join('\n'));
      shell.err(`In force: ${all.at(-1)!.key_id}, the last of ${all.length === 1 ? 'one key' : `${all.length} keys`}.`);
    });
  },
};
