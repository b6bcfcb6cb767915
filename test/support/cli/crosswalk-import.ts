/** Runs `veritrail crosswalk import` in this process, where two small frameworks are adopted. */
import * as assert from 'uvu/assert';
import type { CrosswalkPair } from '../../../src/register/crosswalk.ts';
import { eventsOf, saveFile as file, type ImportInstallation, importSuite, veritrail } from './import-command.ts';

/** Returns a suite whose tests each have an installation with ISO/IEC 27001 and NIST CSF. */
export const crosswalkSuite = (name: string) =>
  importSuite(name, async (identity) => {
    await adopt(identity, 'ISO/IEC 27001:2022', ['A.5.1', 'A.5.2', 'A.5.10', 'A.5.15']);
    await adopt(identity, 'NIST CSF', ['GV.PO-01', 'GV.RR-02', 'PR.AA-05']);
    await veritrail(identity, 'rebuild');
  });

export async function adopt(identity: ImportInstallation, name: string, numbers: readonly string[]): Promise<void> {
  const table = file(
    identity,
    'framework.csv',
    'Number,Title',
    ...numbers.map((number) => `${number},About ${number}`),
  );
  const { code, err } = await veritrail(identity, 'framework', 'import', table, '--name', name);
  assert.is(code, 0, err);
}

export const importFile = (identity: ImportInstallation, ...args: string[]) =>
  veritrail(identity, 'crosswalk', 'import', ...args);

/** Returns the imported pairs by number, with one line for each. */
export async function pairsOf(identity: ImportInstallation): Promise<string[][]> {
  const numberOf = new Map<string, string>();
  for (const { data } of await eventsOf(identity, 'FrameworkAdopted')) {
    for (const { id, section_title } of data.controls as { id: string; section_title: string }[]) {
      numberOf.set(id, section_title);
    }
  }
  const events = await eventsOf(identity, 'CrosswalkImported');
  return events.map(({ data }) =>
    (data.pairs as CrosswalkPair[]).map(({ from_id, to_id, relation }) => {
      const numbers = [numberOf.get(from_id), numberOf.get(to_id)];
      // Ids are random, and the lower one comes first if a relation has no direction.
      return (relation === 'EQUIVALENT' ? numbers.sort() : numbers).join(` ${relation} `);
    }),
  );
}
