/** Texts by key, and groups of them. */
export type Texts = Readonly<{ [key: string]: string | Texts }>;

/** Translated by a machine for each release; between releases English stands for what is new. */
export const MACHINE_MADE = ["fr", "ja", "ru", "vi", "zh-TW"] as const;

/**
 * The texts of a language in the order and with the keys of English: its own ones, and the English text where it has none yet. A text
 * that counts has each of the language's plural forms.
 */
export function completeTexts(language: string, english: Texts, own: Texts = {}): Texts {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const entries = Object.entries(english).flatMap(([key, text]): (readonly [string, string | Texts])[] => {
    const mine = own[key];
    if (typeof text === "object") {
      return [[key, completeTexts(language, text, typeof mine === "object" ? mine : {})]];
    }
    const [, stem, form] = PLURAL.exec(key) ?? [];
    if (stem === undefined) return [[key, mine ?? text]];
    // Once for both of English's forms.
    if (form === "one" && english[`${stem}_other`] !== undefined) return [];
    return pluralCategories.map((category) => {
      const name = `${stem}_${category}`;
      return [name, own[name] ?? own[`${stem}_other`] ?? english[name] ?? text] as const;
    });
  });
  return Object.fromEntries(entries);
}

const PLURAL = /^(.+)_(one|other)$/;
