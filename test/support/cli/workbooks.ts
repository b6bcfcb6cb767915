/** Spreadsheets in the shapes that people's registers have, with what an import must make of each. All data is made up. */
import { odsOf } from '../ods.ts';
import { STYLES, type TestCell, xlsxOf } from '../xlsx.ts';

export interface TestWorkbook {
  shape: string;
  file: string;
  content: Buffer;
  type: string;
  args?: readonly string[];
  /** The data of each added record, in the order of the rows. JANE and OLA stand for their accounts. */
  records: readonly object[];
  /** The reason for each row that is left out, by its number. */
  leftOut?: Readonly<Record<number, RegExp>>;
  /** Messages of the command. */
  tells?: readonly RegExp[];
}

/** A cell with a style, such as a date: 46387 is 31 December 2026. */
const styled = (reference: string, style: keyof typeof STYLES, value: number): TestCell => ({
  xml: `<c r="${reference}" s="${STYLES[style]}"><v>${value}</v></c>`,
});
const formula = (reference: string, value: number): TestCell => ({
  xml: `<c r="${reference}"><f>1+1</f><v>${value}</v></c>`,
});

const CLAUSE = 'customer data is disclosed to a stranger, ';
const SENTENCE = `It could happen that ${CLAUSE.repeat(6)}because access is not reviewed`;
const SHORT_SENTENCE = `It could happen that ${CLAUSE.repeat(4)}customer…`;

