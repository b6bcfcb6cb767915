/** A search as clients have it that load tools late: BM25 over names and descriptions. */

/** The usual parameters: how fast repeated words saturate, and how much long texts are discounted. */
const K1 = 1.2;
const B = 0.75;

export interface SearchedTool {
  name: string;
  description: string;
}

/** Splits a text into words in lower case. `listRisks` is "list risks". */
const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns a function that ranks tools for a request, best first. Tools that share no word with it are left out. */
export function keywordSearch(tools: readonly SearchedTool[]): (request: string) => string[] {
  const documents = tools.map(({ name, description }) => ({ name, words: wordsOf(`${name} ${description}`) }));
  const meanLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const idf = (word: string) => {
    const holders = documents.filter(({ words }) => words.includes(word)).length;
    return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5));
  };
  const score = (words: readonly string[], word: string) => {
    const count = words.filter((other) => other === word).length;
    return (idf(word) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.length) / meanLength));
  };
  return (request) => {
    const query = wordsOf(request);
    return documents
      .map(({ name, words }) => ({ name, score: query.reduce((sum, word) => sum + score(words, word), 0) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);
  };
}
