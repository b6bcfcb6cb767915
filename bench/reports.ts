import { Reader } from '../src/queries/moments/snapshot.ts';
import { reportHtml } from '../src/reports/formats/report-html.tsx';
import { openReportFile } from '../src/reports/report.ts';
import type { ReadModels } from '../src/stores/read-store.ts';
import { ALL_TOOLS } from '../src/tools/all-tools.ts';
import type { ToolService } from '../src/tools/tool.ts';
import { createToolBox } from '../src/tools/toolbox.ts';
import { withOverrides } from '../test/support/with-overrides.ts';
import { type BenchRegister, createBenchRegister } from './bench-register.ts';
import { atMost, compareTimes, type Figure, figure } from './measure.ts';

const ROUNDS = 9;
/** HTML reports take seconds, so they get fewer rounds. */
const HTML_ROUNDS = 5;
const HTML_RISKS = 20_000;
const ROWS_PER_READ = 500;
/** Records that one call imports or links. */
const ROWS_PER_CALL = 100;
const FRAMEWORK_CONTROLS = 500;

/** A report with the collections of its rows. */
interface ReportBenchmark {
  input: { type: string; [option: string]: string };
  collections: readonly string[];
}

/** Compares the posture of all vendors with its bare counts, and each report of `records` records with reading them. */
export async function reportFigures(benchRegister: BenchRegister, vendors: number, records: number): Promise<Figure[]> {
  const figures = [await postureFigure(benchRegister, vendors)];
  const smallRegister = await createBenchRegister(records, 5);
  for (const report of await addReportRecords(smallRegister, records))
    figures.push(await reportFigure(smallRegister, report, records));
  await smallRegister.close();
  figures.push(await htmlFigure());
  return figures;
}

async function postureFigure(benchRegister: BenchRegister, vendors: number): Promise<Figure> {
  const { models } = benchRegister.register.projections;
  const counts: Parameters<ReadModels['count']>[] = [];
  const recordingModels = withOverrides(models, {
    count: (...query) => {
      counts.push(query);
      return models.count(...query);
    },
  });
  await generatePosture(benchRegister, recordingModels);
  const report = () =>
    benchRegister.call('getReport', { organization_id: benchRegister.organizationId, type: 'POSTURE', format: 'JSON' });
  const readOnly = async () => {
    for (const query of counts) await models.count(...query);
  };
  const { value, baseline } = await compareTimes(ROUNDS, report, readOnly);
  const name = `POSTURE over ${vendors.toLocaleString('en')} records; baseline: its ${counts.length} counts`;
  return figure(name, 'µs', value, baseline, atMost(3));
}

async function generatePosture({ register, organizationId, caller }: BenchRegister, models: ReadModels): Promise<void> {
  const reader = new Reader(() => ({ models, progress: register.projections.progress }), register.reader.snapshot());
  const service: ToolService = {
    handler: register.handler,
    names: register.reader.snapshot().names,
    reader,
    importedNames: { idOf: () => Promise.reject(new Error('no import')) },
    waitUntilProjected: (...position) => register.projections.waitUntilProjected(...position),
    writeWaitMs: 1_000,
    reportGenerated: () => undefined,
  };
  const tools = createToolBox(ALL_TOOLS, service, (error) => {
    throw error;
  });
  const { status } = await tools.call('getReport', { organization_id: organizationId, type: 'POSTURE' }, { caller });
  if (status !== 200) throw new Error('getReport failed');
}

/** Adds `records` risks, obligations and nonconformities, and a framework with the maximum number of controls. */
async function addReportRecords(benchRegister: BenchRegister, records: number): Promise<ReportBenchmark[]> {
  const due = (index: number) => new Date(Date.now() + (index % 60) * 86_400_000).toISOString().slice(0, 10);
  await importAll(benchRegister, 'RISK', records, (index) => ({
    name: `Risk ${index}`,
    description: `What happens if risk ${index} occurs, in a sentence or two`,
    inherent_likelihood: (index % 5) + 1,
    inherent_impact: ((index >> 3) % 5) + 1,
  }));
  await importAll(benchRegister, 'OBLIGATION', records, (index) => ({
    requirement: `Do thing ${index}`,
    due_date: due(index),
  }));
  await importAll(benchRegister, 'NONCONFORMITY', records, (index) => ({ description: `Thing ${index} was not done` }));
  const framework_id = await addFramework(benchRegister);
  const benchmark = (type: string, ...collections: string[]): ReportBenchmark => ({ input: { type }, collections });
  return [
    benchmark('VENDORS', 'vendors'),
    benchmark('RISK_REGISTER', 'risks'),
    benchmark('OBLIGATIONS', 'obligations'),
    benchmark('NONCONFORMITIES', 'nonconformities'),
    benchmark('DUE_ITEMS', 'vendors', 'obligations'),
    {
      input: { type: 'STATEMENT_OF_APPLICABILITY', framework_id },
      collections: ['controls', 'measures', 'links'],
    },
    { input: { type: 'CHANGES_BETWEEN', from: '1' }, collections: ['changes'] },
  ];
}

