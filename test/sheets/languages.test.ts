import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROW_READERS } from '../../src/import/import-rows.ts';
import { JUSTIFICATION } from '../../src/import/sheet/control-numbers.ts';
import { sheetFields } from '../../src/import/sheet/sheet-fields.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { headingsOf, readHeadings } from '../../src/register/headings.ts';
import { RISK_STATUSES } from '../../src/register/risk.ts';
import { VENDOR_STATUSES } from '../../src/register/vendor.ts';
import { readCell, type SheetField } from '../../src/sheets/cells/read-cell.ts';
import { ColumnReader } from '../../src/sheets/columns/column-reader.ts';
import { normalizeHeading } from '../../src/sheets/columns/headings.ts';
import { matchColumns } from '../../src/sheets/columns/match-columns.ts';

const languages = suite('headings and words in several languages');

for (const { type, singular, fields, pastDecision } of FAMILY_DESCRIPTIONS.filter(({ importable }) => importable)) {
  // A list of controls has one column for both justifications.
  const columns = type === 'CONTROL' ? [JUSTIFICATION] : [];
  const fieldNames = [...Object.keys({ ...pastDecision?.fields, ...fields }), ...columns];

  languages(`${type}: its headings are of its fields, in lower case`, () => {
    for (const [language, headings] of Object.entries(readHeadings(singular))) {
      for (const [field, texts] of Object.entries(headings)) {
        assert.ok(fieldNames.includes(field), `headings/${singular}.json, ${language}: ${field} is not a field`);
        for (const text of texts)
          assert.match(text, /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}ー ’°-]*$/u, `headings/${singular}.json: ${field}`);
      }
    }
  });

  languages(`${type}: each heading means one field`, () => {
    const fieldOf = new Map<string, string>();
    for (const field of fieldNames) {
      for (const heading of new Set(headingsOf({ singular })(field).map(normalizeHeading))) {
        assert.is(fieldOf.get(heading), undefined, `${heading} means ${fieldOf.get(heading)} and ${field}`);
        fieldOf.set(heading, field);
      }
    }
  });
}

languages('accents, sharp s and apostrophes may be written in several ways', () => {
  const fields: SheetField[] = [
    { name: 'action', kind: 'text', headings: ['maßnahme'] },
    { name: 'due_date', kind: 'date', headings: ['date d’échéance'] },
  ];
  for (const headers of [
    ['Maßnahme', 'Date d’échéance'],
    ['MASSNAHME', "Date d'echeance"],
    ['Maßnahme', 'DATE D’ÉCHÉANCE (jj/mm/aaaa)'.normalize('NFD')],
  ]) {
    assert.equal(
      [...matchColumns(headers, fields).headerOf],
      [
        ['action', headers[0]],
        ['due_date', headers[1]],
      ],
    );
  }
});

const fieldsOf = (type: string) => sheetFields(ROW_READERS.get(type)!, false).fields;
const fieldOf = (type: string, ...headers: string[]) =>
  Object.fromEntries([...matchColumns(headers, fieldsOf(type)).headerOf].map(([field, header]) => [header, field]));

for (const [type, heading, field] of [
  ['VENDOR', 'Lieferant / Dienstleister', 'name'],
  ['VENDOR', 'Lieferant/Leistung', 'name'],
  ['VENDOR', 'Kreditor / Anbieter', 'name'],
  ['VENDOR', 'Letzte Prüfung am', 'last_reviewed'],
  ['VENDOR', 'Letzte Prüfung am (TT.MM.JJJJ)', 'last_reviewed'],
  ['VENDOR', 'Nächste Bewertung', 'next_review_due'],
  ['VENDOR', 'Personenbez. Daten', 'processes_personal_data'],
  ['VENDOR', 'AVV bis', 'contract_until'],
  ['RISK', 'Eintrittswahrsch. (1-5)', 'inherent_likelihood'],
  ['RISK', 'Auswirkung (1–5)', 'inherent_impact'],
] as const) {
  languages(`${type}: "${heading}" is ${field}`, () => {
    assert.is(fieldOf(type, heading, 'Beschreibung')[heading], field);
  });
}

/** Usual headings of real registers, by type and field. */
const USUAL = {
  RISK: {
    name: ['Risikotitel', 'Scénario de risque', 'Riesgo', 'Risco', 'Rischio', 'Ryzyko', 'Riziko', 'Item'],
    inherent_likelihood: ['発生可能性', 'Likelihood score', 'EW', 'Probabilidad', 'Kans', 'Pravděpodobnost'],
    inherent_impact: ['影響度', 'Max impact', 'Schaden', 'Sévérité', 'Impacto', 'Dopad'],
    treatment: ['Treatment decision', 'Strategy', 'Option de traitement du risque', 'Tratamiento'],
    next_review_due: ['Überprüfungsdatum', 'Wiedervorlage'],
    last_assessed_at: ['Last assessed', 'Bewertet am'],
  },
  VENDOR: {
    name: [
      '委託先名',
      'ベンダー名',
      'Sub-processor',
      'Service provider',
      'Partner',
      'Kreditor',
      'Proveedor',
      'Fornecedor',
      'Dodavatel',
    ],
    data_shared: ['Data accessed', 'Data categories', 'Datenzugriff'],
    contract_until: ['Expires', 'Expiration date', 'Laufzeit bis'],
  },
  OBLIGATION: {
    source: ['Legal basis', 'Article', 'Regelwerk', 'Base légale'],
    requirement: ['要求事項', 'Requirements', 'Requisito legal', 'Wymaganie'],
  },
  MEASURE: {
    due_date: ['Target completion date', 'Scheduled completion date', 'Remediation deadline', 'Fällig', 'ETA'],
    owner_id: ['Responsible party', 'Point of contact', 'Umsetzungsverantwortlicher', 'Pilote'],
  },
  NONCONFORMITY: {
    description: ['指摘事項', 'Weakness description', 'Titel', 'Befund', 'No conformidad'],
    date_identified: ['Detected', 'Original detection date', 'Erfasst am', 'Entdeckt'],
    corrective_action: ['Remediation plan', 'Mitigation plan'],
    closed_at: ['Closure date', 'Geschlossen am', 'Date de clôture', 'Fecha de cierre'],
  },
} as const;

