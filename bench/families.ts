import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { controlId, derivedId } from '../src/commands/engine/ids.ts';
import type { Caller } from '../src/commands/organization/caller.ts';
import { AccountNames } from '../src/identity/accounts/account-names.ts';
import { Applier } from '../src/projections/engine/applier.ts';
import { WriteBuffer } from '../src/projections/engine/write-buffer.ts';
import { COLLECTIONS } from '../src/projections/models.ts';
import { CursorKey } from '../src/queries/lists/cursor.ts';
import { Reader } from '../src/queries/moments/snapshot.ts';
import type { EventStore, StoredEvent, StorePosition } from '../src/stores/event-store.ts';
import { openStores } from '../src/stores/open.ts';
import type { DocumentQuery, ReadModels } from '../src/stores/read-store.ts';
import { ALL_TOOLS } from '../src/tools/all-tools.ts';
import type { ToolService } from '../src/tools/tool.ts';
import { createToolBox } from '../src/tools/toolbox.ts';
import { withOverrides } from '../test/support/with-overrides.ts';
import { tempFolder } from './bench-register.ts';
import { atMost, compareTimes, type Figure, figure } from './measure.ts';

const ROUNDS = 150;
const EVENTS_PER_BATCH = 500;
const ORGANIZATION = derivedId('org', randomUUID());
const ACCOUNT = derivedId('acc', randomUUID());
const SEED = '00000000-0000-4000-8000-000000000000';

/** Sample records of a family, one event each, and list filters that match some of them. */
interface ListBenchmark {
  tool: string;
  streams: { stream: string; prefix: string; type: string; data(index: number, id: string): object }[];
  filters: readonly object[];
}

const pickCyclic = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
const day = (index: number) => new Date(Date.UTC(2024, 0, 1) + (index % 1_500) * 86_400_000).toISOString().slice(0, 10);
const nameOf = (index: number) => `Record ${String((index * 7_919) % 1_000_003).padStart(7, '0')}`;

const frameworks = {
  stream: 'framework',
  prefix: 'frm',
  type: 'FrameworkAdopted',
  data: (index: number, id: string) => ({
    name: nameOf(index),
    controls: [{ id: controlId(id, 0), section_title: `A.${index % 90}.${index % 40}`, name: `Control ${index}` }],
  }),
};

const LIST_BENCHMARKS: readonly ListBenchmark[] = [
  {
    tool: 'listRisks',
    streams: [
      {
        stream: 'risk',
        prefix: 'rsk',
        type: 'RiskAdded',
        data: (index) => ({
          name: nameOf(index),
          inherent_likelihood: (index % 5) + 1,
          inherent_impact: ((index >> 3) % 5) + 1,
          category: pickCyclic(['Legal', 'People', 'Technology'], index),
          next_review_due: day(index),
        }),
      },
    ],
    filters: [{ min_score: 1 }, { priority: ['CRITICAL'], category: ['legal'] }, { due_before: '2024-01-02' }],
  },
  {
    tool: 'listMeasures',
    streams: [
      {
        stream: 'measure',
        prefix: 'msr',
        type: 'MeasureAdded',
        data: (index) => ({
          name: nameOf(index),
          state: pickCyclic(['NOT_STARTED', 'IN_PROGRESS'], index),
          due_date: day(index),
        }),
      },
    ],
    filters: [{ missing: ['CONTROLS'] }, { state: ['IN_PROGRESS'] }, { due_before: '2024-01-02' }],
  },
  {
    tool: 'listVendors',
    streams: [
      {
        stream: 'vendor',
        prefix: 'vnd',
        type: 'VendorAdded',
        data: (index) => ({
          name: nameOf(index),
          country: pickCyclic(['DE', 'FR', 'EE', 'FI', 'US'], index),
          criticality: pickCyclic(['LOW', 'MEDIUM', 'HIGH'], index >> 2),
        }),
      },
    ],
    filters: [{ never_reviewed: true }, { country: ['ee'], criticality: ['HIGH'] }, { query: 'Record 00000' }],
  },
  {
    tool: 'listObligations',
    streams: [
      {
        stream: 'obligation',
        prefix: 'obl',
        type: 'ObligationAdded',
        data: (index) => ({
          requirement: nameOf(index),
          area: pickCyclic(['Privacy', 'Tax', 'Labour'], index),
          due_date: day(index),
        }),
      },
    ],
    filters: [{ status: ['NOT_ASSESSED'] }, { area: ['tax'] }, { due_before: '2024-01-02' }],
  },
  {
    tool: 'listNonconformities',
    streams: [
      {
        stream: 'nonconformity',
        prefix: 'ncf',
        type: 'NonconformityRaised',
        data: (index) => ({
          description: nameOf(index),
          severity: pickCyclic(['MAJOR', 'MINOR', 'OBSERVATION'], index),
          due_date: day(index),
        }),
      },
    ],
    filters: [{ open: true }, { severity: ['MAJOR'] }, { due_before: '2024-01-02' }],
  },
  {
    tool: 'listFrameworks',
    streams: [frameworks],
    filters: [{ missing: ['OWNER'] }, { query: 'Record 00000' }],
  },
  {
    tool: 'listControls',
    streams: [frameworks],
    filters: [{ status: ['INCLUDED'], implementation: ['NONE'] }, { section_title: ['A.1.1'] }],
  },
  {
    tool: 'listAudits',
    streams: [
      frameworks,
      {
        stream: 'audit',
        prefix: 'aud',
        type: 'AuditAdded',
        data: (index) => ({
          name: nameOf(index),
          framework_id: derivedId('frm', SEED, index),
          kind: pickCyclic(['INTERNAL', 'EXTERNAL', 'CERTIFICATION'], index),
          starts_on: day(index),
        }),
      },
    ],
    filters: [{ state: ['NOT_STARTED'] }, { kind: ['EXTERNAL'] }, { starts_before: '2024-01-02' }],
  },
];

