import { expect, test } from "bun:test";
import { BodyDecoder } from "./body-decoder.ts";
import { type BodyLength, BrokenAnswer } from "./response-head.ts";

/** Decodes a body that comes in these pieces. */
function decode(length: BodyLength, pieces: readonly string[]) {
  const decoder = new BodyDecoder(length);
  const body = pieces.map((piece) => Buffer.from(decoder.take(Buffer.from(piece))).toString()).join("");
  return { body, done: decoder.done, surplus: decoder.surplus, completeAtClose: decoder.isCompleteAtClose };
}

const CHUNKS = '4\r\nlock\r\nB;name="a;b"\r\n, ships and\r\n1  \r\n \r\n00\r\nX-Sum: 1\r\n\r\n';

test("chunks are put together wherever the network cuts them", () => {
  const whole = { body: "lock, ships and ", done: true, surplus: false, completeAtClose: true };
  expect(decode("chunked", [CHUNKS])).toEqual(whole);
  expect(decode("chunked", [...CHUNKS])).toEqual(whole);
  for (let cut = 1; cut < CHUNKS.length; cut += 1) {
    expect(decode("chunked", [CHUNKS.slice(0, cut), CHUNKS.slice(cut)])).toEqual(whole);
  }
});

test("chunks that end too early are not complete, and those behind the end are surplus", () => {
  expect(decode("chunked", [CHUNKS.slice(0, -2)])).toMatchObject({ done: false, completeAtClose: false });
  expect(decode("chunked", [CHUNKS, "HTTP/1.1 200 OK"])).toMatchObject({ body: "lock, ships and ", surplus: true });
});

test.each([
  ["no number", "\r\nlock\r\n"],
  ["no hexadecimal number", "4x\r\nlock\r\n"],
  ["a sign", "-4\r\nlock\r\n"],
  ["a number beyond all sizes", `${"f".repeat(30)}\r\n`],
  ["more data than announced", "3\r\nlock\r\n"],
  ["a line without end", `1;${"x".repeat(20_000)}`],
])("chunks with %s are refused", (_, text) => {
  expect(() => decode("chunked", [text])).toThrow(BrokenAnswer);
});

test("a body of a known length ends with its last byte", () => {
  expect(decode(5, ["lo", "cks"])).toMatchObject({ body: "locks", done: true, surplus: false });
  expect(decode(5, ["lo"])).toMatchObject({ done: false, completeAtClose: false });
  expect(decode(5, ["locks and"])).toMatchObject({ body: "locks", done: true, surplus: true });
  expect(decode(0, [])).toMatchObject({ body: "", done: true });
});

test("a body without a length ends with its connection", () => {
  expect(decode("until-close", ["lo", "cks"])).toMatchObject({ body: "locks", done: false, completeAtClose: true });
});
