import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { isLibraryId, libraryFramework } from '../../library/framework-library.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { ANNEX_NUMBER, CONTROL } from '../../register/control.ts';
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
  ReportSection,
  ReportType,
} from '../report-type.ts';
import { INCLUSION_REASONS, inclusionReasons, type ReasonsOfControl } from '../sections/inclusion-reasons.ts';
import { linkedTo, listWithTotal, recordAtMoment } from '../sections/linked-records.ts';
import {
  pickFields,
  type RecordsSectionOptions,
  readInBatches,
  recordSection,
  recordsAt,
  recordsSection,
} from '../sections/records.ts';
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

const APPLICABILITY_COLUMNS: readonly ReportColumn[] = [
  ...familyColumns(CONTROL, ['section_title', 'name', 'status']),
  { field: 'reasons', title: 'Reasons', kind: 'CODE' },
  prose('justification', 'Justification'),
  prose('risks', 'Risks treated'),
  detail('risks_total', 'Risks in all'),
  ...familyColumns(CONTROL, ['implementation']),
  prose('measures', 'Measures'),
  detail('measures_total', 'Measures in all'),
  detail('obligations', 'Obligations'),
  detail('obligations_total', 'Obligations in all'),
  detail('evidence', 'Evidence'),
  detail('evidence_total', 'Evidence in all'),
  ...familyColumns(CONTROL, ['owner_id', 'id']),
];

const APPLICABILITY_NOTE = [
  'Reasons follow from links with the control or its measures.',
  'Law: an obligation with a regulator. Law or contract: another obligation. Risk: a risk that is not closed.',
  'Stated: only the justification gives the reason, such as good practice.',
].join(' ');

const ANNEX_NOTE = [
  'Only controls of Annex A: the clauses of the standard are not optional.',
  'The coverage of controls and that of the framework count the clauses too.',
].join(' ');

const SIGN_OFF = ['Scope of the management system', 'Version of this statement', 'Approved by', 'Date', 'Signature'];

export const statementOfApplicability: ReportType = {
  title: 'Statement of applicability',
  acceptedInputs: ['framework_id', 'owner_id', 'report_version'],
  collect: async (context) => {
    const framework = await frameworkOf(context);
    const head = {
      title: `Statement of applicability: ${frameworkTitle(framework)}`,
      inputs: { framework_id: String(framework.id) },
    };
    if (context.inputs.report_version === '1') return { ...head, ...statementContent(context, framework) };
    return { ...head, ...(await applicabilityContent(context, framework)), version: 2, signOff: SIGN_OFF };
  },
};

/** Returns the statement with reasons and risks. A standard with an Annex A has its controls there alone. */
async function applicabilityContent(
  context: ReportContext,
  framework: ReportRow,
): Promise<Pick<ReportContent, 'about' | 'figures' | 'sections'>> {
  const annexOnly = await hasAnnex(context, framework);
  const isStated = ({ section_title }: ReportRow) => !annexOnly || ANNEX_NUMBER.test(String(section_title));
  const { about, sections } = statementContent(context, framework);
  return {
    about,
    figures: () => applicabilityFigures(context, framework, isStated),
    sections: [
      sections[0]!,
      controlsSection(context, framework, {
        note: annexOnly ? `${ANNEX_NOTE} ${APPLICABILITY_NOTE}` : APPLICABILITY_NOTE,
        columns: APPLICABILITY_COLUMNS,
        addFields: async (_context, controls) => {
          const rows = await justificationAndProof(context, controls);
          const reasons = await inclusionReasons(context, controls);
          return controls.map((control, index) =>
            rows[index] && isStated(control) ? { ...rows[index], ...reasonFields(reasons[index]!) } : null,
          );
        },
      }),
    ],
  };
}

function reasonFields({ reasons, risks, obligations }: ReasonsOfControl): ReportRow {
  return { reasons, ...listWithTotal('risks', risks), ...listWithTotal('obligations', obligations) };
}

/** Returns true if any of the framework's controls, whoever owns it, is of an Annex A. */
async function hasAnnex(context: ReportContext, framework: ReportRow): Promise<boolean> {
  for await (const controls of frameworkControls({ ...context, inputs: {} }, framework)) {
    if (controls.some(({ section_title }) => ANNEX_NUMBER.test(String(section_title)))) return true;
  }
  return false;
}

const REASON_FIGURES = {
  LAW: { label: 'Included, by law', counts: 'INCLUDED controls with an obligation that has a regulator' },
  LAW_OR_CONTRACT: {
    label: 'Included, by law or contract',
    counts: 'INCLUDED controls with an obligation that has no regulator',
  },
  RISK: { label: 'Included, for a risk', counts: 'INCLUDED controls with a risk that is not CLOSED' },
  STATED: {
    label: 'Included, for a stated reason alone',
    counts: 'INCLUDED controls with a justification, without obligations and risks that are not CLOSED',
  },
} as const satisfies Record<(typeof INCLUSION_REASONS)[number], { label: string; counts: string }>;