/** For each family, compares its list tool with the bare store queries, for the most and the least selective filter. */
export async function familyFigures(records: number, logProgress: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const bench of LIST_BENCHMARKS) {
    logProgress(bench.tool);
    figures.push(...(await measure(bench, records)));
  }
  return figures;
}

async function measure({ tool, streams, filters }: ListBenchmark, records: number): Promise<Figure[]> {
  const folder = tempFolder();
  const { events, reads, accounts, close } = await openStores({
    dataDir: folder,
    eventStoreUrl: null,
    mongodbUrl: null,
  });
  const newModels = await reads.open('bench', COLLECTIONS, true);
  await buildRecords(newModels, streams, records);
  await newModels.close();
  const models = await reads.open('bench', COLLECTIONS);
  const recordedQueries: DocumentQuery[] = [];
  const recordingModels = withOverrides(models, {
    find: (query: DocumentQuery) => {
      recordedQueries.push(query);
      return models.find(query);
    },
  });
  const progress = {
    role: 'FOLLOWER' as const,
    waitUntilCaughtUp: async () => true,
    checkpoint: () => null,
    caughtUpAt: 1,
  };
  const reader = new Reader(() => ({ models: recordingModels, progress }), {
    events,
    names: new AccountNames(accounts),
    accessLog: { hasType: () => false, list: async () => ({}) },
    cursorKey: new CursorKey(Buffer.alloc(32)),
    now: () => new Date(),
  });
  const service = { reader, waitUntilProjected: async () => true, writeWaitMs: 0 } as unknown as ToolService;
  const tools = createToolBox(ALL_TOOLS, service, (error) => {
    throw error;
  });
  const caller = {
    account_id: ACCOUNT,
    roles: new Map([[ORGANIZATION, 'OWNER']]),
    members: new Map([[ORGANIZATION, 'OWNER']]),
    read_only: false,
  } as unknown as Caller;
  const call = async (filter: object, view: string) => {
    const args = { organization_id: ORGANIZATION, filter, view };
    const { json, status } = await tools.call(tool, args, { caller });
    if (status !== 200) throw new Error(`${tool} ${JSON.stringify(filter)}: ${json}`);
    return JSON.parse(json) as { total: number };
  };
  const totals: { filter: object; total: number }[] = [];
  for (const filter of filters) totals.push({ filter, total: (await call(filter, 'COUNT')).total });
  totals.sort((a, b) => a.total - b.total);
  const figures: Figure[] = [];
  for (const { filter, total } of [totals[0]!, totals.at(-1)!]) {
    recordedQueries.length = 0;
    await call(filter, 'SUMMARY');
    const queries = [...recordedQueries];
    const runQueries = async () => {
      for (const query of queries) await models.find(query);
    };
    const page = () => tools.call(tool, { organization_id: ORGANIZATION, filter }, { caller });
    const { value, baseline } = await compareTimes(ROUNDS, page, runQueries);
    const share = `${total.toLocaleString('en')} of ${records.toLocaleString('en')}`;
    const name = `${tool}, ${JSON.stringify(filter).replaceAll('"', '')} (${share}), p50; baseline: its store queries`;
    figures.push(figure(name, 'µs', value, baseline, atMost(2)));
  }
  await models.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
  return figures;
}

/** Creates records as a rebuild does, from events that are not stored. Their hashes are not checked. */
async function buildRecords(models: ReadModels, streams: ListBenchmark['streams'], records: number): Promise<void> {
  const writeBuffer = new WriteBuffer(models);
  const compareStorePositions = (a: string, b: string) => Number(a) - Number(b);
  const applier = new Applier({ compareStorePositions } as unknown as EventStore, writeBuffer, 'bench');
  await applier.prepare();
  let position = 0;
  for (const { stream, prefix, type, data } of streams) {
    for (let first = 0; first < records; first += EVENTS_PER_BATCH) {
      const batch = Array.from({ length: Math.min(EVENTS_PER_BATCH, records - first) }, (_, offset) => {
        const id = derivedId(prefix, SEED, first + offset);
        return event(`${stream}-${id}`, type, data(first + offset, id), ++position);
      });
      await applier.apply(batch);
    }
  }
  await writeBuffer.flush(applier.checkpoints, applier.place);
  await models.buildIndexes();
}

function event(stream: string, type: string, data: object, position: number): StoredEvent {
  const metadata = {
    organization_id: ORGANIZATION,
    actor_id: ACCOUNT,
    token_id: null,
    client: null,
    command_id: randomUUID(),
    recorded_at: new Date(Date.UTC(2025, 0, 1) + position).toISOString(),
    schema_version: 1,
    hash: String(position),
  };
  const stored = {
    id: randomUUID(),
    stream,
    revision: 0,
    type,
    data,
    metadata,
    storePosition: String(position) as StorePosition,
  };
  return stored as unknown as StoredEvent;
}
