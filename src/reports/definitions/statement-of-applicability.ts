import { Refusal } from '../../commands/engine/refusal.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { CONTROL } from '../../register/control.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import type { Count } from '../../stores/read-store.ts';
import { figuresWithValues, figureValuesOfGroups } from '../figures/figure-values.ts';
import { adoptedFrameworks } from '../figures/framework-coverage.ts';
import type {
  Figure,
  HeadFact,
  ReportColumn,
  ReportContent,
  ReportContext,
  ReportRow,
  ReportType,
} from '../report-type.ts';
import { linkedTo, listWithTotal, recordAtMoment } from '../sections/linked-records.ts';
import { pickFields, readInBatches, recordSection, recordsAt, recordsSection } from '../sections/records.ts';
import { column, detail, familyColumns, prose } from '../sections/report-columns.ts';

/** Frameworks that a refusal names. */
const MAX_ALLOWED_FRAMEWORKS = 50;

const COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(CONTROL, ['section_title', 'name', 'status']),
  prose('justification', 'Justification'),
  ...familyColumns(CONTROL, ['implementation']),
  prose('measures', 'Measures'),
  detail('measures_total', 'Measures in all'),
  prose('evidence', 'Evidence'),
  detail('evidence_total', 'Evidence in all'),
  ...familyColumns(CONTROL, ['owner_id', 'id']),
];

export const statementOfApplicability: ReportType = {
  title: 'Statement of applicability',
  acceptedInputs: ['framework_id', 'owner_id'],
  collect: async (context) => {
    const framework = await frameworkOf(context);
    return {
      title: `Statement of applicability: ${frameworkTitle(framework)}`,
      inputs: { framework_id: String(framework.id) },
      ...statementContent(context, framework),
    };
  },
};

/** Returns a framework's statement: the framework, its figures, and each control with measures and evidence. */
export function statementContent(
  context: ReportContext,
  framework: ReportRow,
): Pick<ReportContent, 'figures' | 'sections'> & { about: readonly HeadFact[] } {
  const controlsSection = {
    name: 'controls',
    title: 'Controls',
    family: familyQueryOfType('CONTROL'),
    filter: controlsIn(framework),
  };
  const archived = framework.archived_at === null ? [] : [column('archived_at', 'Archived')];
  const about = [
    ...familyColumns(FRAMEWORK, ['name', 'version']),
    ...archived,
    ...familyColumns(FRAMEWORK, ['owner_id', 'id']),
  ];
  return {
    about: aboutFramework(framework),
    figures: () => statementFigures(context, framework),
    sections: [
      recordSection('framework', 'Framework', about, framework, ['library_id', 'description']),
      {
        ...recordsSection(context, { ...controlsSection, columns: COLUMNS, addFields: justificationAndProof }),
        plot: 'coverage',
      },
    ],
  };
}

/** Includes the version: two frameworks may have the same name. */
const frameworkTitle = ({ name, version }: ReportRow): string =>
  version ? `${name}, version ${version}` : String(name);

function aboutFramework(framework: ReportRow): HeadFact[] {
  const { archived_at } = framework;
  const title = { label: 'Framework', value: frameworkTitle(framework) };
  return archived_at === null ? [title] : [title, { label: 'Framework archived', value: String(archived_at) }];
}

/** Selects a framework's controls. Archiving a framework archives its controls, so these are read if it was archived. */
const controlsIn = ({ id, archived_at }: ReportRow): Readonly<Record<string, unknown>> => ({
  framework_id: [id],
  ...(archived_at === null ? {} : { include_archived: true }),
});

const isArchivedItself = ({ self_archived_at }: ReportRow): boolean => self_archived_at !== null;

/** Reads a framework's controls in batches. */
export async function* frameworkControls(context: ReportContext, framework: ReportRow): AsyncGenerator<ReportRow[]> {
  const { field: key, direction } = familyQueryOfType('CONTROL').defaultOrder;
  const source = recordsAt(context, familyQueryOfType('CONTROL'), controlsIn(framework));
  for await (const batch of readInBatches(context, source, { key, direction })) {
    yield batch.map(({ doc }) => doc).filter((control) => !isArchivedItself(control));
  }
}

