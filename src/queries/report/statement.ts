import { Refusal } from '../../commands/refusal.ts';
import { controlQuery } from '../controls.ts';
import { frameworkQuery } from '../frameworks.ts';
import { besideEach, newestOf, recordThen } from './beside.ts';
import { column, detail, ID, OWNER, prose } from './columns.ts';
import { CONTROL_FIGURES } from './family-figures.ts';
import { familyFigures } from './figures.ts';
import { recordSection, recordsSection } from './records-section.ts';
import type { Column, Content, ReportContext, ReportType, Row } from './report-type.ts';
import { recordsAt, rowOf, walk } from './walk.ts';

const COLUMNS: readonly Column[] = [
  column('section_title', 'Number'),
  column('name', 'Control'),
  column('status', 'Status'),
  prose('justification', 'Justification'),
  column('implementation', 'Implementation'),
  prose('measures', 'Measures'),
  detail('measures_total', 'Measures in all'),
  prose('evidence', 'Evidence'),
  detail('evidence_total', 'Evidence in all'),
  OWNER,
  ID,
];

export const statement: ReportType = {
  title: 'Statement of applicability',
  takes: ['framework_id', 'owner_id'],
  draw: async (context) => {
    const framework = await frameworkOf(context);
    return { inputs: { framework_id: String(framework.id) }, ...statementOf(context, framework) };
  },
};

/** A framework's statement: what it is, how far its controls are, and each of them with what stands behind it. */
export function statementOf(context: ReportContext, framework: Row): Pick<Content, 'figures' | 'sections'> {
  // Of a framework that was archived by then, the controls are so too.
  const filter = {
    framework_id: [framework.id],
    ...(framework.archived_at === null ? {} : { include_archived: true }),
  };
  const about = [column('name', 'Framework'), column('version', 'Version'), OWNER, ID];
  const own = { name: 'controls', title: 'Controls', family: controlQuery, filter, columns: COLUMNS, more: behind };
  return {
    figures: () => familyFigures(context, [CONTROL_FIGURES], filter),
    sections: [
      recordSection('framework', 'Framework', about, framework, ['library_id', 'description', 'archived_at']),
      { ...recordsSection(context, own), plot: 'coverage' },
    ],
  };
}

/** The justification in force, the measures that are linked, and the evidence: the control's own, then that of a measure. */
async function behind(context: ReportContext, controls: readonly Row[]): Promise<Row[]> {
  const linked = await besideEach(context, idsOf(controls), ['MEASURE', 'EVIDENCE']);
  const measures = new Map([...linked.values()].flat().map((record) => [String(record.id), record]));
  const ofMeasures = await besideEach(context, idsOf([...measures.values()].filter(isMeasure)), ['EVIDENCE']);
  return controls.map((control) => {
    const beside = linked.get(String(control.id)) ?? [];
    const own = beside.filter(isMeasure);
    const evidence = [
      ...beside.filter((record) => !isMeasure(record)),
      ...own.flatMap(({ id }) => ofMeasures.get(String(id)) ?? []),
    ];
    const each = new Map(evidence.map((record) => [String(record.id), record]));
    const justification =
      control.status === 'EXCLUDED' ? control.exclusion_justification : control.inclusion_justification;
    return {
      justification,
      ...newestOf(
        'measures',
        own.map((measure) => rowOf(measure, ['id', 'reference_id', 'name', 'state'])),
      ),
      ...newestOf(
        'evidence',
        [...each.values()].map((one) => evidenceRow(one, context.moment.today)),
      ),
    };
  });
}

const idsOf = (records: readonly Row[]): string[] => records.map(({ id }) => String(id));
const isMeasure = ({ id }: Row): boolean => String(id).startsWith('msr_');

/** Evidence in a line: what it is, and whether it still counts on the day. */
function evidenceRow(evidence: Row, today: string): Row {
  const until = evidence.valid_until;
  return { ...rowOf(evidence, ['id', 'name', 'valid_until']), expired: typeof until === 'string' && until < today };
}

/** The framework that is asked for, or the only one there was. @throws Refusal where it has to be named, or was not there */
async function frameworkOf(context: ReportContext): Promise<Row> {
  const { framework_id } = context.inputs;
  if (framework_id !== undefined) {
    const framework = await recordThen(context, 'FRAMEWORK', framework_id);
    if (framework !== null) return framework;
    throw new Refusal(
      'not_found',
      `There is no ${framework_id} here at that moment: listFrameworks names those there are.`,
      {
        field: 'framework_id',
      },
    );
  }
  const { owner_id: _owner, ...inputs } = context.inputs;
  const adopted: Row[] = [];
  const order = { key: 'name', direction: 'ASC' } as const;
  for await (const batch of walk(context, recordsAt({ ...context, inputs }, frameworkQuery), order))
    adopted.push(...batch.map(({ doc }) => doc));
  if (adopted.length === 1) return adopted[0]!;
  if (adopted.length === 0) {
    throw new Refusal('invalid_input', 'No framework was adopted at that moment: adopt one with addFramework.', {
      field: 'framework_id',
    });
  }
  const named = adopted.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  throw new Refusal('invalid_input', `Several frameworks are adopted, name one as framework_id: ${named.join(', ')}.`, {
    field: 'framework_id',
    allowed: adopted.slice(0, 50).map(({ id }) => String(id)),
  });
}
