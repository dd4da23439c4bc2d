import { describe, expect, test } from "bun:test";
import { readError } from "./errors.ts";
import { promptTexts, summarize, weighNonText } from "./request/summary.ts";
import { doneEventStart } from "./response/inspect.ts";
import { readUsageEvents } from "./response/stream.ts";
import { readUsage } from "./response/usage.ts";

const NOTHING = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

describe("usage", () => {
  test.each<[string, unknown, object | null]>([
    [
      "every detail",
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20, audio_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 40, audio_tokens: 5 },
      },
      {
        promptTokens: 100,
        completionTokens: 50,
        cachedTokens: 30,
        cacheCreationTokens: 20,
        reasoningTokens: 40,
        audioInputTokens: 10,
        audioOutputTokens: 5,
      },
    ],
    ["an explicit zero", { prompt_tokens: 0, completion_tokens: 0 }, {}],
    ["embeddings", { prompt_tokens: 4, total_tokens: 4 }, { promptTokens: 4 }],
    ["only a total and the prompt", { prompt_tokens: 4, total_tokens: 9 }, { promptTokens: 4, completionTokens: 5 }],
    [
      "DeepSeek's cache",
      { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 8 },
      { promptTokens: 9, completionTokens: 1, cachedTokens: 8 },
    ],
    ["the names of Responses", { input_tokens: 3, output_tokens: 2 }, { promptTokens: 3, completionTokens: 2 }],
    ["nothing", null, null],
    ["nonsense", { prompt_tokens: -1 }, null],
    ["texts", { prompt_tokens: "3" }, null],
  ])("%s", (_name, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected && { ...NOTHING, ...expected });
  });
});

describe("upstream errors", () => {
  test.each([
    [
      '{"error":{"message":"a","type":"t","code":"c","param":null}}',
      { message: "a", type: "t", code: "c", shaped: true },
    ],
    ['[{"error":{"message":"a"}}]', { message: "a", type: "upstream_error", shaped: true }],
    ['{"message":"b"}', { message: "b", code: "bad_response_status_code", param: "418", shaped: false }],
    ['{"msg":"c"}', { message: "c" }],
    ['{"err":"d"}', { message: "d" }],
    ['{"error_msg":"e"}', { message: "e" }],
    ['{"header":{"message":"f"}}', { message: "f" }],
    ['{"response":{"error":{"message":"g"}}}', { message: "g" }],
    ['{"error":"h"}', { message: "h" }],
    [
      '{"object":"error","message":"i","type":"t","param":"p","code":"3230"}',
      { message: "i", type: "t", param: "p", code: "3230", shaped: true },
    ],
    [
      '{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required"},{"msg":"no"}]}',
      { message: "messages.0.role: Field required; no", shaped: false },
    ],
    ['{"detail":"j"}', { message: "j" }],
    [
      '{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"k is busy"}}}',
      { message: "Provider returned error: k is busy", code: 429 },
    ],
    ['"Invalid token"', { message: "Invalid token", shaped: false }],
    ["upstream is full", { message: "upstream is full", shaped: false }],
    ['{"broken', { message: "bad response status code 418" }],
    ["<html>oops</html>", { message: "bad response status code 418" }],
    ["", { message: "bad response status code 418" }],
  ])("%s", (body, expected) => {
    expect(readError(418, body)).toMatchObject(expected);
  });
});

describe("a request", () => {
  test("is summarized", () => {
    expect(
      summarize({
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 5,
        max_completion_tokens: 9,
        n: 2,
      }),
    ).toEqual({ model: "m", stream: true, wantsUsage: true, choices: 2, maxOutputTokens: 9, reasoningEffort: null });
    expect(summarize({ model: 3, max_tokens: 0, n: 0 })).toMatchObject({
      model: "",
      choices: 1,
      maxOutputTokens: null,
    });
  });

  test("yields every text of its prompt", () => {
    const texts = promptTexts({
      messages: [
        { role: "system", content: "a" },
        {
          role: "user",
          name: "b",
          content: [
            { type: "text", text: "c" },
            { type: "image_url", image_url: { url: "x" } },
          ],
        },
        { role: "assistant", content: null, tool_calls: [{ function: { name: "d", arguments: "e" } }] },
        null,
      ],
      tools: [{ type: "function", function: { name: "f" } }],
    });
    expect(texts).toEqual(["a", "b", "c", "d", "e", '{"name":"f"}']);
  });

  test("estimates images, audio and files by their kind, not by their bytes", () => {
    const url = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const content = [
      { type: "image_url", image_url: { url, detail: "low" } },
      { type: "image_url", image_url: { url } },
      { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
      { type: "file", file: { file_data: "BB" } },
    ];
    expect(weighNonText({ messages: [{ role: "user", content }] })).toEqual({
      audioTokens: 100,
      tokens: 85 + 1105 + 100 + 5000,
      bytes: 2 * url.length + 4 + 2,
    });
  });
});

describe("a block of events", () => {
  test.each([
    ["data: [DONE]\n\n", 0],
    ["data: {}\n\ndata: [DONE]\n\n", 10],
    ["data: {}\r\n\r\ndata:[DONE]\r\n\r\n", 12],
    ['data: {"a":"[DONE]"}\n\n', -1],
    ['data: {"a":[1]}\n\n', -1],
    ["\n\n", -1],
  ])("its end marker: %j", (text, at) => {
    expect(doneEventStart(Buffer.from(text))).toBe(at);
  });

  test("loses its usage events, wherever they are, and nothing else", () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}';
    for (const end of ["\n\n", "\r\n\r\n"]) {
      const [a, b] = [`data: {"x":1,"usage":null}${end}`, `data: {"y":2}${end}`];
      const events = [usage + end, a, usage + end, b, usage + end];
      const read = readUsageEvents(Buffer.from(events.join("")), false);
      expect(Buffer.from(read.block).toString()).toBe(a + b);
      expect(read.usage).toMatchObject({ promptTokens: 1, completionTokens: 2 });
    }
  });
});
