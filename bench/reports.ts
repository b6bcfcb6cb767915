import { allTools } from '../src/mcp/tools/all-tools.ts';
import type { ToolService } from '../src/mcp/tools/define-tool.ts';
import { createToolBox } from '../src/mcp/tools/toolbox.ts';
import type { Reader } from '../src/queries/moments/reader.ts';
import { reportHtml } from '../src/reports/formats/html.ts';
import { openReportFile } from '../src/reports/report.ts';
import type { ReadModels } from '../src/stores/read-store.ts';
import { type Bed, layBed } from './data.ts';
import { type Figure, figure, inTurn } from './measure.ts';

const ROUNDS = 9;
/** Each takes seconds. */
const HTML_ROUNDS = 5;
const HTML_RISKS = 20_000;
const AT_ONCE = 500;
/** One call imports or links at most so many records. */
const A_CALL = 100;
const MOST_CONTROLS = 500;

/** A report with the collections of its rows. */
interface Drawn {
  input: { type: string; [narrowing: string]: string };
  collections: readonly string[];
}

/** Compares the posture of all vendors with its bare counts, and each report of `records` records with reading them. */
export async function reportFigures(bed: Bed, vendors: number, records: number): Promise<Figure[]> {
  const figures = [await postureFigure(bed, vendors)];
  const small = await layBed(records, 5);
  for (const report of await layReports(small, records)) figures.push(await reportFigure(small, report, records));
  await small.close();
  figures.push(await htmlFigure());
  return figures;
}

async function postureFigure(bed: Bed, vendors: number): Promise<Figure> {
  const { models } = bed.register.projections;
  const counts: Parameters<ReadModels['count']>[] = [];
  await postureThrough(bed, {
    ...like(models),
    count(...query) {
      counts.push(query);
      return models.count(...query);
    },
  });
  const report = () => bed.call('getReport', { organization_id: bed.organizationId, type: 'POSTURE', format: 'JSON' });
  const alone = async () => {
    for (const query of counts) await models.count(...query);
  };
  const { a, b } = await inTurn(ROUNDS, report, alone);
  const name = `POSTURE over ${vendors.toLocaleString('en')} records to its ${counts.length} counts alone`;
  return figure(name, 'µs', a, b, '<=', 3);
}

/** Wraps the read models to record their queries. */
function like(models: ReadModels): ReadModels {
  const bound =
    (name: string) =>
    (...args: unknown[]) => {
      const method = models[name as keyof ReadModels] as (...args: unknown[]) => unknown;
      return method.apply(models, args);
    };
  const names = ['find', 'count', 'get', 'checkpoint', 'checkpoints'];
  const methods = Object.fromEntries(names.map((name) => [name, bound(name)]));
  return { generation: models.generation, ...methods } as unknown as ReadModels;
}

async function postureThrough({ stores, register, organizationId, caller }: Bed, models: ReadModels): Promise<void> {
  const reader: Reader = {
    ...{ models, progress: register.projections.runner, events: stores.events, accounts: stores.accounts },
    ...{ cursorKey: Buffer.alloc(32), now: () => new Date() },
  };
  const service: ToolService = {
    handler: register.handler,
    reader,
    waitUntilProjected: (...position) => register.projections.waitUntilProjected(...position),
    writeWaitMs: 1_000,
    reportGenerated: () => undefined,
  };
  const tools = createToolBox(allTools(service), (error) => {
    throw error;
  });
  const { status } = await tools.call('getReport', { organization_id: organizationId, type: 'POSTURE' }, { caller });
  if (status !== 200) throw new Error('no posture');
}

/** Adds so many risks, obligations and nonconformities, and a framework with the largest number of controls. */
async function layReports(bed: Bed, records: number): Promise<Drawn[]> {
  const due = (index: number) => new Date(Date.now() + (index % 60) * 86_400_000).toISOString().slice(0, 10);
  await importAll(bed, 'RISK', records, (index) => ({
    name: `Risk ${index}`,
    description: `What happens where risk ${index} comes true, in a sentence or two`,
    inherent_likelihood: (index % 5) + 1,
    inherent_impact: ((index >> 3) % 5) + 1,
  }));
  await importAll(bed, 'OBLIGATION', records, (index) => ({ requirement: `Do thing ${index}`, due_date: due(index) }));
  await importAll(bed, 'NONCONFORMITY', records, (index) => ({ description: `Thing ${index} was not done` }));
  const framework_id = await layFramework(bed);
  const of = (type: string, ...collections: string[]): Drawn => ({ input: { type }, collections });
  return [
    of('VENDORS', 'vendors'),
    of('RISK_REGISTER', 'risks'),
    of('OBLIGATIONS', 'obligations'),
    of('NONCONFORMITIES', 'nonconformities'),
    of('DUE_ITEMS', 'vendors', 'obligations'),
    {
      input: { type: 'STATEMENT_OF_APPLICABILITY', framework_id },
      collections: ['controls', 'measures', 'links'],
    },
    { input: { type: 'CHANGES_BETWEEN', from: '1' }, collections: ['changes'] },
  ];
}