async function importAll(
  benchRegister: BenchRegister,
  type: string,
  records: number,
  row: (index: number) => object,
): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < records; first += ROWS_PER_CALL) {
    const rows = Array.from({ length: Math.min(ROWS_PER_CALL, records - first) }, (_, offset) => row(first + offset));
    const answer = await benchRegister.call('importRecords', {
      organization_id: benchRegister.organizationId,
      type,
      rows,
    });
    if (answer.created !== rows.length) throw new Error(`rows refused: ${JSON.stringify(answer.rows)}`);
    ids.push(...(answer.rows as { id: string }[]).map(({ id }) => id));
  }
  return ids;
}

/** Adopts a framework and links a measure to each control. */
async function addFramework(benchRegister: BenchRegister): Promise<string> {
  const { organizationId: organization_id } = benchRegister;
  const controls = Array.from({ length: FRAMEWORK_CONTROLS }, (_, n) => ({
    section_title: `H.${n}`,
    name: `Control ${n}`,
  }));
  const { framework } = await benchRegister.call('addFramework', {
    organization_id,
    name: 'House rules',
    version: '1',
    controls,
  });
  const measures = await importAll(benchRegister, 'MEASURE', FRAMEWORK_CONTROLS, (index) => ({
    name: `Measure ${index}`,
  }));
  let cursor: unknown;
  let linked = 0;
  do {
    const page = await benchRegister.call('listControls', {
      organization_id,
      size: ROWS_PER_CALL,
      ...(cursor ? { cursor } : {}),
    });
    const ids = (page.controls as { id: string }[]).map(({ id }) => id);
    const links = ids.map((from_id, offset) => ({ from_id, to_id: measures[linked + offset] }));
    await benchRegister.call('linkRecords', { links });
    linked += ids.length;
    cursor = page.next_cursor;
  } while (cursor);
  return (framework as { id: string }).id;
}

async function reportFigure(
  benchRegister: BenchRegister,
  { input, collections }: ReportBenchmark,
  records: number,
): Promise<Figure> {
  const report = () =>
    benchRegister.call('getReport', { organization_id: benchRegister.organizationId, format: 'JSON', ...input });
  const readOnly = async () => {
    for (const collection of collections) await readAll(benchRegister, collection);
  };
  const { value, baseline } = await compareTimes(ROUNDS, report, readOnly);
  const size = input.framework_id === undefined ? records : FRAMEWORK_CONTROLS;
  const name = `${input.type} at ${size.toLocaleString('en')} records; baseline: reading them from the store`;
  return figure(name, 'µs', value, baseline, atMost(5));
}

/** Compares the risk register as an HTML file, with all fields filled, with reading its risks. */
async function htmlFigure(): Promise<Figure> {
  const benchRegister = await createBenchRegister(1, 1);
  await importAll(benchRegister, 'RISK', HTML_RISKS, (index) => ({
    reference_id: `R-${index}`,
    name: `Risk ${index} of the hospital interface`,
    description: `What happens if risk ${index} occurs, in a sentence or two. `.repeat(3),
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
  const { register, caller, organizationId: organization_id } = benchRegister;
  const input = { organization_id, type: 'RISK_REGISTER' } as const;
  const output = { name: 'HTML', format: reportHtml };
  const report = async () => {
    const file = await openReportFile(register.reader, caller, input, output, { onGenerated: () => undefined });
    await file.generate();
  };
  const { value, baseline } = await compareTimes(HTML_ROUNDS, report, () => readAll(benchRegister, 'risks'));
  await benchRegister.close();
  const name = `RISK_REGISTER as HTML, ${HTML_RISKS.toLocaleString('en')} risks; baseline: reading them from the store`;
  return figure(name, 'µs', value, baseline, atMost(5));
}

async function readAll({ register, organizationId }: BenchRegister, collection: string): Promise<void> {
  const query = { collection, organizationId, where: [], limit: ROWS_PER_READ } as const;
  const order = { key: null, direction: 'ASC' } as const;
  let after: { key: null; id: string } | undefined;
  for (;;) {
    const rows = await register.projections.models.find({ ...query, order, ...(after ? { after } : {}) });
    if (rows.length < ROWS_PER_READ) return;
    after = { key: null, id: rows.at(-1)!.id };
  }
}
