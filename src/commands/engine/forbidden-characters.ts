/*
 * The characters that names and texts of callers can't contain. They are invisible, so they could show people another
 * text than the one that is stored, or give assistants instructions that nobody sees. Stored texts keep theirs.
 */

/** Line and paragraph separators, characters that change the direction of text, and marks of annotations. */
const INVISIBLE = '\\u2028-\\u202e\\u2066-\\u206f\\ufff9-\\ufffb';

/** The characters in the tags of a flag, such as the letters gbsct of Scotland's. */
const FLAG_TAG = '[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]';
/** Tags, which repeat ASCII invisibly. Only a flag may have some, after its visible character. */
const TAG_OUTSIDE_FLAG = `(?<!\\u{1f3f4}${FLAG_TAG}{0,6})[\\u{e0000}-\\u{e007f}]`;

const forbidden = (controls: string, flags: string) =>
  new RegExp(`[${controls}${INVISIBLE}]|${TAG_OUTSIDE_FLAG}`, flags);

const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';
/** A character that no name can contain. */
export const FORBIDDEN_IN_NAMES = forbidden(CONTROLS, 'u');
/** Each of them, for replacing. */
export const EACH_FORBIDDEN_IN_NAMES = forbidden(CONTROLS, 'gu');
/** A character that no text can contain. Texts can contain line feeds and tabs. */
export const FORBIDDEN_IN_TEXTS = forbidden('\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', 'u');
