/** What a hostile call says besides its question. */
export type HostileParts = Readonly<{
  model: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}>;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Texts that break indexes, encodings, JSON or the journal's own format. */
const TEXTS: readonly ((random: () => number) => string)[] = [
  (random) => randomText(random, 3000, ALPHABET),
  (random) => randomText(random, 2500, "漢字仮名交文東西南北"),
  (random) => randomText(random, 500, "🚰💧🌊🐟"),
  () => "a\0b",
  () => "\ud800\udfff\udc00",
  () => "\u001f\u001e\u001d\r\n\t",
  () => '\\u0000","tags":["',
  () => "'; drop table logs; --",
  () => "",
];

const randomText = (random: () => number, length: number, alphabet: string): string => {
  const characters = [...alphabet];
  return Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join("");
};

/** Hostile text in every place of a call that its record names. */
export function hostileParts(random: () => number): HostileParts {
  const text = () => (TEXTS[Math.floor(random() * TEXTS.length)] as (typeof TEXTS)[number])(random);
  // A header takes ISO 8859-1 without control characters, and a server little of it.
  const inHeader = () => randomText(random, 1 + Math.floor(random() * 900), `${ALPHABET}éßÿ"\\,;{}`);
  return {
    model: `${text()}${text()}`,
    headers: {
      "user-agent": inHeader(),
      "x-sluice-session": inHeader(),
      "x-sluice-step": inHeader(),
      "x-sluice-agent": inHeader(),
      "x-sluice-parent-agent": inHeader(),
      "x-sluice-tags": `${inHeader()},${inHeader()}`,
    },
    body: {
      user: text(),
      session_id: text(),
      metadata: { user_id: text(), session_id: text(), tags: [text(), text()] },
      reasoning_effort: text(),
    },
  };
}