export const WORKBOOKS: readonly TestWorkbook[] = [
  {
    shape: 'title rows above the headings',
    file: 'title.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        merges: ['A1:D1'],
        rows: [
          ['Risk Register'],
          ['Last update', styled('B2', 'date', 46387)],
          [],
          ['Risk ID', 'Risk Title', 'Likelihood', 'Impact'],
          ['A-1', 'Flood', 4, 5],
          ['A-2', 'Fire', 2, 5],
        ],
      },
    ]),
    records: [
      { reference_id: 'A-1', name: 'Flood', inherent_likelihood: 4, inherent_impact: 5 },
      { reference_id: 'A-2', name: 'Fire', inherent_likelihood: 2, inherent_impact: 5 },
    ],
    tells: [/Row 4 has the headings, because it names the most fields\./, /name from "Risk Title"/],
  },
  {
    shape: 'notes and a legend below the table',
    file: 'notes.csv',
    type: 'risks',
    content: Buffer.from(
      [
        ...[
          'Risk,Category,Likelihood,Impact',
          'Theft,Site,2,3',
          'Strike,Staff,1,4',
          '',
          'Legend,,,',
          '1,Rare,,',
          '5,Frequent,,',
        ],
        ...['', 'Note: ratings follow the policy,,,', ''],
      ].join('\r\n'),
    ),
    records: [
      { name: 'Theft', category: 'Site', inherent_likelihood: 2, inherent_impact: 3 },
      { name: 'Strike', category: 'Staff', inherent_likelihood: 1, inherent_impact: 4 },
    ],
    tells: [/^Rows 5, 6, 7, 9 lie beside the table and were left out\.$/m],
  },
  {
    shape: 'two rows of headings, merged',
    file: 'groups.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        merges: ['A2:A3', 'B2:C2', 'D2:E2', 'F2:F3'],
        rows: [
          ['Register of risks'],
          ['Risk', 'Inherent', null, 'Residual', null, 'Risk owner'],
          [null, 'Likelihood', 'Impact', 'Likelihood', 'Impact'],
          ['Server room overheats', 4, 4, 2, 3, 'Jane Doe'],
        ],
      },
    ]),
    records: [
      {
        ...{ name: 'Server room overheats', inherent_likelihood: 4, inherent_impact: 4, owner_id: 'JANE' },
        ...{ residual_likelihood: 2, residual_impact: 3 },
      },
    ],
  },
  {
    shape: 'two rows of headings in a CSV',
    file: 'groups.csv',
    type: 'risks',
    content: Buffer.from('Risk;Inherent;;Residual;\n;Likelihood;Impact;Likelihood;Impact\nKeys are lost;3;4;3;2\n'),
    records: [
      {
        ...{ name: 'Keys are lost', inherent_likelihood: 3, inherent_impact: 4 },
        ...{ residual_likelihood: 3, residual_impact: 2 },
      },
    ],
  },
  {
    shape: 'a category merged over several rows',
    file: 'merged.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        merges: ['A2:A4'],
        rows: [
          ['Category', 'Risk', 'Comments'],
          ['Physical', 'Burglary'],
          [null, 'Burst pipe', 'in May'],
          [null, 'Lightning'],
          ['Legal', 'Fine'],
        ],
      },
    ]),
    records: [
      { category: 'Physical', name: 'Burglary' },
      { category: 'Physical', name: 'Burst pipe', note: 'in May' },
      { category: 'Physical', name: 'Lightning' },
      { category: 'Legal', name: 'Fine' },
    ],
  },
  {
    shape: 'several sheets, the table on the third',
    file: 'sheets.xlsx',
    type: 'vendors',
    content: xlsxOf([
      { name: 'Cover', rows: [['Supplier list'], ['Prepared by', 'Procurement']] },
      {
        name: 'Lists',
        hidden: true,
        rows: [
          ['Supplier', 'Country', 'Criticality'],
          ['x', 'y', 'low'],
        ],
      },
      {
        name: 'Suppliers',
        rows: [
          ['Supplier', 'Country', 'Criticality'],
          ['Alder Payroll', 'Finland', 'High'],
          ['Birch Couriers', 'NA', 'low'],
        ],
      },
      {
        name: 'Change log',
        rows: [
          ['Version', 'Date'],
          [1, '2026-01-01'],
        ],
      },
    ]),
    records: [
      { name: 'Alder Payroll', country: 'Finland', criticality: 'HIGH' },
      { name: 'Birch Couriers', country: 'NA', criticality: 'LOW' },
    ],
    tells: [/Sheet "Suppliers" was read, because .* The others are Cover, Change log;/],
  },
  {
    shape: 'a CSV of Excel in Germany: windows-1252, semicolons, days with dots',
    file: 'western.csv',
    type: 'vendors',
    content: Buffer.from(
      'Supplier;Country;Contract end\r\nMüller \x96 Söhne;Österreich;31.12.2026\r\nCafé Noir;;1.4.2027\r\n',
      'latin1',
    ),
    records: [
      { name: 'Müller – Söhne', country: 'Österreich', contract_until: '2026-12-31' },
      { name: 'Café Noir', contract_until: '2027-04-01' },
    ],
    tells: [/not UTF-8, so it was read as windows-1252/],
  },
  {
    shape: 'Unicode text of Excel: UTF-16, tabs',
    file: 'unicode.txt',
    type: 'vendors',
    content: Buffer.from('\ufeffSupplier name\tHeadquarters\r\nŁódź Druk\tPolska\r\n', 'utf16le'),
    records: [{ name: 'Łódź Druk', country: 'Polska' }],
  },
  {
    shape: 'a CSV that declares its delimiter, below a title with commas',
    file: 'declared.csv',
    type: 'vendors',
    content: Buffer.from(
      '\ufeffsep=;\nSuppliers, as of May, draft\nVendor;Services;Tier\nCedar Cloud;"Hosting; backups";1\n',
    ),
    records: [{ name: 'Cedar Cloud', description: 'Hosting; backups' }],
    tells: [/Ignored columns: Tier\./],
  },
  {
    shape: 'a spreadsheet of LibreOffice',
    file: 'libre.ods',
    type: 'vendors',
    content: odsOf([
      {
        name: 'Old',
        hidden: true,
        rows: [
          ['Supplier', 'Country'],
          ['Gone', 'x'],
        ],
      },
      {
        name: 'Sheet1',
        rows: [
          [
            {
              xml: '<table:table-cell table:number-columns-spanned="3" office:value-type="string"><text:p>Suppliers</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="2"/>',
            },
          ],
          [],
          ['Supplier', 'Country', 'Contract end', 'Personal data', 'Services'],
          [
            {
              xml: '<table:table-cell office:value-type="string"><office:annotation><dc:date>2026</dc:date><text:p>call them</text:p></office:annotation><text:p>Dogwood<text:s/>&amp; <text:span>Sons</text:span></text:p></table:table-cell>',
            },
            {
              xml: '<table:table-cell table:number-rows-spanned="2" office:value-type="string"><text:p>Norway</text:p></table:table-cell>',
            },
            {
              xml: '<table:table-cell office:value-type="date" office:date-value="2026-12-31"><text:p>31.12.26</text:p></table:table-cell>',
            },
            {
              xml: '<table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>TRUE</text:p></table:table-cell>',
            },
            'Cleaning\nWindows',
          ],
          ['Elm Legal', { xml: '<table:covered-table-cell/>' }, null, 'no'],
        ],
      },
    ]),
    records: [
      {
        ...{ name: 'Dogwood & Sons', country: 'Norway', contract_until: '2026-12-31', processes_personal_data: true },
        description: 'Cleaning\nWindows',
      },
      { name: 'Elm Legal', country: 'Norway', processes_personal_data: false },
    ],
  },
  {
    shape: 'a workbook that LibreOffice saved as XLSX',
    file: 'libre.xlsx',
    type: 'measures',
    content: xlsxOf([
      {
        rows: [
          ['Action', 'Deadline', 'Status', 'Days left'],
          [
            ...['Test the restore', { xml: `<c r="B2" s="${STYLES.date}" t="n"><v>46387</v></c>` }],
            { xml: '<c r="C2" t="str"><f aca="false">IF(TRUE,"Ongoing","")</f><v>Ongoing</v></c>' },
            { xml: '<c r="D2" t="n"><f aca="false">B2-TODAY()</f><v>38</v></c>' },
          ],
        ],
      },
    ]),
    records: [{ name: 'Test the restore', due_date: '2026-12-31', state: 'IN_PROGRESS' }],
    tells: [/state "Ongoing" as IN_PROGRESS \(1\)/],
  },
  {
    shape: 'owners by name and address',
    file: 'owners.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        rows: [
          ['Ref', 'Risk', 'Owner'],
          ['B-1', 'Phishing', 'jane doe'],
          ['B-2', 'Ransomware', 'ola.nordmann@example.org'],
          ['B-3', 'Malware', 'TBD'],
          ['B-4', 'Insider', 'The board'],
          ['B-5', 'Fraud', 'Ola  Nordmann'],
        ],
      },
    ]),
    records: [
      { reference_id: 'B-1', name: 'Phishing', owner_id: 'JANE' },
      { reference_id: 'B-2', name: 'Ransomware', owner_id: 'OLA' },
      { reference_id: 'B-3', name: 'Malware' },
      { reference_id: 'B-4', name: 'Insider' },
      { reference_id: 'B-5', name: 'Fraud', owner_id: 'OLA' },
    ],
    tells: [/no owners: "The board" \(1\)/],
  },
  {
    shape: 'words of five-point scales',
    file: 'words.csv',
    type: 'risks',
    content: Buffer.from(
      'Risk,Likelihood (1-5),Impact*,Response\nPower cut,Likely,Major,Mitigate\nSmoke,Very high,Med,Reduce\nDust,Rare,Insignificant,Accept\nMice,Unlikely (2),4 - Major,n/a\n',
    ),
    records: [
      { name: 'Power cut', inherent_likelihood: 4, inherent_impact: 4, treatment: 'MITIGATED' },
      { name: 'Smoke', inherent_likelihood: 5, inherent_impact: 3, treatment: 'MITIGATED' },
      { name: 'Dust', inherent_likelihood: 1, inherent_impact: 1, treatment: 'ACCEPTED' },
      { name: 'Mice', inherent_likelihood: 2, inherent_impact: 4 },
    ],
    tells: [/inherent_likelihood "Likely" as 4 \(1\)/, /inherent_impact "Med" as 3 \(1\)/],
  },
  {
    shape: 'approved suppliers',
    file: 'approved.xlsx',
    type: 'vendors',
    content: xlsxOf([
      {
        rows: [
          ['Supplier', 'Criticality', 'Status'],
          ['Fir Catering', 'Low', 'Approved'],
          ['Gum Logistics', 'Med', 'In review'],
          ['Hazel Print', 'urgent', 'Approved'],
        ],
      },
    ]),
    records: [
      { name: 'Fir Catering', criticality: 'LOW' },
      { name: 'Gum Logistics', criticality: 'MEDIUM', status: 'PENDING_REVIEW' },
    ],
    leftOut: { 4: /^(?!.*; ).*"urgent" is not a valid value/ },
  },
  {
    shape: 'approved suppliers without the column of the status',
    file: 'ignored.xlsx',
    type: 'vendors',
    args: ['--ignore', 'status'],
    content: xlsxOf([
      {
        rows: [
          ['Supplier', 'Criticality', 'Status'],
          ['Ivy Catering', 'Low', 'Approved'],
          ['Juniper Logistics', 'Med', 'Approved'],
        ],
      },
    ]),
    records: [
      { name: 'Ivy Catering', criticality: 'LOW' },
      { name: 'Juniper Logistics', criticality: 'MEDIUM' },
    ],
    tells: [/Ignored columns: Status\./],
  },
  {
    shape: 'two columns of one name',
    file: 'twice.csv',
    type: 'risks',
    content: Buffer.from('Risk,Risk,Likelihood,Impact\nErosion,High,3,3\n'),
    records: [{ name: 'Erosion', inherent_likelihood: 3, inherent_impact: 3 }],
    tells: [/Ignored columns: Risk \(2\)\./],
  },
  {
    shape: 'free text in a column with the name of a field',
    file: 'free.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        rows: [
          ['Risk', 'Treatment', 'Status'],
          ['Guessing', 'Implement MFA', 'Open'],
          ['Snooping', 'Encrypt disks', 'open'],
          ['Tailgating', 'Install doors', 'Closed'],
        ],
      },
    ]),
    args: ['--reason', 'from the old register'],
    records: [
      { name: 'Guessing', status: 'OPEN', reason: 'from the old register' },
      { name: 'Snooping', status: 'OPEN', reason: 'from the old register' },
      { name: 'Tailgating', status: 'CLOSED', reason: 'from the old register' },
    ],
    tells: [/Column "Treatment" was not used for treatment, because cells such as "Implement MFA" aren’t values of it/],
  },
  {
    shape: 'sentences instead of titles',
    file: 'sentences.xlsx',
    type: 'risks',
    content: xlsxOf([
      {
        rows: [
          ['Risk Description', 'Impact'],
          [SENTENCE, 5],
          ['Printers jam', 1],
        ],
      },
    ]),
    records: [
      { name: SHORT_SENTENCE, description: SENTENCE, inherent_impact: 5 },
      { name: 'Printers jam', inherent_impact: 1 },
    ],
    tells: [/Long names were shortened: 1\./],
  },
  {
    shape: 'own words for values',
    file: 'own.csv',
    type: 'risks',
    args: ['--value', 'status:Monitoring=OPEN', '--value', 'inherent_impact:Severe=5', '--value', 'category:none='],
    content: Buffer.from('Risk,Status,Impact,Category\nDrought,Monitoring,severe,none\nHail,Open,Minor,Weather\n'),
    records: [
      { name: 'Drought', status: 'OPEN', inherent_impact: 5 },
      { name: 'Hail', status: 'OPEN', inherent_impact: 2, category: 'Weather' },
    ],
  },
  {
    shape: 'own words of an earlier import',
    file: 'remembered.csv',
    type: 'risks',
    content: Buffer.from('Risk,Status,Impact\nFrost,MONITORING,Severe\n'),
    records: [{ name: 'Frost', status: 'OPEN', inherent_impact: 5 }],
    tells: [/status "MONITORING" as OPEN \(1\)/],
  },
  {
    shape: 'addresses without https, and words for nothing',
    file: 'nothing.csv',
    type: 'vendors',
    content: Buffer.from(
      'Company,Web,Country,Criticality,Contract end\nKapok AI,kapok.example/legal,n/a,TBD,-\nLarch AI,https://larch.example,TBC,–,N/A\n',
    ),
    records: [
      { name: 'Kapok AI', website_url: 'https://kapok.example/legal' },
      { name: 'Larch AI', website_url: 'https://larch.example' },
    ],
    tells: [/Cells such as n\/a, TBD and - were read as empty: 6\./],
  },
  {
    shape: 'American dates that one of them proves',
    file: 'american.csv',
    type: 'measures',
    content: Buffer.from(
      'Task,Due Date\nRotate keys,03/04/2026\nReview logs,12/31/2026\nTrain staff,Jan 5, 2027\nTest alarm,"Jan 6, 2027"\n',
    ),
    records: [
      { name: 'Rotate keys', due_date: '2026-03-04' },
      { name: 'Review logs', due_date: '2026-12-31' },
      { name: 'Test alarm', due_date: '2027-01-06' },
    ],
    leftOut: { 4: /more cells than the header/ },
    tells: [/Dates in "Due Date" were read with the month first, as in 12\/31\/2026\./],
  },
  {
    shape: 'dates that nothing proves, and all problems of a row at once',
    file: 'wrong.csv',
    type: 'risks',
    content: Buffer.from(
      'Risk,Likelihood,Impact,Review Date,Status\nSinkhole,9,often,03/04/2026,Accepted\nMould,3,3,2026-09-01,Open\n,2,2,,Open\n',
    ),
    records: [
      { name: 'Mould', inherent_likelihood: 3, inherent_impact: 3, next_review_due: '2026-09-01', status: 'OPEN' },
    ],
    leftOut: {
      2: /inherent_impact "often".*; next_review_due "03\/04\/2026" could be 2026-04-03 or 2026-03-04.*; inherent_likelihood .*; .*ACCEPTED/,
      4: /name is required/,
    },
  },
  {
    shape: 'references to the risks of another file',
    file: 'roadmap.xlsx',
    type: 'measures',
    content: xlsxOf([
      {
        rows: [
          ['ID', 'Action', 'Linked_Risks', 'Budget'],
          ['M1', 'Build a dam', 'A-1', 9000],
          ['M2', 'Buy extinguishers', 'A-1; A-2', 100],
          ['M3', 'Plant trees', 'A-9', 5],
        ],
      },
    ]),
    records: [
      { reference_id: 'M1', name: 'Build a dam' },
      { reference_id: 'M2', name: 'Buy extinguishers' },
      { reference_id: 'M3', name: 'Plant trees' },
    ],
    tells: [
      /name no record to link with: "A-9" \(1\)/,
      /created 3, updated 0, unchanged 0, refused 0, linked 3 \(of 3 rows\)/,
    ],
  },
  {
    shape: 'equal rows, headings again on each page, and a total',
    file: 'pages.csv',
    type: 'risks',
    content: Buffer.from(
      'Risk,Category,Impact\nNoise,Site,2\nNoise,Site,2\nRisk,Category,Impact\nGlare,Site,1\nTotal,,\n',
    ),
    records: [
      { name: 'Noise', category: 'Site', inherent_impact: 2 },
      { name: 'Glare', category: 'Site', inherent_impact: 1 },
    ],
    tells: [/created 2, updated 0, unchanged 1, refused 0 \(of 3 rows\)/, /^Rows 4, 6 lie beside the table/m],
  },
  {
    shape: 'findings of an audit',
    file: 'findings.xlsx',
    type: 'nonconformities',
    content: xlsxOf([
      {
        rows: [
          ['Audit findings 2026'],
          ['NC No.', 'Finding', 'Classification', 'Date raised', 'Action owner', 'Target date', 'CAPA'],
          [
            'NC-1',
            'No log review',
            'Minor',
            styled('D3', 'date', 46024),
            'Jane Doe',
            styled('F3', 'dateTime', 46387),
            'Review monthly',
          ],
          ['NC-2', 'No test of backups', 'MAJOR', styled('D4', 'customDate', 46024), 'n/a', '31 Dec 2026'],
          ['NC-3', 'Old policy', 'OFI', formula('D5', 46024), null, 'soon'],
        ],
      },
    ]),
    records: [
      {
        ...{ reference_id: 'NC-1', description: 'No log review', severity: 'MINOR', date_identified: '2026-01-02' },
        ...{ owner_id: 'JANE', due_date: '2026-12-31', corrective_action: 'Review monthly' },
      },
      {
        ...{
          reference_id: 'NC-2',
          description: 'No test of backups',
          severity: 'MAJOR',
          date_identified: '2026-01-02',
        },
        due_date: '2026-12-31',
      },
    ],
    leftOut: { 5: /date_identified "46024" is a number without a date format.*; due_date "soon" is not a date/ },
  },
  {
    shape: 'a register of legal requirements',
    file: 'legal.csv',
    type: 'obligations',
    content: Buffer.from(
      'Law;Legal requirement;Authority;Deadline;Compliance status;Responsible\nGDPR;Keep records of processing;DPA;2026-05-25;Partly compliant;Ola Nordmann\nNIS2;"Report incidents\nwithin 24 hours";CSIRT;;Not compliant;\n',
    ),
    records: [
      {
        ...{ source: 'GDPR', requirement: 'Keep records of processing', regulator: 'DPA', due_date: '2026-05-25' },
        ...{ status: 'PARTIALLY_COMPLIANT', owner_id: 'OLA' },
      },
      { source: 'NIS2', requirement: 'Report incidents\nwithin 24 hours', regulator: 'CSIRT', status: 'NON_COMPLIANT' },
    ],
  },
];
