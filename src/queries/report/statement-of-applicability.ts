import { Refusal } from '../../commands/refusal.ts';
import type { Count } from '../../stores/read-store.ts';
import { controlQuery } from '../controls.ts';
import { besideEach, newestOf, recordThen } from './beside.ts';
import { column, detail, ID, OWNER, prose } from './columns.ts';
import { adoptedFrameworks } from './coverage.ts';
import { CONTROL_FIGURES } from './family-figures.ts';
import { toldFigures, valuesOfGroups } from './figures.ts';
import { recordSection, recordsSection } from './records-section.ts';
import type { Column, Content, Fact, Figure, ReportContext, ReportType, Row } from './report-type.ts';
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
    return {
      title: `Statement of applicability: ${namedIn(framework)}`,
      inputs: { framework_id: String(framework.id) },
      ...statementOf(context, framework),
    };
  },
};

/** A framework's statement: what it is, how far its controls are, and each of them with what stands behind it. */
export function statementOf(
  context: ReportContext,
  framework: Row,
): Pick<Content, 'figures' | 'sections'> & { about: readonly Fact[] } {
  const own = { name: 'controls', title: 'Controls', family: controlQuery, filter: controlsIn(framework) };
  const archived = framework.archived_at === null ? [] : [column('archived_at', 'Archived')];
  const about = [column('name', 'Framework'), column('version', 'Version'), ...archived, OWNER, ID];
  return {
    about: aboutFramework(framework),
    figures: () => figuresOf(context, framework),
    sections: [
      recordSection('framework', 'Framework', about, framework, ['library_id', 'description']),
      { ...recordsSection(context, { ...own, columns: COLUMNS, more: behind }), plot: 'coverage' },
    ],
  };
}

/** Two of one name are of different versions. */
const namedIn = ({ name, version }: Row): string => (version ? `${name}, version ${version}` : String(name));

function aboutFramework(framework: Row): Fact[] {
  const { archived_at } = framework;
  const named = { label: 'Framework', value: namedIn(framework) };
  return archived_at === null ? [named] : [named, { label: 'Framework archived', value: String(archived_at) }];
}

/** Of a framework that was archived by then the controls are archived too; so those are read that were not by themselves. */
const controlsIn = ({ id, archived_at }: Row): Readonly<Record<string, unknown>> => ({
  framework_id: [id],
  ...(archived_at === null ? {} : { include_archived: true }),
});

const isArchivedItself = ({ self_archived_at }: Row): boolean => self_archived_at !== null;

/** A framework's controls, in batches. */
export async function* controlsOf(context: ReportContext, framework: Row): AsyncGenerator<Row[]> {
  const { field: key, direction } = controlQuery.defaultOrder;
  const source = recordsAt(context, controlQuery, controlsIn(framework));
  for await (const batch of walk(context, source, { key, direction })) {
    yield batch.map(({ doc }) => doc).filter((control) => !isArchivedItself(control));
  }
}

async function figuresOf(context: ReportContext, framework: Row): Promise<Figure[]> {
  const groups: Count[] = [];
  let unexplained = 0;
  for await (const controls of controlsOf(context, framework)) {
    for (const { status, implementation, inclusion_justification } of controls) {
      groups.push({ values: [String(status), String(implementation)], total: 1 });
      if (status === 'INCLUDED' && !inclusion_justification) unexplained += 1;
    }
  }
  const figures = toldFigures([CONTROL_FIGURES], valuesOfGroups(CONTROL_FIGURES, groups));
  return [
    ...figures,
    {
      name: 'controls_without_justification',
      group: CONTROL_FIGURES.group,
      label: 'Included, without justification',
      kind: 'COUNT',
      value: unexplained,
      counts: 'controls INCLUDED of which nothing says why',
    },
  ];
}

/** The justification in force, the measures that are linked, and the evidence: the control's own, then that of a measure. */
async function behind(context: ReportContext, controls: readonly Row[]): Promise<(Row | null)[]> {
  const linked = await besideEach(context, idsOf(controls), ['MEASURE', 'EVIDENCE']);
  const measures = new Map([...linked.values()].flat().map((record) => [String(record.id), record]));
  const ofMeasures = await besideEach(context, idsOf([...measures.values()].filter(isMeasure)), ['EVIDENCE']);
  return controls.map((control) => {
    if (isArchivedItself(control)) return null;
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
  const adopted = await adoptedFrameworks(context);
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
