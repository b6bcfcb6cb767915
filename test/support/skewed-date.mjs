/**
 * Loaded by `--import` in a service and its threads: its `Date` is as wrong as the file SKEW_FILE says, in milliseconds.
 * The other clocks stay right, as when somebody sets a machine's clock.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const READ_INTERVAL_MS = 20;
let skew = 0;
let readAt = Number.NEGATIVE_INFINITY;

function wrongNow() {
  const now = performance.now();
  if (now - readAt > READ_INTERVAL_MS) {
    skew = Number(readFileSync(process.env.SKEW_FILE, 'utf8'));
    readAt = now;
  }
  return RealDate.now() + skew;
}

globalThis.Date = class extends RealDate {
  constructor(...values) {
    super(...(values.length === 0 ? [wrongNow()] : values));
  }

  static now() {
    return wrongNow();
  }

  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
};
