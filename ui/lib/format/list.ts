/** Names next to each other, separated as the language does it. */
export const formatList = (names: readonly string[], language: string): string =>
  new Intl.ListFormat(language, { style: "narrow" }).format(names);
