import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { downloadReport } from '../support/cli/download-records.ts';
import { saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';

const test = importSuite('veritrail import of a report');

const REPORTS = {
  VENDORS: [
    'vendors',
    'Vendor,Status,Approved on,Country,Owner',
    'Acme,Approved,2025-03-03,DE,Olivia Owner',
    'Beta,,,,',
  ],
  RISK_REGISTER: ['risks', 'Ref,Risk,Likelihood,Impact,Treatment', 'R1,Flood,3,4,mitigate', 'R2,Fire,,,'],
  OBLIGATIONS: ['obligations', 'Requirement,Status,Last review', 'Report,Compliant,2025-03-03', 'Keep records,,'],
  NONCONFORMITIES: ['nonconformities', 'Ref,Finding,Severity,Date raised', 'N1,No log,minor,2026-01-02', 'N2,No key,,'],
} as const;

for (const [report, [type, ...lines]] of Object.entries(REPORTS)) {
  test(`${report} as CSV or XLSX changes nothing`, async ({ identity }) => {
    file(identity, 'list.csv', ...lines);
    await veritrail(identity, 'import', 'list.csv', '--type', type);
    for (const format of ['csv', 'xlsx'] as const) {
      const name = `report.${format}`;
      const content = await downloadReport(identity, report as keyof typeof REPORTS, format);
      writeFileSync(join(identity.dataDir, name), content);
      const { code, out, err } = await veritrail(identity, 'import', name, '--type', type);
      assert.is(out, 'created 0, updated 0, unchanged 2, refused 0 (of 2 rows)', `${format} ${err}`);
      assert.is(code, 0);
      if (format === 'csv')
        assert.match(err, /^The file is a report\. Its lines without records, .* left out: \d+\.$/m);
    }
  });
}

test.run();
