/** The vectors as the browser test runs them: bundled for Chromium. */
import { nobleCrypto } from '../../../src/browser/noble-crypto.ts';
import { checkVectors, type TrailVectors, type VectorResult } from './check-vectors.ts';

export function checkVectorsInBrowser(vectors: TrailVectors): VectorResult[] {
  return checkVectors(nobleCrypto, vectors);
}