for (const [type, fields] of Object.entries(USUAL)) {
  languages(`${type}: usual headings of real registers`, () => {
    for (const [field, headings] of Object.entries(fields)) {
      for (const heading of headings) assert.is(fieldOf(type, heading)[heading], field, heading);
    }
  });
}

languages('a list of sub-processors names these, not their customers, and a location is no country', () => {
  assert.equal(fieldOf('VENDOR', 'Company', 'Sub-processor', 'Location'), { 'Sub-processor': 'name' });
});

languages('a whole heading is better than a part of another, and "am" belongs to dates', () => {
  assert.equal(fieldOf('VENDOR', 'Lieferant / Dienstleister', 'Leistung', 'Anbieter'), {
    ...{ Leistung: 'description', Anbieter: 'name' },
  });
  assert.equal(fieldOf('VENDOR', 'Name', 'Freigabe am'), { Name: 'name' });
});

languages('descriptions are no names if another column has texts', () => {
  const read = (text: string) => {
    const cells = new Map([
      ['Leistung', { kind: 'text', value: 'Hosting' } as const],
      ['Sonstiges', { kind: 'text', value: text } as const],
    ]);
    const sample = [{ row: 2, cells, computed: new Set<string>() }];
    return new ColumnReader({ headers: ['Leistung', 'Sonstiges'], sample }, fieldsOf('VENDOR'));
  };
  const { columns, notices } = read('Acme GmbH');
  assert.equal(Object.fromEntries(columns.headerOf), { description: 'Leistung' });
  assert.equal(notices, [
    'No heading means name. Give its column with --map, such as --map name="Sonstiges" or --map name="Leistung".',
  ]);
  for (const text of ['4711', '31.12.2026', 'ja', 'n/a']) {
    assert.is(read(text).columns.headerOf.get('name'), 'Leistung', text);
  }
});

languages('if descriptions give the names and a column is left, a notice tells how to choose another', () => {
  const fields: SheetField[] = [
    { name: 'name', kind: 'text', fallback: 'description' },
    { name: 'description', kind: 'text' },
  ];
  const noticesOf = (headers: string[], map?: ReadonlyMap<string, string>) =>
    new ColumnReader({ headers, sample: [] }, fields, { map }).notices;
  assert.equal(noticesOf(['Rischio', 'Description']), [
    'Column "Description" fills name too, because no heading means name. If another column has it, give --map name="…".',
  ]);
  assert.equal(noticesOf(['Description']), []);
  assert.equal(noticesOf(['Rischio', 'Description'], new Map([['name', 'Rischio']])), []);
});

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
const VALUES: readonly (readonly [field: SheetField, cells: Values])[] = [
  [
    { name: 'contract_until', kind: 'date' },
    { unbefristet: undefined, Unlimited: undefined },
  ],
  [
    { name: 'status', kind: 'enum', values: VENDOR_STATUSES },
    {
      'Freigegeben mit Auflagen': 'CONDITIONAL',
      'approved with conditions': 'CONDITIONAL',
      freigegeben: 'APPROVED',
    },
  ],
  [
    { name: 'status', kind: 'enum', values: RISK_STATUSES },
    { 'in Bearbeitung': 'IN_TREATMENT', 'In progress': 'IN_TREATMENT', offen: 'OPEN' },
  ],
  [
    { name: 'personal', kind: 'boolean' },
    {
      Sí: true,
      sì: true,
      Sim: true,
      Ano: true,
      はい: true,
      Não: false,
      無: false,
      Ja: true,
      j: true,
      Oui: true,
      nein: false,
      NON: false,
    },
  ],
  [
    { name: 'impact', kind: 'rating' },
    {
      'Muy bajo': 1,
      Laag: 2,
      średnia: 3,
      Vysoká: 4,
      高: 4,
      'Quase certo': 5,
      'sehr gering': 1,
      faible: 2,
      Mittel: 3,
      Élevé: 4,
      eleve: 4,
      'Très élevée': 5,
    },
  ],
  [
    { name: 'status', kind: 'enum', values: ['NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'] },
    { 'nicht erfüllt': 'NON_COMPLIANT', Teilweise: 'PARTIALLY_COMPLIANT', conforme: 'COMPLIANT', KONFORM: 'COMPLIANT' },
  ],
  [
    { name: 'state', kind: 'enum', values: ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'] },
    {
      'À faire': 'NOT_STARTED',
      'In Umsetzung': 'IN_PROGRESS',
      'Mis en oeuvre': 'IMPLEMENTED',
      entfällt: 'NOT_APPLICABLE',
      'En curso': 'IN_PROGRESS',
      concluído: 'IMPLEMENTED',
      'Nie dotyczy': 'NOT_APPLICABLE',
      未着手: 'NOT_STARTED',
    },
  ],
];
for (const [field, cells] of VALUES) {
  for (const [text, value] of Object.entries(cells)) {
    languages(`${field.kind}: "${text}" is ${value}`, () => {
      assert.equal(readCell({ kind: 'text', value: text }, field), { value });
    });
  }
}

languages.run();