async function statementFigures(context: ReportContext, framework: ReportRow): Promise<Figure[]> {
  const groups: Count[] = [];
  let unexplained = 0;
  for await (const controls of frameworkControls(context, framework)) {
    for (const { status, implementation, inclusion_justification } of controls) {
      groups.push({ values: [String(status), String(implementation)], total: 1 });
      if (status === 'INCLUDED' && !inclusion_justification) unexplained += 1;
    }
  }
  const figures = figuresWithValues([CONTROL], figureValuesOfGroups(CONTROL.figures, groups));
  return [
    ...figures,
    {
      name: 'controls_without_justification',
      group: CONTROL.figures.group,
      label: 'Included, without a justification',
      kind: 'COUNT',
      value: unexplained,
      counts: 'INCLUDED controls without a justification',
    },
  ];
}

/**
 * Returns the justification in force, the linked measures, and the evidence of each control. The control's own evidence
 * comes first, then that of its measures.
 */
async function justificationAndProof(
  context: ReportContext,
  controls: readonly ReportRow[],
): Promise<(ReportRow | null)[]> {
  const linked = await linkedTo(context, idsOf(controls), ['MEASURE', 'EVIDENCE']);
  const measures = new Map([...linked.values()].flat().map((record) => [String(record.id), record]));
  const evidenceOfMeasures = await linkedTo(context, idsOf([...measures.values()].filter(isMeasure)), ['EVIDENCE']);
  return controls.map((control) => {
    if (isArchivedItself(control)) return null;
    const records = linked.get(String(control.id)) ?? [];
    const itsMeasures = records.filter(isMeasure);
    const evidence = [
      ...records.filter((record) => !isMeasure(record)),
      ...itsMeasures.flatMap(({ id }) => evidenceOfMeasures.get(String(id)) ?? []),
    ];
    const evidenceById = new Map(evidence.map((record) => [String(record.id), record]));
    const justification =
      control.status === 'EXCLUDED' ? control.exclusion_justification : control.inclusion_justification;
    return {
      justification,
      ...listWithTotal(
        'measures',
        itsMeasures.map((measure) => pickFields(measure, ['id', 'reference_id', 'name', 'state'])),
      ),
      ...listWithTotal(
        'evidence',
        [...evidenceById.values()].map((record) => evidenceRow(record, context.moment.today)),
      ),
    };
  });
}

const idsOf = (records: readonly ReportRow[]): string[] => records.map(({ id }) => String(id));
const isMeasure = ({ id }: ReportRow): boolean => String(id).startsWith('msr_');

/** Returns a piece of evidence in short, with `expired` as of the day. */
function evidenceRow(evidence: ReportRow, today: string): ReportRow {
  const until = evidence.valid_until;
  return {
    ...pickFields(evidence, ['id', 'name', 'valid_until']),
    expired: typeof until === 'string' && until < today,
  };
}

/** Returns the requested framework, or the only one. @throws Refusal for an unknown one, none, or several without `framework_id` */
async function frameworkOf(context: ReportContext): Promise<ReportRow> {
  const { framework_id } = context.inputs;
  if (framework_id !== undefined) {
    const framework = await recordAtMoment(context, 'FRAMEWORK', framework_id);
    if (framework !== null) return framework;
    throw new Refusal(
      'not_found',
      `${framework_id} was not found at that moment. Find frameworks with listFrameworks.`,
      { field: 'framework_id' },
    );
  }
  const adopted = await adoptedFrameworks(context, MAX_ALLOWED_FRAMEWORKS);
  if (adopted.length === 1) return adopted[0]!;
  if (adopted.length === 0) {
    throw new Refusal('invalid_input', 'No framework was adopted at that moment. Adopt one with addFramework.', {
      field: 'framework_id',
    });
  }
  const examples = adopted.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  throw new Refusal('invalid_input', `Several frameworks are adopted. Give framework_id: ${examples.join(', ')}.`, {
    field: 'framework_id',
    allowed: adopted.map(({ id }) => String(id)),
  });
}
