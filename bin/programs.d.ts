/** The programs, by the name that each has in dist/, with its module in src/. */
export const PROGRAMS: Readonly<
  Record<
    'main' | 'cli' | 'projection-thread' | 'reporting-thread' | 'read-thread' | 'write-thread' | 'reading-process',
    string
  >
>;
