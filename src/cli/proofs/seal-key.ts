import { parseArgs } from 'node:util';
import { SealKeys } from '../../seal/seal-keys.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { publicPem, readPublicKey, type SigningKey } from '../../trail/seals/key.ts';
import type { Command } from '../command.ts';
import { withInstallation } from '../with-installation.ts';

export const sealKey: Command = {
  help: `Usage: veritrail seal-key [--rotate] [--pem]

Prints the public keys of the seals, the oldest first, as "veritrail verify --key" takes them. People who verify should
get the keys from you, not together with the file. The private keys are in the account store.

  --rotate    starts using a new key. The running service records the rotation in each organization's history, signed by
              both keys, so that people with the first key need no other
  --pem       prints PEM (SPKI), for other tools`,

  async run(args, shell) {
    const options = {
      rotate: { type: 'boolean', default: false },
      pem: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ args, options });
    await withInstallation(shell, async ({ accounts, clock }) => {
      const keys = new SealKeys(accounts, clock.now);
      if (values.rotate) await keys.rotate();
      const all = await keys.ownKeys();
      const show = ({ public_key }: SigningKey) =>
        values.pem ? publicPem(readPublicKey(nodeCrypto, public_key)) : public_key;
      shell.out(all.map(show).join('\n'));
      shell.err(`Active key: ${all.at(-1)!.key_id} (${all.length === 1 ? '1 key' : `${all.length} keys`} in total).`);
    });
  },
};
