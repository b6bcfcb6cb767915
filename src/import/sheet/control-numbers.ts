import type { AdoptedFramework, AdoptedFrameworks } from '../../queries/records/adopted-frameworks.ts';
import { headingsOf } from '../../register/headings.ts';
import { type Cell, displayText } from '../../sheets/cells/cell.ts';
import type { SheetField } from '../../sheets/cells/read-cell.ts';
import type { RowReading } from '../../sheets/columns/column-reader.ts';
import { headingRankOf, normalizeHeading } from '../../sheets/columns/headings.ts';
import type { ColumnChoices } from '../../sheets/columns/match-columns.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import {
  type BareNumbers,
  isClause,
  meaningOfNumbers,
  numberBeforeTitle,
  numberMeant,
  spellingsOf,
} from './reference-words.ts';

/*
 * A statement of applicability, or another list of controls: a column has their numbers, others have the decisions. Its
 * titles name the controls again, in the words of its author, so they change nothing.
 */

/** A column with fewer numbers of controls than this share of its cells doesn't have the controls. */
const MIN_SHARE_OF_NUMBERS = 0.5;

/** A column that explains the decision, whichever it is. */
export const JUSTIFICATION = 'justification';

/** A column "Status" often says how far a control is implemented, so a heading such as "Applicable" comes first. */
const APPLICABILITY: SheetField = {
  name: 'applicability',
  kind: 'text',
  headings: headingsOf({ singular: 'control' })('status'),
};

/** Returns the fields that a list of controls can fill. @param map fields that the caller gave a column */
export function controlListFields(fields: readonly SheetField[], map: ReadonlyMap<string, string>): SheetField[] {
  const headings = headingsOf({ singular: 'control' })(JUSTIFICATION);
  const isDecision = ({ name }: SheetField) => !['name', 'description'].includes(name) || map.has(name);
  return [...fields.filter(isDecision), { name: JUSTIFICATION, kind: 'text', headings }];
}

/** Finds the controls of a list by the numbers in one of its columns. */
export class ControlNumbers {
  private constructor(
    private readonly frameworks: AdoptedFrameworks,
    private readonly framework: AdoptedFramework,
    /** The caller's mapping, with the columns of the numbers and of the applicability. */
    readonly map: ReadonlyMap<string, string>,
    private readonly meaning: BareNumbers,
  ) {}

  /**
   * Finds the column with the numbers of an adopted framework. Returns null if there is none.
   * @param among the frameworks that the list may be about
   */
  static async open(
    { headers, sample }: Pick<Sheet, 'headers' | 'sample'>,
    { map = new Map(), ignored = [] }: ColumnChoices,
    frameworks: AdoptedFrameworks,
    among: readonly AdoptedFramework[],
  ): Promise<ControlNumbers | null> {
    const taken = new Set([...map].flatMap(([field, header]) => (field === 'id' ? [] : [normalizeHeading(header)])));
    for (const header of ignored) taken.add(normalizeHeading(header));
    const chosen = map.get('id');
    const candidates = headers.filter((header) =>
      chosen === undefined
        ? !taken.has(normalizeHeading(header))
        : normalizeHeading(chosen) === normalizeHeading(header),
    );
    for (const header of candidates) {
      const words = sample.flatMap(({ cells }) => textOf(cells.get(header)));
      const framework = await frameworkOfNumbers(words, frameworks, among);
      if (framework === null) continue;
      const has = hasControl(frameworks, framework);
      const meaning = await meaningOfNumbers(header, words.map(plainNumber), has);
      const rankOf = headingRankOf(APPLICABILITY);
      const status = headers.find((one) => one !== header && !taken.has(normalizeHeading(one)) && rankOf(one) !== null);
      const found = new Map([...map, ['id', header]]);
      if (status !== undefined && !found.has('status')) found.set('status', status);
      return new ControlNumbers(frameworks, framework, found, meaning);
    }
    return null;
  }

  /** Returns a row with the id of its control. Null for a row that only heads a group. */
  async withId(reading: RowReading): Promise<RowReading | null> {
    const { id: cell, [JUSTIFICATION]: justification, ...decisions } = reading.values;
    const word = String(cell ?? '').trim();
    const found = word === '' ? { problem: 'is required: the number of the control' } : await this.find(word);
    const errors = [...reading.errors];
    const isEmpty = Object.keys(decisions).length === 0 && justification === undefined && errors.length === 0;
    if ('problem' in found) {
      if (isEmpty) return null;
      return { ...reading, values: {}, errors: [...errors, { field: 'id', message: found.problem }] };
    }
    const values = { ...decisions, id: found.id };
    if (justification === undefined) return { ...reading, values };
    if (decisions.status === undefined) {
      const message =
        'needs a status in its row. Or map the column to inclusion_justification or exclusion_justification';
      return { ...reading, values, errors: [...errors, { field: JUSTIFICATION, message }] };
    }
    const field = decisions.status === 'EXCLUDED' ? 'exclusion_justification' : 'inclusion_justification';
    return { ...reading, values: { [field]: justification, ...values } };
  }

  private async find(word: string): Promise<{ id: string } | { problem: string }> {
    const has = hasControl(this.frameworks, this.framework);
    const meaning = isClause(word) ? 'CLAUSES' : this.meaning;
    for (const spelling of [...spellingsOf(word, true), numberBeforeTitle(word, true) ?? word]) {
      const number = await numberMeant(spelling, meaning, has);
      if (number === null) {
        return {
          problem: `"${word}" is a clause and a control of Annex A. Write A.${spelling}, or "clause ${spelling}"`,
        };
      }
      if (await has(number)) return this.frameworks.findControl(number, this.framework);
    }
    return { problem: `"${word}" is no control of ${this.framework.name}` };
  }
}

function hasControl(frameworks: AdoptedFrameworks, framework: AdoptedFramework) {
  return async (number: string) => 'id' in (await frameworks.findControl(number, framework));
}

/** Returns the framework that has most of these numbers; null if none has enough of them, or several have as many. */
async function frameworkOfNumbers(
  words: readonly string[],
  frameworks: AdoptedFrameworks,
  among: readonly AdoptedFramework[],
): Promise<AdoptedFramework | null> {
  const numbers = words.map(plainNumber);
  const shares = await Promise.all(
    among.map(async (framework) => {
      const plain = await frameworks.shareOfNumbers(framework, numbers);
      const annex = await frameworks.shareOfNumbers(
        framework,
        numbers.map((number) => `A.${number}`),
      );
      return { framework, share: Math.max(plain, annex) };
    }),
  );
  const best = Math.max(MIN_SHARE_OF_NUMBERS, ...shares.map(({ share }) => share));
  const fitting = shares.filter(({ share }) => share === best);
  return fitting.length === 1 ? fitting[0]!.framework : null;
}

/** Returns the number in a word such as "Annex A 8.2" or "8.2 Privileged access rights". */
function plainNumber(word: string): string {
  return numberBeforeTitle(word, true) ?? spellingsOf(word, true).at(-1)!;
}

function textOf(cell: Cell | undefined): string[] {
  if (cell === undefined) return [];
  const text = (cell.kind === 'number' && cell.shown) || displayText(cell);
  return text.trim() === '' ? [] : [text.trim()];
}
