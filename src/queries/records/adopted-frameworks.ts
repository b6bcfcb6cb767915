import type { CommandHandler } from '../../commands/engine/handler.ts';
import { frameworkOfControl, idPrefix } from '../../commands/engine/ids.ts';
import { recordAggregate } from '../../commands/families.ts';
import { normalizeText } from '../../projections/read-models/search-text.ts';
import { withoutPadding } from '../../projections/read-models/search-words.ts';
import { CONTROL } from '../../register/control.ts';
import { FRAMEWORK, type FrameworkState } from '../../register/framework.ts';
import { readKeysetPages } from '../lists/keyset-page.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { meantFrameworks } from './named-records.ts';

export interface AdoptedFramework {
  id: string;
  name: string;
  version: string | null;
  library_id: string | null;
}

/** The thing that a word names, or a sentence that says why there is none. */
export type Match<Thing> = Thing | { problem: string };

const FRAMEWORKS_PER_READ = 100;
const MAX_LISTED = 5;

/** Finds adopted frameworks, and their controls, by the words of people. Archived frameworks are not found. */
export class AdoptedFrameworks {
  private readonly numbers = new Map<string, Promise<Numbers>>();

  private constructor(
    private readonly handler: Pick<CommandHandler, 'load'>,
    readonly all: readonly AdoptedFramework[],
  ) {}

  /** Lists the frameworks by the read models. What is written is decided by the log alone. */
  static async read(
    handler: Pick<CommandHandler, 'load'>,
    { models }: Pick<Snapshot, 'models'>,
    organizationId: string,
  ): Promise<AdoptedFrameworks> {
    const where = [{ key: 'archived', op: 'eq', value: 0 }] as const;
    const order = { key: 'name', direction: 'ASC' } as const;
    const query = { collection: FRAMEWORK.plural, organizationId, where, order };
    const all: AdoptedFramework[] = [];
    for await (const page of readKeysetPages(() => models, { ...query, size: FRAMEWORKS_PER_READ, after: null })) {
      all.push(...page.map(({ doc }) => doc as unknown as AdoptedFramework));
    }
    return new AdoptedFrameworks(handler, all);
  }

  /**
   * Finds a framework by its id, the id in the library, or its name. Words of the name are enough if only one framework has
   * them: "ISO 27001" is ISO/IEC 27001:2022.
   */
  find(word: string): Match<AdoptedFramework> {
    const matching = meantFrameworks(this.all, word);
    if (matching.length === 1) return matching[0]!;
    if (matching.length > 1) {
      return { problem: `"${word}" could be ${listed(matching)}. Give the framework’s id.` };
    }
    return { problem: `No framework in use is called "${word}". There are: ${listed(this.all)}.` };
  }

  /**
   * Finds a control by its id or number. Case, spaces and the padding of numbers don't matter, unless two controls differ
   * only by them.
   * @param framework null if any framework may have it
   */
  async findControl(word: string, framework: AdoptedFramework | null): Promise<Match<{ id: string }>> {
    if (idPrefix(word) === CONTROL.prefix) return this.controlWithId(word, framework);
    const among = framework === null ? this.all : [framework];
    const found = await Promise.all(among.map(async (one) => ({ one, ids: (await this.numbersOf(one)).find(word) })));
    const having = found.filter(({ ids }) => ids.length > 0);
    const [first] = having;
    if (first === undefined) {
      const none = framework === null ? 'No framework in use has a' : `${framework.name} has no`;
      return { problem: `${none} control ${word}.` };
    }
    if (having.length > 1) {
      return { problem: `${listed(having.map(({ one }) => one))} have a control ${word}. Name the framework.` };
    }
    if (first.ids.length > 1) return { problem: `Several controls have the number ${word}. Give the control’s id.` };
    return { id: first.ids[0]! };
  }

  /** Returns the share of these words that are numbers of a framework's controls. */
  async shareOfNumbers(framework: AdoptedFramework, words: readonly string[]): Promise<number> {
    const numbers = await this.numbersOf(framework);
    return words.filter((word) => numbers.find(word).length > 0).length / Math.max(1, words.length);
  }

  private controlWithId(id: string, framework: AdoptedFramework | null): Match<{ id: string }> {
    const ownFramework = this.all.find((one) => one.id === frameworkOfControl(id));
    if (ownFramework === undefined) return { problem: `There is no ${id} in a framework in use.` };
    if (framework !== null && framework !== ownFramework) {
      return { problem: `${id} is a control of ${ownFramework.name}, not of ${framework.name}.` };
    }
    return { id };
  }

  private numbersOf({ id }: AdoptedFramework): Promise<Numbers> {
    const read = async () => {
      const { state } = await this.handler.load(recordAggregate(id));
      return new Numbers((state as FrameworkState | null)?.controls ?? []);
    };
    const numbers = this.numbers.get(id) ?? read();
    this.numbers.set(id, numbers);
    return numbers;
  }
}

/** The numbers of a framework's controls, as they were adopted. They never change. */
class Numbers {
  private readonly exact = new Map<string, string>();
  private readonly folded = new Map<string, string[]>();

  constructor(controls: FrameworkState['controls']) {
    for (const { id, section_title } of controls) {
      this.exact.set(section_title, id);
      const folded = foldNumber(section_title);
      this.folded.set(folded, [...(this.folded.get(folded) ?? []), id]);
    }
  }

  /** Returns the controls that a word can mean. */
  find(word: string): readonly string[] {
    const exact = this.exact.get(word);
    return exact === undefined ? (this.folded.get(foldNumber(word)) ?? []) : [exact];
  }
}

const foldNumber = (number: string): string => withoutPadding(normalizeText(number).replace(/\s+/g, ''));

function listed(frameworks: readonly AdoptedFramework[]): string {
  const names = frameworks.slice(0, MAX_LISTED).map(({ id, name }) => `${name} (${id})`);
  const more = frameworks.length - names.length;
  return `${names.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}
