/** A list within a sentence. */
export const joinWords = (words: readonly string[], language: string): string =>
  words.join(language.startsWith("zh") ? "、" : ", ");
