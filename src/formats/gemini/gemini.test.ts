import { describe, expect, test } from "bun:test";
import {
  dataOf,
  NO_USAGE,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../../test/support/formats/fixtures.ts";
import { PLAIN_SERVICE } from "../conversation/service.ts";
import type { JsonObject } from "../json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../openai-chat/index.ts";
import { geminiArrayClientCodec, geminiClientCodec, geminiCodec } from "./index.ts";

function fromChat(body: JsonObject, model = "gemini-2.5-flash") {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({ messages: [{ role: "user", content: "go" }], ...body });
  return {
    body: geminiCodec.encodeRequest(
      conversation,
      { ...target(model), service: { ...PLAIN_SERVICE, hostedToolsWithFunctions: true } },
      dropped,
    ),
    dropped,
  };
}
const contents = [{ role: "user", parts: [{ text: "go" }] }];
const decoded = (body: JsonObject) =>
  geminiClientCodec.decodeRequest({ contents, ...body }, { model: "m", stream: true });
const tool = (name: string) => ({
  type: "function",
  function: { name, parameters: { properties: { x: { type: "string" } } } },
});
const thinkingOf = (body: JsonObject, model: string) =>
  (fromChat(body, model).body.generationConfig as JsonObject | undefined)?.thinkingConfig;

describe("thinking", () => {
  test.each([
    ["gemini-2.5-flash", "high", { thinkingBudget: 24_576, includeThoughts: true }],
    ["gemini-2.5-flash", "none", { thinkingBudget: 0, includeThoughts: false }],
    ["gemini-2.5-pro", "none", { thinkingBudget: 128, includeThoughts: false }],
    ["gemini-2.5-flash-lite", "minimal", { thinkingBudget: 512, includeThoughts: true }],
    ["gemini-flash-latest", "low", { thinkingBudget: 1024, includeThoughts: true }],
    ["gemini-3-flash-preview", "minimal", { thinkingLevel: "minimal", includeThoughts: true }],
    ["gemini-3-pro-preview", "minimal", { thinkingLevel: "low", includeThoughts: true }],
    ["gemini-3-pro-preview", "medium", { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-3.1-pro-preview", "medium", { thinkingLevel: "medium", includeThoughts: true }],
    ["gemini-3.6-flash", "none", { thinkingLevel: "minimal", includeThoughts: false }],
    // Rejects the level minimal.
    ["gemini-3.7-flash", "none", { thinkingLevel: "low", includeThoughts: false }],
  ])("%s, effort %s", (model, reasoning_effort, config) => {
    expect(thinkingOf({ reasoning_effort }, model)).toEqual(config);
  });

  test("models that generate media or are too old receive no reasoning options, and that is reported", () => {
    for (const model of [
      "gemini-2.5-flash-image",
      "gemini-3-pro-image-preview",
      "gemini-2.5-flash-preview-tts",
      "gemini-2.0-flash",
    ]) {
      const { body, dropped } = fromChat({ reasoning_effort: "high" }, model);
      expect(body).not.toHaveProperty("generationConfig");
      expect(dropped).toContain("reasoning_effort");
    }
  });

  test("budgets stay within the model's limits, -1 lets the model decide", () => {
    const budget = (thinkingBudget: number, model: string) => {
      const conversation = decoded({ generationConfig: { thinkingConfig: { thinkingBudget } } });
      const body = geminiCodec.encodeRequest(conversation, target(model), new Set());
      return (body.generationConfig as JsonObject).thinkingConfig;
    };
    expect(budget(90_000, "gemini-2.5-pro")).toMatchObject({ thinkingBudget: 32_768 });
    expect(budget(100, "gemini-2.5-flash-lite")).toMatchObject({ thinkingBudget: 512 });
    expect(budget(-1, "gemini-2.5-flash")).toMatchObject({ thinkingBudget: -1 });
    expect(budget(-1, "gemini-3-flash")).toEqual({ includeThoughts: true });
  });

  test("a client that only wants to read reasoning does not make the model reason more", () => {
    const conversation = decoded({ generationConfig: { thinkingConfig: { includeThoughts: true } } });
    const body = geminiCodec.encodeRequest(conversation, target("gemini-2.5-flash"), new Set());
    expect(body.generationConfig).toEqual({ thinkingConfig: { includeThoughts: true } });
  });
});

describe("tools", () => {
  test("Google's own tools and JSON combine with functions only since Gemini 3", () => {
    const body = {
      tools: [tool("f"), { type: "function", function: { name: "googleSearch" } }],
      response_format: { type: "json_object" },
    };
    const old = fromChat(body);
    expect(old.body.tools).toEqual([{ functionDeclarations: [expect.objectContaining({ name: "f" })] }]);
    expect(old.body).not.toHaveProperty("generationConfig");
    expect(old.dropped).toEqual(new Set(["tools: googleSearch", "response_format"]));
    const newer = fromChat(body, "gemini-3-flash-preview");
    expect(newer.body.tools).toHaveLength(2);
    expect(newer.body.generationConfig).toEqual({ responseMimeType: "application/json" });
    expect(newer.dropped.size).toBe(0);
  });

  test("functions enable Google's tools by name", () => {
    for (const name of ["googleSearch", "codeExecution", "urlContext"]) {
      const { body } = fromChat({ tools: [{ type: "function", function: { name } }], tool_choice: "auto" });
      expect(body.tools).toEqual([{ [name]: {} }]);
      // A tool choice without functions is rejected.
      expect(body).not.toHaveProperty("toolConfig");
    }
  });

  test("choices", () => {
    const choice = (tool_choice: unknown) =>
      (fromChat({ tools: [tool("a"), tool("b")], tool_choice }).body.toolConfig as JsonObject).functionCallingConfig;
    expect(choice("auto")).toEqual({ mode: "AUTO" });
    expect(choice("none")).toEqual({ mode: "NONE" });
    expect(choice("required")).toEqual({ mode: "ANY" });
    expect(choice({ type: "function", function: { name: "b" } })).toEqual({ mode: "ANY", allowedFunctionNames: ["b"] });
  });
});

test("turns begin with the user's; instructions alone become the first turn; numbers fit into 32 bits", () => {
  expect(fromChat({ messages: [{ role: "assistant", content: "hello" }] }).body.contents).toEqual([
    { role: "user", parts: [{ text: "..." }] },
    { role: "model", parts: [{ text: "hello" }] },
  ]);
  const alone = fromChat({ messages: [{ role: "system", content: "be" }], seed: 2 ** 40 + 5, temperature: 9 }).body;
  expect(alone).toEqual({
    contents: [{ role: "user", parts: [{ text: "be" }] }],
    generationConfig: { seed: 5, temperature: 2 },
  });
});

test("more than five stop sequences and what Gemini cannot express are reported", () => {
  const { body, dropped } = fromChat({ stop: ["a", "b", "c", "d", "e", "f"], logit_bias: { 1: 2 }, n: 2, user: "u" });
  expect(body.generationConfig).toEqual({ candidateCount: 2, stopSequences: ["a", "b", "c", "d", "e"] });
  expect(dropped).toEqual(new Set(["stop", "logit_bias", "user"]));
});

describe("requests of Gemini's clients", () => {
  test("snake case means the same as camel case", () => {
    const camel = decoded({
      systemInstruction: { parts: [{ text: "be" }] },
      tools: [
        {
          functionDeclarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } }],
          googleSearch: {},
        },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
      generationConfig: { maxOutputTokens: 5, topP: 0.5, stopSequences: ["x"], responseMimeType: "application/json" },
      contents: [
        {
          parts: [
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
            { fileData: { mimeType: "application/pdf", fileUri: "gs://b/f" } },
          ],
        },
      ],
    });
    const snake = decoded({
      system_instruction: { parts: [{ text: "be" }] },
      tools: [
        {
          function_declarations: [{ name: "f", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } }],
          googleSearch: {},
        },
      ],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["f"] } },
      generation_config: {
        max_output_tokens: 5,
        top_p: 0.5,
        stop_sequences: ["x"],
        response_mime_type: "application/json",
      },
      contents: [
        {
          parts: [
            { inline_data: { mime_type: "image/png", data: "aGk=" } },
            { file_data: { mime_type: "application/pdf", file_uri: "gs://b/f" } },
          ],
        },
      ],
    });
    expect(snake).toEqual(camel);
    expect(camel.tools.map(({ type, name }) => [type, name])).toEqual([
      ["function", "f"],
      ["hosted", "web_search"],
    ]);
    expect(camel.extra.members).toEqual({});
    expect(camel.stream).toBe(true);
  });

  test("members that only Google defines stay, and return", () => {
    const own = {
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      generationConfig: { imageConfig: { aspectRatio: "1:1" }, mediaResolution: "LOW", topK: 3 },
      toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
    };
    const conversation = decoded({ ...own, tools: [{ functionDeclarations: [{ name: "f" }] }] });
    expect(Object.keys(conversation.extra.members).sort()).toEqual([
      "generationConfig",
      "safetySettings",
      "toolConfig",
    ]);
    expect(geminiCodec.encodeRequest(conversation, target("gemini-2.5-flash"), new Set())).toMatchObject(own);
  });

  test("a part's further members return to Google, and are reported as dropped elsewhere", () => {
    const video = {
      inlineData: { mimeType: "video/mp4", data: "aGk=", displayName: "Flood" },
      videoMetadata: { fps: 2 },
      mediaResolution: { level: "MEDIA_RESOLUTION_HIGH" },
    };
    const call = { functionCall: { name: "look", args: { at: 1 }, willContinue: false }, thoughtSignature: "c2ln" };
    const response = { name: "look", response: { output: "wet", note: 1 }, scheduling: "SILENT" };
    const contents = [
      { role: "user", parts: [{ text: "Look.", partMetadata: { source: "chat" } }, video] },
      { role: "model", parts: [call] },
      { role: "user", parts: [{ functionResponse: response }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "dry" } } }] },
    ];
    const conversation = geminiClientCodec.decodeRequest({ contents }, { model: "m", stream: false });
    const dropped = new Set<string>();
    const sent = geminiCodec.encodeRequest(conversation, target("gemini-2.5-flash"), dropped);
    expect(sent.contents).toEqual(contents);
    expect([...dropped]).toEqual([]);
    openaiChatCodec.encodeRequest(conversation, target("gpt-4o"), dropped);
    expect([...dropped].sort()).toEqual([
      ...["functionCall: willContinue", "functionResponse: scheduling", "inlineData: displayName"],
      ...["mediaResolution", "partMetadata", "videoMetadata"],
    ]);
  });

  test("a fetched file loses the members that concern its URL only", () => {
    const file = {
      fileData: { mimeType: "image/png", fileUri: "https://x.example/a.png", displayName: "A" },
      mediaResolution: 1,
    };
    const conversation = decoded({ contents: [{ role: "user", parts: [file] }] });
    const [image] = conversation.turns[0]?.parts ?? [];
    if (image?.type !== "image") throw new Error("it is no image");
    image.source = { kind: "base64", mediaType: "image/png", data: "aGk=" };
    const sent = geminiCodec.encodeRequest(conversation, target("gemini-2.5-flash"), new Set());
    const parts = [{ inlineData: { mimeType: "image/png", data: "aGk=" }, mediaResolution: 1 }];
    expect(sent.contents).toEqual([{ role: "user", parts }]);
  });

  test("a request without contents is rejected", () => {
    expect(() => geminiClientCodec.decodeRequest({})).toThrow("contents");
  });
});

