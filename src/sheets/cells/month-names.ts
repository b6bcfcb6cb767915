import { foldLetters } from './fold.ts';

/** The months in the languages of registers. Polish and Czech dates have them in the genitive. */
const MONTHS = [
  'january januar janvier enero janeiro gennaio januari styczeń stycznia leden ledna jänner',
  'february februar février febrero fevereiro febbraio februari luty lutego únor února',
  'march märz mars marzo março maart mrt marzec marca březen března',
  'april avril abril aprile kwiecień kwietnia duben dubna',
  'may mai mayo maio maggio mei maj maja květen května',
  'june juni juin junio junho giugno czerwiec czerwca červen června',
  'july juli juillet julio julho luglio lipiec lipca červenec července',
  'august août agosto augustus sierpień sierpnia srpen srpna',
  'september septembre septiembre setembro settembre wrzesień września září',
  'october oktober octobre octubre outubro ottobre październik października říjen října',
  'november novembre noviembre novembro listopad listopada listopadu',
  'december dezember décembre diciembre dezembro dicembre grudzień grudnia prosinec prosince',
].map((names) => names.split(' ').map(foldLetters));

/** Returns the month that a name or its beginning means, 1 to 12; null if it is none, or could be several. */
export function monthOfName(name: string): number | null {
  const word = foldLetters(name);
  const matching = (isMeant: (month: string) => boolean) =>
    MONTHS.flatMap((names, index) => (names.some(isMeant) ? [index + 1] : []));
  const exact = matching((month) => month === word);
  const found = exact.length > 0 ? exact : matching((month) => month.startsWith(word));
  return found.length === 1 ? found[0]! : null;
}
