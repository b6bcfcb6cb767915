/**
 * Verifies changes and files of veritrail in a browser, in a page or a worker. `npm run build` bundles it as the asset
 * verify.js. Exports take long: verify them in a worker, so that the page stays responsive.
 */
export { NotAnExport } from '../trail/check/line-splitter.ts';
export { checkChangeOnPage, type PageCheckOutcome } from './check-change-on-page.ts';
export { verifyAnyFile } from './verify-any-file.ts';
export { type VerifyFileOptions, verifyEventProof, verifyExportFile, verifySealFile } from './verify-files.ts';
