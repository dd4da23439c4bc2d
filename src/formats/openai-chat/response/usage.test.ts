import { describe, expect, test } from "bun:test";
import { usageInBytes } from "./usage.ts";

const figures = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } };
const read = (text: string) => usageInBytes(Buffer.from(text));

describe("usage of a complete response", () => {
  test.each([
    ["at the end", JSON.stringify({ choices: [], usage: figures })],
    ["before the choices", JSON.stringify({ usage: figures, choices: [{ message: { content: "x".repeat(5_000) } }] })],
    ["pretty-printed", JSON.stringify({ id: "1", usage: figures }, null, 2)],
    ["after blank lines that kept the connection alive", `\n\n \n${JSON.stringify({ usage: figures })}`],
    ["after a text that mentions usage", JSON.stringify({ a: '"usage":{"prompt_tokens":99}', usage: figures })],
    ["with objects in objects", JSON.stringify({ usage: { ...figures, costs: { input: { usd: {} } } }, id: "1" })],
    ["with a brace in a text", JSON.stringify({ usage: { tier: "a}b", ...figures }, id: "1" })],
    ["before another object with that name", JSON.stringify({ usage: figures, choices: [{ usage: null }] })],
  ])("%s", (_name, text) => {
    expect(read(text)).toMatchObject({ promptTokens: 7, completionTokens: 3, cachedTokens: 2 });
  });

  test.each([
    "",
    "{}",
    '{"usage":null}',
    '{"usage":{}}',
    '{"usage":{"prompt_tokens":"7"}}',
    "<html>",
    '{"usage":',
    '{"usage":{"prompt_tokens":7,"a":{}',
  ])("none in %j", (text) => expect(read(text)).toBeNull());
});
