import { expect, test } from "bun:test";
import { FreeText } from "./free-text.ts";

const TEXT = 'Say "hi"\\n to C:\\new\n\ttab / slash Gänt 🌧 \u0001 {"input":"x"} end"';
const BACKSLASH_U = `{"input":"${[...'a"🌧ä']
  .flatMap((letter) => letter.split(""))
  .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`)
  .join("")}"}`;

function read(pieces: readonly string[]): { text: string; outputs: string[] } {
  const free = new FreeText();
  const outputs = [...pieces.map((piece) => free.push(piece)), free.end()];
  return { text: outputs.join(""), outputs };
}

const everySplit = (json: string): string[][] => [
  [...json].flatMap((letter) => letter.split("")),
  ...Array.from({ length: json.length }, (_, at) => [json.slice(0, at), json.slice(at)]),
  ...Array.from({ length: json.length }, (_, at) => [json.slice(0, at), json.slice(at, at + 3), json.slice(at + 3)]),
];

test.each([
  ["plain JSON", JSON.stringify({ input: TEXT }), TEXT],
  ["with blanks and a further member", ` {\n "input" : ${JSON.stringify(TEXT)} , "more": "no" }\n`, TEXT],
  ["all in escapes", BACKSLASH_U, 'a"🌧ä'],
  ["a solidus in an escape", '{"input":"a\\/b\\b\\f\\r"}', "a/b\b\f\r"],
  ["no content", '{"input":""}', ""],
  ["no member", "{}", ""],
  ["another member first", JSON.stringify({ reason: "}", input: TEXT }), TEXT],
  ["no text", '{"input":{"a":1}}', '{"a":1}'],
  ["another member only", '{"patch":"x"}', '{"patch":"x"}'],
  ["the bare text", "*** Begin Patch {", "*** Begin Patch {"],
])("%s, split anywhere", (_, json, text) => {
  for (const pieces of everySplit(json)) expect(read(pieces).text).toBe(text);
});

test("the text of truncated arguments is emitted, except for half an escape", () => {
  expect(read(['{"input":"abc', "def\\u00"]).text).toBe("abcdef");
});

test("text is emitted as it arrives, and no surrogate pair is split", () => {
  expect(read(['{"input":"ab', "c\\ud83c", '\\udf27"', "}"]).outputs).toEqual(["ab", "c", "🌧", "", ""]);
});
