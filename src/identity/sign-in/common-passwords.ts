/** Shorter words of the list don't make a password common. */
const SHORTEST_WORD = 4;
const LETTER = '\\p{L}';
/** Digits and signs that people add before and after a common password. */
const ADDED = new RegExp(`^[^${LETTER}]+|[^${LETTER}]+$`, 'gu');
const REPEATED = /^(.{1,6}?)\1+$/u;
/** One text twice or more often. */
const REPEATED_WORD = /^(.+?)\1+$/u;

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEYS = 'qwertyuiopasdfghjklzxcvbnm';
const reverse = (text: string) => [...text].reverse().join('');
const RUNS = [DIGITS, LETTERS, KEYS, `1234567890${KEYS}`].flatMap((run) =>
  [run, reverse(run)].map((direction) => direction + direction),
);

/** Words of this service, and common passwords missing from the list. */
const ADDITIONS = [
  'veritrail',
  'compliance',
  'correcthorsebatterystaple',
  'thisismypassword',
  'iloveyouforever',
  'abcd12345678',
  'abcdef123456',
  '1234567890ab',
  'a1b2c3d4e5f6',
];

/** Signs that stand for letters. A 1 may be an i or an l. */
const SIGNS: Readonly<Record<string, string>> = { '@': 'a', '4': 'a', '3': 'e', '0': 'o', $: 's', '5': 's', '7': 't' };

let loading: Promise<ReadonlySet<string>> | undefined;

/** Loads the list once, when the first password is chosen: it takes a tenth of a second. */
function readList(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set([...dictionary['passwords-common'], ...ADDITIONS]),
  );
  return loading;
}

/**
 * Returns true for a password that attackers try first: a listed one, one of `ownWords`, or one of these repeated,
 * spelled with signs for letters, or between digits and signs.
 * @param password normalized, in lower case, without spaces
 * @param ownWords words about the person, such as the name, in the same form
 */
export async function isCommonPassword(password: string, ownWords: readonly string[]): Promise<boolean> {
  if (REPEATED.test(password) || RUNS.some((run) => run.includes(password))) return true;
  const list = await readList();
  const isCommon = (text: string) => list.has(text) || ownWords.includes(text);
  if (isCommon(password)) return true;
  const words = [password, password.replace(ADDED, '')].map((text) => text.replace(REPEATED_WORD, '$1'));
  return words.flatMap(spellingsOf).some((word) => word.length >= SHORTEST_WORD && isCommon(word));
}

/** Returns the text, and the same with letters in place of signs. */
function spellingsOf(text: string): string[] {
  const plain = text.replace(/[@430$57]/g, (sign) => SIGNS[sign]!);
  return [text, plain, plain.replace(/[1!]/g, 'i'), plain.replace(/1/g, 'l')].flatMap((spelling) => [
    spelling,
    spelling.replace(ADDED, ''),
  ]);
}
