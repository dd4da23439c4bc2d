import { describe, expect, test } from "bun:test";
import { RandomJson, randomFrom, seededRandom } from "../../../test/support/lib/random-json.ts";
import { splicedPieces } from "../values/json/json-splice.ts";
import { bodyOfTexts, LONG_STRING, LongStrings } from "./json-body.ts";
import type { StreamedBody } from "./streamed-body.ts";

/** Texts of which long strings consist: plain ones, escapes, all lengths in UTF-8, pairs and lone surrogates. */
const TEXTS = ["A", "aGVsbG8+/=", '"', "\\", "\n", "\u0000", "\u007f", "é", "模", "\u2028", "😀", "\ud83d", "\ude00"];

const random = randomFrom(44);
const pick = (): string => TEXTS[Math.floor(random(TEXTS.length))] ?? "";

/** A string around the length from which on strings are long, or around twice that. */
function longString(): string {
  const [first, second, third] = [pick(), pick(), pick()];
  const length = LONG_STRING * (1 + Math.floor(random(2))) + Math.floor(random(5)) - 2;
  const start = third.repeat(Math.floor(random(3))) + first.repeat(Math.floor(random(LONG_STRING)));
  return (start + second.repeat(length)).slice(0, length);
}

/** The value with long strings in it, some of them twice. */
function withLongStrings(value: unknown): unknown {
  const long = Array.from({ length: 1 + Math.floor(random(3)) }, longString);
  return { long, value, nested: [{ again: long[0], short: "x" }, null, [long.at(-1)]], [pick()]: undefined };
}

async function sent(body: StreamedBody): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.stream()) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

describe("JSON that is never in memory as a whole", () => {
  test("is what JSON.stringify writes, with its exact length, as often as it is sent", async () => {
    const json = new RandomJson(seededRandom(45));
    for (let round = 0; round < 25; round += 1) {
      const value = withLongStrings(JSON.parse(json.value()));
      const long = new LongStrings();
      const text = long.stringify(value);
      const body = long.body(text, value);
      const expected = Buffer.from(JSON.stringify(value));
      expect(body.contentLength).toBe(expected.length);
      // Compared as a whole: a difference of megabytes says nothing.
      expect((await sent(body)).equals(expected)).toBe(true);
      expect((await sent(body)).equals(expected)).toBe(true);
    }
  });

  test("looks texts up in the strings that it left out, and writes their marks again", () => {
    const long = new LongStrings();
    const text = "x".repeat(LONG_STRING);
    const written = long.stringify({ before: `${text} needle`, other: text });
    expect(long.contain("needle")).toBe(true);
    expect(long.contain("nail")).toBe(false);
    expect(written).toContain(long.stringify(text));
    expect(written).not.toContain(long.stringify(`${text}.`));
  });

  test("a text with changed members is sent in pieces, character by character as it was", async () => {
    for (let round = 0; round < 20; round += 1) {
      const text = `{ "model" : "a", "seed":12345678901234567890 ,"content":${JSON.stringify(longString())} }`;
      const pieces = splicedPieces(text, { model: "b", top: longString() }, JSON.parse(text));
      const body = bodyOfTexts(pieces, null);
      const expected = Buffer.from(pieces.join(""));
      expect(body.contentLength).toBe(expected.length);
      expect((await sent(body)).equals(expected)).toBe(true);
    }
  });
});
