import { expect, test } from "bun:test";
import { seededRandom } from "../../../../test/support/lib/random-json.ts";
import { PERSONAL_KINDS } from "../../../settings/option/guardrails.ts";
import { personalDetectors } from "./identifiers/personal-data.ts";
import { maskAcrossParts, textsAcrossParts } from "./joined-parts.ts";
import { Masker } from "./mask.ts";

const detectors = personalDetectors(PERSONAL_KINDS);
const replace = (_: string, { type }: { type: string }) => `[${type}]`;
const partsOf = (...texts: string[]) => ({ messages: [{ content: texts.map((text) => ({ type: "text", text })) }] });
const mask = (value: object) => maskAcrossParts(value, detectors, replace);

test("what stands across parts is replaced where it begins; everything else stays where it is", () => {
  expect(mask(partsOf("to ann@exam", "ple.org and ", "4111 1111 ", "1111 ", "1111 now"))).toEqual(
    partsOf("to [EMAIL]", " and ", "[CARD]", "", " now"),
  );
  const apart = partsOf("to ann@example.org", "and bob@example.org");
  expect(mask(apart)).toBe(apart);
  const reasoning = {
    parts: [
      { type: "reasoning", text: "ann@exam" },
      { type: "text", text: "ple.org" },
    ],
  };
  expect(mask(reasoning)).toBe(reasoning);
  expect(textsAcrossParts(partsOf("key", "board"))).toEqual(["keyboard"]);
  expect(textsAcrossParts([{ text: "one" }, 1, { text: "two" }])).toEqual([]);
});

test("of long parts only the ends are read together, in linear time", () => {
  const long = "x ".repeat(50_000);
  const texts = textsAcrossParts(partsOf(`${long}ann@exam`, `ple.org${long}`, ...Array(2_000).fill(long)));
  expect(texts.every((text) => text.length <= 2_048)).toBe(true);
  expect(texts[0]).toContain("ann@example.org");
  expect(JSON.stringify(mask(partsOf(`${long}ann@exam`, `ple.org${long}`)))).not.toContain("ann@exam");
});

test("however a text is divided into parts, no value is left", () => {
  const random = seededRandom(47);
  const text = "Write to ann.lee@example.org or pay with 4111 1111 1111 1111, from 192.168.1.1.";
  const masker = new Masker(detectors, (_, { type }) => `[${type}]`);
  for (let round = 0; round < 200; round += 1) {
    const parts: string[] = [];
    for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 1)
      parts.push(text.slice(at, at + 1 + Math.floor(random() * 20)));
    const { messages } = masker.maskAll(partsOf(...parts));
    const joined = messages[0]?.content.map((part) => part.text).join("");
    expect(joined, JSON.stringify(parts)).not.toMatch(/@|example|4111 1111|1111 1111|192\.168\.1\.1/);
  }
});
