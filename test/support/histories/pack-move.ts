/** Generates an audit's pack again in several places and at later times. It must stay the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { StoreSettings } from '../../../src/stores/open.ts';
import { provesInclusion } from '../../../src/trail/index.ts';
import { withCalendar } from '../calendar.ts';
import type { Item, ToolCaller } from '../mcp/mcp-client.ts';
import { digestOfAnswer, reportCaller, rowsOf, type WholeReport, wholeReport } from '../reports.ts';
import { embeddedSettings, folderOfTest, type InstalledRegister, install } from '../run/installed.ts';
import { runOnPair, runSuccessfully } from '../stores/run-on-pair.ts';
import { changeEverything, completeAudit, toolCallerOn, YEAR_DAYS } from './pack-year.ts';

/** Sections of an audit pack. The simulated year must change all of them. */
const SEEN = ['controls', 'measures', 'evidence', 'findings'];

/**
 * Completes an audit, generates its pack, changes everything for a year, rebuilds the read models, moves the history into
 * other stores, and exports and verifies it there.
 */
export async function assertPackMoves(target: StoreSettings): Promise<void> {
  const cwd = folderOfTest();
  const history = await liveThroughYear(cwd);
  const { organizationId, auditId, key, pack } = history;
  await runSuccessfully(target, cwd, 'restore', 'moved.jsonl.gz', '--key', key, '--keys', 'keys.jsonl.gz');
  await working(target, async (installedAgain) => {
    assertSamePack(await packOf(installedAgain, organizationId, auditId), pack, 'in the other stores');
    await installedAgain.seal();
  });
  await runSuccessfully(target, cwd, 'export', organizationId, '--to', 'there.jsonl');
  const missingStores = embeddedSettings(join(cwd, 'no such stores'));
  await runSuccessfully(missingStores, cwd, 'verify', 'there.jsonl', '--key', key);
  assertProven(pack, cwd);
  const stranger = await working(
    embeddedSettings(),
    async ({ settings }) => (await runSuccessfully(settings, cwd, 'seal-key')).out,
  );
  assert.is(
    (await runOnPair(missingStores, cwd, 'verify', 'there.jsonl', '--key', stranger)).code,
    1,
    'by a stranger’s key',
  );
}

/** Runs `work` on stores and always closes them, so that a failed test ends. */
async function working<T>(settings: StoreSettings, work: (installed: InstalledRegister) => Promise<T>): Promise<T> {
  const installed = await install(settings);
  try {
    return await work(installed);
  } finally {
    await installed.stop();
  }
}

interface History {
  organizationId: string;
  auditId: string;
  /** The public key of its seals. */
  key: string;
  pack: WholeReport;
}

/** Plays the year in embedded stores and exports its history. */
async function liveThroughYear(cwd: string): Promise<History> {
  const settings = embeddedSettings();
  return withCalendar(YEAR_DAYS, async (calendar) => {
    const history = await working(settings, async (from) => {
      const { organizationId } = from;
      const owner = toolCallerOn(from, organizationId);
      const auditId = await completeAudit(owner, organizationId);
      await from.seal();
      const pack = await packOf(from, organizationId, auditId);
      const evidence = rowsOf(pack, 'evidence').map(({ id }) => String(id));
      await changeEverything({ owner, organization_id: organizationId, audit: auditId, evidence }, calendar);
      await from.seal();
      assertSamePack(await packOf(from, organizationId, auditId), pack, 'a year later');
      await assertAllChanged(owner, pack);
      return { organizationId, auditId, pack };
    });
    await runSuccessfully(settings, cwd, 'rebuild');
    await working(settings, async (rebuilt) => {
      assertSamePack(
        await packOf(rebuilt, history.organizationId, history.auditId),
        history.pack,
        'from new read models',
      );
    });
    const key = (await runSuccessfully(settings, cwd, 'seal-key')).out;
    await runSuccessfully(settings, cwd, 'export', history.organizationId, '--to', 'moved.jsonl.gz');
    await runSuccessfully(settings, cwd, 'backup', '--to', 'keys.jsonl.gz');
    return { ...history, key };
  });
}

function packOf(installed: InstalledRegister, organizationId: string, audit_id: string): Promise<WholeReport> {
  const getReport = reportCaller(toolCallerOn(installed, organizationId), organizationId);
  return wholeReport(getReport, { type: 'AUDIT_PACK', audit_id });
}

/** Compares two reports by digest, by the digest's input and by proof. */
function assertSamePack(again: WholeReport, pack: WholeReport, where: string): void {
  assert.is(again.digest, pack.digest, where);
  assert.is(digestOfAnswer(again), pack.digest, where);
  assert.equal(again.data, pack.data, where);
  const { verification, ...proof } = again.proof!;
  const { verification: _, ...first } = pack.proof!;
  assert.equal(proof, first, where);
  // The verification is made today, with the newest seal.
  assert.equal([verification?.verdict, verification?.complete], ['VALID', true], where);
}

async function assertAllChanged(owner: ToolCaller, pack: WholeReport): Promise<void> {
  for (const section of SEEN) {
    const ids = rowsOf(pack, section).map(({ id }) => String(id));
    assert.ok(ids.length > 0, section);
    for (let first = 0; first < ids.length; first += 20) {
      const batch = ids.slice(first, first + 20);
      const { records } = await owner.ok('getRecords', { ids: batch, include: ['ARCHIVED'] });
      assert.is(records.length, batch.length);
      for (const { id, updated_at, archived_at } of records as (Item & { [time: string]: string })[]) {
        assert.ok((archived_at ?? updated_at!) > String(pack.generated_at), `${id} was not changed`);
      }
    }
  }
}

/** Checks the pack's proof against the exported history alone. */
function assertProven({ position, proof }: WholeReport, cwd: string): void {
  const { seal, inclusion } = proof as { seal: Parameters<typeof provesInclusion>[2]; inclusion: never };
  const lines = readFileSync(join(cwd, 'there.jsonl'), 'utf8').split('\n');
  const line = JSON.parse(lines[Number(position)]!) as { position: number; event: { metadata: { hash: string } } };
  assert.is(line.position, Number(position));
  assert.ok(provesInclusion(inclusion, line.event.metadata.hash, seal), 'the pack’s position is in its seal');
}
