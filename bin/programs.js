/** The programs, by the name that each has in dist/, with its module in src/. Each thread of the service is a program, and so is the process that reads a file. */
export const PROGRAMS = {
  main: 'main',
  cli: 'cli/main',
  'projection-thread': 'app/threads/projection-thread',
  'reporting-thread': 'app/threads/reporting-thread',
  'read-thread': 'app/threads/read-thread',
  'write-thread': 'app/threads/write-thread',
  'reading-process': 'app/reading/reading-process',
};