async function applicabilityFigures(
  context: ReportContext,
  framework: ReportRow,
  isStated: (control: ReportRow) => boolean,
): Promise<Figure[]> {
  const totals = new Map<string, number>();
  let unreasoned = 0;
  for await (const batch of frameworkControls(context, framework)) {
    const controls = batch.filter(isStated);
    for (const [index, { reasons }] of (await inclusionReasons(context, controls)).entries()) {
      for (const reason of reasons) totals.set(reason, (totals.get(reason) ?? 0) + 1);
      if (reasons.length === 0 && controls[index]!.status === 'INCLUDED') unreasoned += 1;
    }
  }
  const counted = (name: string, label: string, counts: string, value: number): Figure => ({
    ...{ name, group: CONTROL.figures.group, label, kind: 'COUNT', value, counts },
  });
  return [
    ...(await statementFigures(context, framework, STATEMENT_COVERAGE, isStated)),
    ...INCLUSION_REASONS.map((reason) => {
      const { label, counts } = REASON_FIGURES[reason];
      return counted(`controls_by_${reason.toLowerCase()}`, label, counts, totals.get(reason) ?? 0);
    }),
    counted(
      'controls_without_reason',
      'Included, without a reason',
      'INCLUDED controls without any reason',
      unreasoned,
    ),
  ];
}

/** Returns a framework's statement: the framework, its figures, and each control with measures and evidence. */
export function statementContent(
  context: ReportContext,
  framework: ReportRow,
): Pick<ReportContent, 'figures' | 'sections'> & { about: readonly HeadFact[] } {
  const archived = framework.archived_at === null ? [] : [column('archived_at', 'Archived')];
  const about = [
    ...familyColumns(FRAMEWORK, ['name', 'version']),
    ...archived,
    ...familyColumns(FRAMEWORK, ['owner_id', 'id']),
  ];
  return {
    about: aboutFramework(framework),
    figures: () => statementFigures(context, framework, FRAMEWORK_COVERAGE),
    sections: [
      recordSection('framework', 'Framework', about, framework, ['library_id', 'description']),
      controlsSection(context, framework, { columns: COLUMNS, addFields: justificationAndProof }),
    ],
  };
}

function controlsSection(
  context: ReportContext,
  framework: ReportRow,
  options: Pick<RecordsSectionOptions, 'note' | 'columns' | 'addFields'>,
): ReportSection {
  const section = { name: 'controls', title: 'Controls', family: familyQueryOfType('CONTROL') };
  return {
    ...recordsSection(context, { ...section, ...options, filter: controlsIn(framework) }),
    plot: 'coverage',
  };
}

/** Includes the version: two frameworks may have the same name. */
const frameworkTitle = ({ name, version }: ReportRow): string =>
  version ? `${name}, version ${version}` : String(name);

/** Names the framework, and the author of the titles that it was adopted with. Members may have changed some since. */
function aboutFramework(framework: ReportRow): HeadFact[] {
  const { archived_at, library_id } = framework;
  const facts = [{ label: 'Framework', value: frameworkTitle(framework) }];
  if (isLibraryId(library_id)) facts.push({ label: 'Titles, as adopted', value: libraryFramework(library_id).wording });
  if (archived_at !== null) facts.push({ label: 'Framework archived', value: String(archived_at) });
  return facts;
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

/** The coverage of a framework counts its clauses, that of a statement with an Annex A does not. So they have two names. */
const FRAMEWORK_COVERAGE = {
  label: 'Coverage of the framework',
  counts: 'share of its INCLUDED controls, clauses too, that are fully implemented',
};
const STATEMENT_COVERAGE = {
  label: 'Coverage of the statement of applicability',
  counts: 'share of the INCLUDED controls of this statement that are fully implemented',
};

async function statementFigures(
  context: ReportContext,
  framework: ReportRow,
  coverage: Pick<Figure, 'label' | 'counts'>,
  isStated: (control: ReportRow) => boolean = () => true,
): Promise<Figure[]> {
  const groups: Count[] = [];
  let unexplained = 0;
  for await (const controls of frameworkControls(context, framework)) {
    for (const { status, implementation, inclusion_justification } of controls.filter(isStated)) {
      groups.push({ values: [String(status), String(implementation)], total: 1 });
      if (status === 'INCLUDED' && !inclusion_justification) unexplained += 1;
    }
  }
  const figures = figuresWithValues([CONTROL], figureValuesOfGroups(CONTROL, groups));
  return [
    ...figures.map((figure) => (figure.name === 'coverage' ? { ...figure, ...coverage } : figure)),
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
    throw invalidField('framework_id', 'No framework was adopted at that moment. Adopt one with addFramework.');
  }
  const examples = adopted.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  throw new Refusal('invalid_input', `Several frameworks are adopted. Give framework_id: ${examples.join(', ')}.`, {
    field: 'framework_id',
    allowed: adopted.map(({ id }) => String(id)),
  });
}
