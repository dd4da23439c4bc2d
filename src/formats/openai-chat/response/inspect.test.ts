import { describe, expect, test } from "bun:test";
import { isObjectWith, readFinishes, serviceTierIn } from "./inspect.ts";

const finishing = (...reasons: readonly (string | null)[]): Buffer =>
  Buffer.from(
    JSON.stringify({ choices: reasons.map((reason) => ({ text: '"finish_reason":"error"', finish_reason: reason })) }),
  );

describe("the finish reasons of an answer", () => {
  test("are the same bytes where OpenAI has them, too", () => {
    for (const bytes of [
      finishing("stop"),
      finishing(null),
      finishing("tool_calls", "length"),
      finishing("whatever"),
    ]) {
      expect(readFinishes(bytes)).toEqual({ bytes, failure: null });
      expect(readFinishes(bytes).bytes).toBe(bytes);
    }
  });

  test("become OpenAI's where a service has words of its own", () => {
    const { bytes, failure } = readFinishes(finishing("sensitive", "stop", "max_length", "eos"));
    expect(bytes.toString()).toBe(finishing("content_filter", "stop", "length", "stop").toString());
    expect(failure).toBeNull();
  });

  test("are a failure only where all of them are", () => {
    expect(readFinishes(finishing("network_error")).failure).toMatchObject({ status: 502, code: "network_error" });
    expect(readFinishes(finishing("error", "abort")).failure).toMatchObject({ status: 503, code: "abort" });
    expect(readFinishes(finishing("error", "stop")).failure).toBeNull();
    expect(readFinishes(finishing("stop", "error")).failure).toBeNull();
    expect(readFinishes(finishing(null, "error")).failure).not.toBeNull();
  });
});

test("a response is an object that ends and has one of the members", () => {
  const members = [Buffer.from('"data"'), Buffer.from('"images"')];
  for (const [text, isOne] of [
    ['{"data":[]}', true],
    [' \n{"images":[]}\n', true],
    ['{"choices":[]}', false],
    ['{"data":[1', false],
    ['["data"]', false],
    ["", false],
    ["  ", false],
  ] as const) {
    expect([text, isObjectWith(members, Buffer.from(text))]).toEqual([text, isOne]);
  }
});

test("the last service tier counts, and none in a text", () => {
  expect(serviceTierIn(Buffer.from('{"service_tier":"auto","a":{"service_tier" : "flex"}}'))).toBe("flex");
  expect(serviceTierIn(Buffer.from(JSON.stringify({ a: '"service_tier":"flex"' })))).toBeNull();
  expect(serviceTierIn(Buffer.from('{"service_tier":null}'))).toBeNull();
});