describe("framing of streams", () => {
  const answer = (text: string, more: JsonObject = {}) =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }] })}\r\n\r\n`;
  const steps = stepsOfStream(geminiCodec, answer("a") + answer("b", { finishReason: "STOP" }));

  test("as a JSON array the stream is one array, also with whitespace between elements and after an error", () => {
    const elements = JSON.parse(written(geminiArrayClientCodec, steps)) as JsonObject[];
    expect(elements).toEqual(dataOf(written(geminiClientCodec, steps)));
    const encoder = geminiArrayClientCodec.streamEncoder(replyContext(), decoded({}));
    const error = { status: 503, type: "x", code: null, message: "gone", param: null };
    const pieces = steps.map((step) => encoder.push(step)).join(geminiArrayClientCodec.ping);
    const failed = JSON.parse(`\n${pieces}\n${encoder.push({ type: "error", error })}`) as JsonObject[];
    expect(failed.at(-1)).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } });
    const silent = geminiArrayClientCodec.streamEncoder(replyContext(), decoded({}));
    expect(JSON.parse(silent.end(NO_USAGE))).toHaveLength(1);
    const atOnce = geminiArrayClientCodec.streamEncoder(replyContext(), decoded({}));
    expect(JSON.parse(atOnce.push({ type: "error", error }))).toHaveLength(1);
  });

  test("usage includes audio tokens, if any", () => {
    const usage = { ...NO_USAGE, promptTokens: 9, completionTokens: 6, reasoningTokens: 1 };
    const audioUsage = { ...usage, audioInputTokens: 7, audioOutputTokens: 5 };
    const [last] = dataOf(written(geminiClientCodec, [], audioUsage)).slice(-1);
    expect(last?.usageMetadata).toMatchObject({
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 2 },
        { modality: "AUDIO", tokenCount: 7 },
      ],
      candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 5 }],
    });
    expect(written(geminiClientCodec, [], usage)).not.toContain("Details");
  });

  test("events end with CRLF, the last one has the reason and the usage", () => {
    const text = written(geminiClientCodec, steps, {
      ...NO_USAGE,
      promptTokens: 7,
      completionTokens: 5,
      reasoningTokens: 2,
    });
    expect(text.split("\r\n\r\n").at(-1)).toBe("");
    expect(dataOf(text).at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 12 },
      modelVersion: "asked",
    });
  });
});
