import { expect, test } from "bun:test";
import { seededRandom } from "../../../../test/support/lib/random-json.ts";
import { compileLinearPattern } from "../../../lib/values/patterns/linear-pattern.ts";
import { PERSONAL_KINDS } from "../../../settings/option/guardrails.ts";
import { secretDetectors } from "./detect/secrets.ts";
import { patternDetector, wordDetector } from "./detect/words.ts";
import { personalDetectors } from "./identifiers/personal-data.ts";
import { Placeholders, Restorer } from "./placeholders.ts";
import { type Piece, piecesOf, TextWindow } from "./window.ts";

const patterns = ["secret.*end", "\\bfoo$", "^a+", "x{3,}"].flatMap((source) => compileLinearPattern(source) ?? []);
const DETECTORS = [
  ...personalDetectors(PERSONAL_KINDS),
  ...secretDetectors,
  wordDetector(["forbidden thing", "考🚢x", "ab", "café", "секрет"]),
  ...patterns.map((pattern) => patternDetector(pattern)),
];

/** Everything that is found in some form, and what looks like it. */
const PIECES = [
  ...["ann.lee@example.org", "＋49 151 23456789", "4111 1111 1111 1111", "12/26", "DE89 3704 0044 0532 0130 00", "foo"],
  ...[
    "secret abc end",
    "考🚢x",
    "FORBIDDEN thing",
    "123-45-6789",
    "sk-proj-abcdefghijklmnopqrstuvwx1234",
    "x".repeat(300),
  ],
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/\n-----END RSA PRIVATE KEY-----",
  ...[
    'password: "hunter2x9Q!"',
    "2001:db8::1",
    "👍👍",
    "secret ",
    " end",
    "\n",
    " ",
    "a",
    "192.168.1.1",
    // Hidden: unseen characters, other scripts' letters and digits, marks, escapes of URLs, JSON and HTML.
    ...["an\u200bn.l\u00ade\u2060e@exam\u200dple.org", "ann%40example.org%20", "forb\u0456dd\u0435n thing", "сеkрет"],
    ...[
      "ｆｏｒｂｉｄｄｅｎ　thing",
      "𝐟𝒐rbidden thing",
      "cafe\u0301",
      "s\u0336e\u0301",
      "a\u200b\u0336b",
      "\u200b".repeat(70),
    ],
    ...["ann\\u0040example.org ", "forb&#105;dden thing", "&#x61;&#X0062;", "&#x6", "\\u00", "\\", "&"],
    ...["٠١٢٣٤٥٦٧٨٩", "+٤٩ ١٥١ ٢٣٤٥٦٧٨٩", "%4", "%", "\udb40", "\u{e0041}\u{e0042}", "\ud835"],
    "-----BEGIN ",
    "@",
  ],
];

/** The pieces with their kinds; text in a row is one. */
function joined(pieces: readonly Piece[]): readonly Readonly<{ text: string; type: string | null }>[] {
  const all: { text: string; type: string | null }[] = [];
  for (const { text, match } of pieces) {
    const last = all.at(-1);
    if (!match && last?.type === null) last.text += text;
    else all.push({ text, type: match?.type ?? null });
  }
  return all;
}

test("a text gives the same, however a stream divides it", () => {
  const random = seededRandom(47);
  for (let round = 0; round < 300; round += 1) {
    let text = "";
    for (let count = Math.floor(random() * 9); count >= 0; count -= 1) {
      const piece = PIECES[Math.floor(random() * PIECES.length)] ?? "";
      text +=
        random() < 0.5 ? piece : `${piece.slice(0, Math.ceil(random() * piece.length))}${random() < 0.7 ? " " : ""}`;
    }
    const window = new TextWindow(DETECTORS);
    const pieces: Piece[] = [];
    for (let at = 0; at < text.length; ) {
      const size = 1 + Math.floor(random() * random() * 30);
      pieces.push(...window.push(text.slice(at, at + size)));
      at += size;
    }
    pieces.push(...window.end());
    expect(joined(pieces), JSON.stringify(text)).toEqual(joined(piecesOf(text, DETECTORS)));
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  }
});

test("usual text waits for no more than its last words", () => {
  const window = new TextWindow([...personalDetectors(PERSONAL_KINDS), ...secretDetectors]);
  for (const word of "The quick brown fox jumps over the lazy dog and sleeps.".split(/(?<= )/)) window.push(word);
  expect(window.longestHold).toBeLessThanOrEqual("sleeps.".length);
});

test("placeholders are restored wherever a stream divides them, and others stay", () => {
  const placeholders = new Placeholders((text) => Bun.SHA256.hash(text, "hex"));
  const [mail, card] = [placeholders.of("EMAIL", "ann@example.org"), placeholders.of("CARD", "4111 1111")];
  const text = `To ${mail}, [EMAIL_AAAAAAAA], [x [${card.toLowerCase()}] [EMAIL_ ${mail}`;
  const restored = "To ann@example.org, [EMAIL_AAAAAAAA], [x [4111 1111] [EMAIL_ ann@example.org";
  for (let size = 1; size <= text.length; size += 1) {
    const restorer = new Restorer(placeholders);
    let all = "";
    for (let at = 0; at < text.length; at += size) all += restorer.push(text.slice(at, at + size));
    expect(all + restorer.end()).toBe(restored);
  }
});

test("a placeholder follows from the value and the tenant alone", () => {
  const of = (tenant: string) => new Placeholders((text) => Bun.SHA256.hash(`${tenant} ${text}`, "hex"));
  const first = of("a").of("EMAIL", "ann@example.org");
  expect(first).toMatch(/^\[EMAIL_[A-Z2-7]{8}\]$/);
  expect(of("a").of("EMAIL", "ann@example.org")).toBe(first);
  expect(of("b").of("EMAIL", "ann@example.org")).not.toBe(first);
  expect(of("b").restore(first)).toBe(first);
});
