/** More rounds of the random tests, as each night: `NIGHTLY=1 npm run test:long`. */
export const isNightly = process.env.NIGHTLY === '1';

/** Returns the rounds of a random test: a few at each change, more at night. */
export const rounds = (usual: number, nightly: number): number => (isNightly ? nightly : usual);
