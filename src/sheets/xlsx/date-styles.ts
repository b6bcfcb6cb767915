import { parseXml } from '../zip/xml.ts';

/** Ids of predefined date formats, which have no code in the file (ECMA-376 part 1, 18.8.30), with those for East Asia. */
const BUILT_IN_DATE_FORMATS: readonly number[] = [
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58,
];

/** Excel writes no longer code. `showsDay` needs time that grows with the square of the length. */
const MAX_CODE_CHARACTERS = 255;

/** Reads the cell formats (`cellXfs`) of a workbook. Returns true for each one that shows a number as a day. */
export async function readDateStyles(bytes: AsyncIterable<Uint8Array>): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let isInCellFormats = false;
  await parseXml(bytes, {
    open(name, { numFmtId, formatCode }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), (formatCode ?? '').slice(0, MAX_CODE_CHARACTERS));
      if (name === 'cellXfs') isInCellFormats = true;
      if (name === 'xf' && isInCellFormats) formats.push(Number(numFmtId ?? 0));
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return formats.map((id) => {
    const code = codes.get(id);
    return code === undefined ? BUILT_IN_DATE_FORMATS.includes(id) : showsDay(code);
  });
}

/**
 * Returns true for a format code that shows a day (ECMA-376 part 1, 18.8.31). The letters y and d mean days, h and s mean
 * times, and m means months unless h or s is there too. Quoted and escaped letters and bracketed parts are ignored,
 * except that an elapsed time such as `[h]` makes m mean minutes. Only the first section counts.
 */
function showsDay(code: string): boolean {
  const section = code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, '').split(';')[0]!;
  const letters = section.toLowerCase().replaceAll('general', '');
  return /[yd]/.test(letters) || (letters.includes('m') && !/[hs]/.test(letters) && !/\[[hms]+\]/i.test(code));
}
