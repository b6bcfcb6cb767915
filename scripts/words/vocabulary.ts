/** Words that are refused in exported names, and what to say. docs/glossary.md defines the words to use. */
export const REFUSED_WORDS: Readonly<Record<string, string>> = {
  // Earlier names of this project, and the names that replaced them.
  ordinal: 'position',
  judge: 'decide',
  judged: 'decision',
  begun: 'initialState',
  tally: 'relatedCounts',
  tallies: 'relatedCounts',
  tallied: 'counted, or relatedCounts',
  keeps: 'countedLabels',
  doubted: 'uncertain',
  begets: 'childRecords',
  worked: 'computed',
  seldom: 'coveredByPrimaryIndexOnly',
  lacks: 'missing',
  lacking: 'missing',
  lacked: 'missing',
  told: 'recorded, included, or the thing it is',
  untold: 'excluded',
  drawn: 'generated, or rendered',
  draws: 'generates, or renders',
  draw: 'generate, or render',
  drawing: 'generating, or rendering',
  cutter: 'paginator',
  beside: 'linked',
  noted: 'recorded',
  deed: 'permission',
  deeds: 'permissions',
  permit: 'requirePermission',
  narrow: 'removeOrganizationFromToken',
  narrowed: 'the thing that is left',
  turns: 'KeyedQueue',
  hints: 'MembershipIndex',
  visitor: 'ClientInfo',
  visit: 'PageRequest',
  within: 'requireMembership, or withTimeout',
  stay: 'signal',
  desk: 'context',
  // Past participles that say that something happened to a value, not what the value is.
  known: 'the thing it is: cache, existing, etagMatches',
  given: 'the thing it is: input, headers',
  kept: 'the thing it is: stored, entry',
  asked: 'the thing it is: request, query',
  shown: 'the thing it is: text, label',
  found: 'the thing it is: record, match',
  own: 'the thing it is',
  named: 'the thing it is',
  done: 'the thing it is: result',
  // Names that fit everything.
  parts: 'options, or each collaborator by its name',
  things: 'the thing it is',
};

/** Names that are refused as a whole; as part of a longer name these words are clear. */
export const REFUSED_NAMES: Readonly<Record<string, string>> = {
  since: 'fromPosition',
  upTo: 'untilPosition',
  guard: 'checkReferences',
  DECIDED: 'INITIAL_STATE',
  passed: 'waitUntilProjected, or isPast',
  whole: 'isComplete',
  lateWrites: 'WriteBuffer',
  LateWrites: 'WriteBuffer',
  InOrder: 'the class, called after what it does',
  labels: 'exposedLabels, or countedLabels',
  side: 'rowIndex',
  FAR: 'MAX_DATE',
  NEVER: 'MIN_DATE',
  change: 'updateAtomically',
  shared: 'singleFlight',
  attempt: 'submitForm',
  doThere: 'submitAndRedirect',
  info: 'the thing it is',
  data: 'the thing it is',
  MOST: 'its limit and unit: MAX_REPORT_ROWS',
  ROOM: 'its limit and unit: MAX_PAGE_TOKENS',
  FULL: 'its limit and unit',
  AT_ONCE: 'its limit and unit: MAX_PARALLEL_CALLS',
  TEXT: 'its limit and unit: MAX_TEXT_LENGTH',
  PATIENCE: 'its limit and unit: TIMEOUT_MS',
};

/** Words that must not begin a comment. */
export const REFUSED_BEGINNINGS = new Set('what whatever who whoever whose whom whether how of'.split(' '));

/** A sentence may have this many words. Aim at 25. */
export const MAX_SENTENCE_WORDS = 30;

/** Terms in which a refused word is clear: the name of an error, and a word of docs/glossary.md. */
export const TERMS = ['not found', 'kept seal'];