async function importAll(bed: Bed, type: string, records: number, row: (index: number) => object): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < records; first += A_CALL) {
    const rows = Array.from({ length: Math.min(A_CALL, records - first) }, (_, offset) => row(first + offset));
    const answer = await bed.call('importRecords', { organization_id: bed.organizationId, type, rows });
    if (answer.created !== rows.length) throw new Error(`rows refused: ${JSON.stringify(answer.rows)}`);
    ids.push(...(answer.rows as { id: string }[]).map(({ id }) => id));
  }
  return ids;
}

/** Adopts a framework and links a measure to each control. */
async function layFramework(bed: Bed): Promise<string> {
  const { organizationId: organization_id } = bed;
  const controls = Array.from({ length: MOST_CONTROLS }, (_, n) => ({ section_title: `H.${n}`, name: `Control ${n}` }));
  const { framework } = await bed.call('addFramework', {
    organization_id,
    name: 'House rules',
    version: '1',
    controls,
  });
  const measures = await importAll(bed, 'MEASURE', MOST_CONTROLS, (index) => ({ name: `Measure ${index}` }));
  let cursor: unknown;
  let linked = 0;
  do {
    const page = await bed.call('listControls', { organization_id, size: A_CALL, ...(cursor ? { cursor } : {}) });
    const ids = (page.controls as { id: string }[]).map(({ id }) => id);
    const links = ids.map((from_id, offset) => ({ from_id, to_id: measures[linked + offset] }));
    await bed.call('linkRecords', { links });
    linked += ids.length;
    cursor = page.next_cursor;
  } while (cursor);
  return (framework as { id: string }).id;
}

async function reportFigure(bed: Bed, { input, collections }: Drawn, records: number): Promise<Figure> {
  const report = () => bed.call('getReport', { organization_id: bed.organizationId, format: 'JSON', ...input });
  const alone = async () => {
    for (const collection of collections) await readAll(bed, collection);
  };
  const { a, b } = await inTurn(ROUNDS, report, alone);
  const size = input.framework_id === undefined ? records : MOST_CONTROLS;
  const name = `${input.type} at ${size.toLocaleString('en')} records to reading them through the bare store`;
  return figure(name, 'µs', a, b, '<=', 5);
}

/** Compares the risk register as an HTML file, with all fields filled, with reading its risks. */
async function htmlFigure(): Promise<Figure> {
  const bed = await layBed(1, 1);
  await importAll(bed, 'RISK', HTML_RISKS, (index) => ({
    reference_id: `R-${index}`,
    name: `Risk ${index} of the hospital interface`,
    description: `What happens where risk ${index} comes true, in a sentence or two. `.repeat(3),
    category: ['Security', 'Privacy', 'Supply'][index % 3]!,
    note: `Discussed on ${index % 28} occasions`,
    inherent_likelihood: (index % 5) + 1,
    inherent_impact: ((index >> 3) % 5) + 1,
    residual_likelihood: Math.ceil(((index % 5) + 1) / 2),
    residual_impact: Math.ceil((((index >> 3) % 5) + 1) / 2),
    treatment: 'MITIGATED',
    next_review_due: `2026-${String((index % 12) + 1).padStart(2, '0')}-15`,
    owner_id: 'ME',
  }));
  const { register, caller, organizationId: organization_id } = bed;
  const input = { organization_id, type: 'RISK_REGISTER' } as const;
  const output = { name: 'HTML', format: reportHtml };
  const report = async () => {
    const file = await openReportFile(register.reader, caller, input, output, () => undefined);
    await file.generate();
  };
  const { a, b } = await inTurn(HTML_ROUNDS, report, () => readAll(bed, 'risks'));
  await bed.close();
  const name = `RISK_REGISTER as HTML, ${HTML_RISKS.toLocaleString('en')} risks, to reading them through the bare store`;
  return figure(name, 'µs', a, b, '<=', 5);
}

async function readAll({ register, organizationId }: Bed, collection: string): Promise<void> {
  const query = { collection, organizationId, where: [], limit: AT_ONCE } as const;
  const order = { key: null, direction: 'ASC' } as const;
  let after: { key: null; id: string } | undefined;
  for (;;) {
    const rows = await register.projections.models.find({ ...query, order, ...(after ? { after } : {}) });
    if (rows.length < AT_ONCE) return;
    after = { key: null, id: rows.at(-1)!.id };
  }
}
