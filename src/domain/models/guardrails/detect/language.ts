/** Scripts that name their language, with how one letter of each weighs against Latin words. */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp])[] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["ko", /\p{Script=Hangul}/gu],
  ["zh", /\p{Script=Han}/gu],
  ["ru", /\p{Script=Cyrillic}/gu],
  ["ar", /\p{Script=Arabic}/gu],
  ["he", /\p{Script=Hebrew}/gu],
  ["el", /\p{Script=Greek}/gu],
  ["th", /\p{Script=Thai}/gu],
  ["hi", /\p{Script=Devanagari}/gu],
];

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** The words that each language uses most, as far as others do not. */
const COMMON: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(
    "the and of to is that it for was with are this have you not be from they which would there what your can will my please how",
  ),
  de: words(
    "der die das und ist nicht ein eine mit auf für den von ich sie wir wie auch nach werden kann bitte dem zu im es über",
  ),
  fr: words(
    "le la les et est des une un pour dans que qui pas sur avec vous nous je ce cette sont plus mais être comment du au",
  ),
  es: words(
    "el la los las y es una un por para que con no se del como más pero este esta cómo puede son está lo al mi",
  ),
  it: words("il lo gli e è una un per che con non di del della sono più ma questo come può anche nel alla mi si"),
  pt: words("o os as e é uma um por para que com não do da dos das como mais mas este são você ao pode isso em"),
  nl: words("de het een en is van niet met voor zijn op dat ik je wij hoe ook naar worden kan deze maar bij aan"),
  pl: words("i w na nie jest się że do to z jak ale dla czy od po przez jestem który są proszę być ten co"),
  tr: words("ve bir bu için ile da de ne çok daha mi ama olarak gibi var nasıl değil ben sen kadar"),
  vi: words("và là của có không được cho một các với những này trong người tôi bạn như thế nào"),
};

const MOST_CHARACTERS = 20_000;
/** A text with fewer letters says too little. */
const FEWEST_LETTERS = 12;

/** The language of a text as its two letters; null: it is too short or too mixed to say. */
export function languageOf(complete: string): string | null {
  const text = complete.slice(0, MOST_CHARACTERS).replace(/```[\s\S]*?(?:```|$)|https?:\/\/\S+/g, " ");
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return null;
  for (const [language, expression] of SCRIPTS) {
    const count = text.match(expression)?.length ?? 0;
    // A Japanese text has more Chinese characters than its own.
    if (count >= 4 && count / letters >= (language === "ja" ? 0.1 : 0.4)) return language;
  }
  if (letters < FEWEST_LETTERS) return null;
  const found = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: string | null = null;
  let most = 0;
  let second = 0;
  for (const [language, common] of Object.entries(COMMON)) {
    const count = found.filter((word) => common.has(word)).length;
    if (count > most) [second, most, best] = [most, count, language];
    else if (count > second) second = count;
  }
  return most >= 2 && most > second && most / found.length >= 0.08 ? best : null;
}
