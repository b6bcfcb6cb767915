import { reportHtml } from '../src/reports/formats/report-html.tsx';
import { openReportFile } from '../src/reports/report.ts';
import { type BenchRegister, createBenchRegister } from './bench-register.ts';
import { atMost, compareTimes, type Figure, figure } from './measure.ts';

const ROUNDS = 9;
/** HTML reports take seconds, so they get fewer rounds. */
const HTML_ROUNDS = 5;
const HTML_RISKS = 20_000;
const ROWS_PER_READ = 500;
/** Records that one call imports. */
const ROWS_PER_CALL = 100;

/** A report with the collection of its rows. */
interface ReportBenchmark {
  input: { type: string; [option: string]: string };
  collection: string;
}

const REPORTS: readonly ReportBenchmark[] = [
  { input: { type: 'VENDORS' }, collection: 'vendors' },
  { input: { type: 'RISK_REGISTER' }, collection: 'risks' },
  { input: { type: 'CHANGES_BETWEEN', from: '1' }, collection: 'changes' },
];

/** Compares the posture of all vendors, and each report of `records` records, with reading the records. */
export async function reportFigures(benchRegister: BenchRegister, vendors: number, records: number): Promise<Figure[]> {
  const figures = [await reportFigure(benchRegister, { input: { type: 'POSTURE' }, collection: 'vendors' }, vendors)];
  const smallRegister = await createBenchRegister(records, 5);
  await importAll(smallRegister, 'RISK', records, (index) => ({
    name: `Risk ${index}`,
    description: `What happens if risk ${index} occurs, in a sentence or two`,
    inherent_likelihood: (index % 5) + 1,
    inherent_impact: ((index >> 3) % 5) + 1,
  }));
  for (const report of REPORTS) figures.push(await reportFigure(smallRegister, report, records));
  await smallRegister.close();
  figures.push(await htmlFigure());
  return figures;
}

async function importAll(
  benchRegister: BenchRegister,
  type: string,
  records: number,
  row: (index: number) => object,
): Promise<void> {
  for (let first = 0; first < records; first += ROWS_PER_CALL) {
    const rows = Array.from({ length: Math.min(ROWS_PER_CALL, records - first) }, (_, offset) => row(first + offset));
    const answer = await benchRegister.call('importRecords', {
      organization_id: benchRegister.organizationId,
      type,
      rows,
    });
    if (answer.created !== rows.length) throw new Error(`rows refused: ${JSON.stringify(answer.rows)}`);
  }
}

async function reportFigure(
  benchRegister: BenchRegister,
  { input, collection }: ReportBenchmark,
  records: number,
): Promise<Figure> {
  const report = () =>
    benchRegister.call('getReport', { organization_id: benchRegister.organizationId, format: 'JSON', ...input });
  const { value, baseline } = await compareTimes(ROUNDS, report, () => readAll(benchRegister, collection));
  const name = `${input.type} at ${records.toLocaleString('en')} records; baseline: reading them from the store`;
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
