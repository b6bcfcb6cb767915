/**
 * Makes a data file of the framework library from the OSCAL catalog of NIST SP 800-53 r5's HIGH baseline:
 *
 *     npx tsx scripts/library-from-oscal.ts CATALOG.json > src/library/data/NIST_800_53_R5_HIGH.json
 *
 * The catalog is `NIST_SP-800-53_rev5_HIGH-baseline-resolved-profile_catalog-min.json` in `nist.gov/SP800-53/rev5/json` of
 * https://github.com/usnistgov/oscal-content.
 */
import { readFrameworkFile } from '../src/library/framework-file.ts';

const [file, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0) {
  console.error('Usage: npx tsx scripts/library-from-oscal.ts CATALOG.json');
  process.exit(2);
}

const catalog = await readFrameworkFile(file, { withText: false, catalogs: [], table: {} });
const about = {
  library_id: 'NIST_800_53_R5_HIGH',
  name: 'NIST SP 800-53 Revision 5, HIGH baseline',
  version: catalog.version,
  publisher: 'National Institute of Standards and Technology (NIST)',
  source: `OSCAL catalog "${catalog.name}", version ${catalog.version}, https://github.com/usnistgov/oscal-content`,
  licence: 'Public domain in the United States (17 U.S.C. 105)',
  wording: 'Titles as NIST publishes them.',
};

// One control on each line, so a diff of two catalog versions shows the added and removed controls.
const head = JSON.stringify(about, null, 2).replace(/\n\}$/, '');
const controls = catalog.controls.map(
  ({ section_title, name }) =>
    `    { "section_title": ${JSON.stringify(section_title)}, "name": ${JSON.stringify(name)} }`,
);
process.stdout.write(`${head},\n  "controls": [\n${controls.join(',\n')}\n  ]\n}\n`);
