import { expect, test } from "bun:test";
import {
  counter,
  dataOf,
  meaningOf,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../../test/support/formats/fixtures.ts";
import { completeEventsLength, eventData, splitEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { anthropicClientCodec } from "../anthropic/index.ts";
import type { ClientCodec } from "../conversation/codec.ts";
import { stepsOf } from "../conversation/collect-reply.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import type { JsonObject } from "../json.ts";
import { openaiChatClientCodec } from "../openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../openai-responses/index.ts";
import { geminiClientCodec, geminiCodec } from "./index.ts";

/** Edge cases of generateContent: https://ai.google.dev/api/generate-content. */

const answer = (parts: JsonObject[], candidate: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
  modelVersion: "gemini-3-flash",
  responseId: "r",
  ...more,
});
const stop = { finishReason: "STOP" };
const stream = (...answers: JsonObject[]): string =>
  answers.map((body) => `data: ${JSON.stringify(body)}\r\n\r\n`).join("");
const read = (...answers: JsonObject[]) => stepsOfStream(geminiCodec, stream(...answers));
const call = (name: string, args: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionCall: { name, args },
  ...more,
});
const sent = (client: ClientCodec, body: JsonObject, model = "gemini-3-flash-preview") =>
  geminiCodec.encodeRequest(client.decodeRequest(body), target(model), new Set()).contents as {
    role: string;
    parts: JsonObject[];
  }[];

test("any split of the bytes yields the same events, with every line ending", () => {
  const complete = `: hello\n\n${stream(
    answer([{ text: "思考", thought: true }]),
    answer([{ text: "🐟 schön" }]),
    answer([call("f", { ü: 1 })], stop, { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2 } }),
  ).replaceAll("\r\n", "\n")}`;
  const steps = (pieces: Uint8Array[]): ReplyEvent[] => {
    const decoder = geminiCodec.streamDecoder(counter());
    const found: ReplyEvent[] = [];
    let held: Uint8Array = new Uint8Array();
    for (const piece of pieces) {
      held = Buffer.concat([held, piece]);
      const length = completeEventsLength(held);
      for (const event of splitEvents(textOfBytes(held.subarray(0, length)))) {
        const data = eventData(event);
        if (data !== null) found.push(...decoder.push({ event: "", data }));
      }
      held = held.subarray(length);
    }
    return [...found, ...decoder.end()];
  };
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    const bytes = Buffer.from(complete.replaceAll("\n", lineEnd));
    const once = steps([bytes]);
    expect(meaningOf(once)).toMatchObject({ text: "🐟 schön", thought: "思考", calls: [["f", { ü: 1 }]] });
    for (let at = 1; at < bytes.length; at += 1) {
      expect(steps([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(once);
    }
  }
});

test("reasoning and tool prompts count: completion is candidates and reasoning, the last usage wins", () => {
  const usage = (candidates: number) => ({
    usageMetadata: {
      promptTokenCount: 20,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 8,
      candidatesTokenCount: candidates,
      thoughtsTokenCount: 100,
      totalTokenCount: 125 + candidates,
    },
  });
  const step = read(answer([{ text: "a" }], {}, usage(1)), answer([{ text: "b" }], stop, usage(3))).findLast(
    (step) => step.type === "usage",
  );
  expect(step?.type === "usage" && step.usage).toMatchObject({
    promptTokens: 25,
    cachedTokens: 8,
    completionTokens: 103,
    reasoningTokens: 100,
  });
});

test("two calls of the same tool, also in different events, have an index each", () => {
  const steps = read(answer([call("f", { a: 1 }), call("f", { a: 2 })]), answer([call("f", { a: 3 })], stop));
  const starts = steps.filter((step) => step.type === "tool-start");
  expect(starts.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(new Set(starts.map(({ id }) => id)).size).toBe(3);
  expect(meaningOf(steps).calls.map(([, args]) => args)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
});

test("finish STOP with calls is tool_calls", () => {
  expect(meaningOf(read(answer([call("f", {})], stop))).finish).toBe("tool_calls");
  expect(meaningOf(read(answer([call("f", {})]), answer([{ text: "" }], stop))).finish).toBe("tool_calls");
});

test("as many responses as calls, in their order and right after them, with the names of their functions", () => {
  const called = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "" } });
  const contents = sent(openaiChatClientCodec, {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [called("a", "f"), called("b", "g"), called("c", "h")] },
      { role: "tool", tool_call_id: "b", content: '{"ok":1}' },
      { role: "tool", tool_call_id: "a", content: "plain" },
      { role: "user", content: "well?" },
    ],
  });
  expect(contents[1]?.parts.map(({ functionCall }) => functionCall)).toEqual([
    { name: "f", args: {} },
    { name: "g", args: {} },
    { name: "h", args: {} },
  ]);
  expect(contents[2]?.parts).toEqual([
    { functionResponse: { name: "f", response: { result: "plain" } } },
    { functionResponse: { name: "g", response: { ok: 1 } } },
    { functionResponse: { name: "h", response: { result: "" } } },
    { text: "well?" },
  ]);
});

/** The client's next request, made from the response. */
const NEXT: readonly [string, ClientCodec, (answered: JsonObject) => JsonObject][] = [
  [
    "chat",
    openaiChatClientCodec,
    ({ choices }) => ({
      messages: [
        { role: "user", content: "go" },
        (choices as { message: JsonObject }[])[0]?.message,
        { role: "tool", tool_call_id: "call_r_0", content: "1" },
      ],
    }),
  ],
  [
    "messages",
    anthropicClientCodec,
    ({ content }) => ({
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_r_0", content: "1" }] },
      ],
    }),
  ],
  [
    "responses",
    openaiResponsesClientCodec,
    ({ output }) => ({
      input: [
        { role: "user", content: "go" },
        ...(output as JsonObject[]),
        { type: "function_call_output", call_id: "call_r_0", output: "1" },
      ],
    }),
  ],
  [
    "gemini",
    geminiClientCodec,
    ({ candidates }) => ({
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        (candidates as JsonObject[])[0]?.content,
        { role: "user", parts: [{ functionResponse: { name: "f", response: { result: "1" } } }] },
      ],
    }),
  ],
];

test.each(NEXT)("thought_signature on functionCall parts survives %s", (_name, client, next) => {
  const parts = [call("f", { a: 1 }, { thoughtSignature: "c2lnbmVk" }), call("g", {})];
  const reply = geminiCodec.decodeReply(answer(parts, stop));
  if (!reply) throw new Error("no reply");
  const request = client.decodeRequest({
    model: "m",
    messages: [{ role: "user", content: "go" }],
    input: "go",
    contents: [{ parts: [{ text: "go" }] }],
  });
  const [, model] = sent(client, next(client.encodeReply(reply, replyContext(), request)));
  expect(model?.parts.filter(({ functionCall }) => functionCall)).toEqual([
    { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2lnbmVk" },
    { functionCall: { name: "g", args: {} } },
  ]);
});

test("calls that another model made get the documented value, once per step, and only since Gemini 3", () => {
  const called = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const body = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [called("a"), called("b")] },
    ],
  };
  expect(sent(openaiChatClientCodec, body)[1]?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
    "skip_thought_signature_validator",
    undefined,
  ]);
  expect(JSON.stringify(sent(openaiChatClientCodec, body, "gemini-2.5-flash"))).not.toContain("thoughtSignature");
});

test("a signature without text, or on an empty text, is no part of its own", () => {
  for (const part of [{ thoughtSignature: "c2ln" }, { text: "", thoughtSignature: "c2ln" }]) {
    const steps = read(answer([{ text: "a" }]), answer([part], stop));
    expect(steps.map(({ type }) => type)).toEqual(["start", "text", "signature", "finish"]);
  }
});

test("reasoning of other providers is never sent, nor its signatures", () => {
  const thinking = { type: "thinking", thinking: "secret", signature: "YW50aHJvcGlj" };
  const contents = sent(anthropicClientCodec, {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [thinking, { type: "text", text: "ok" }] },
    ],
  });
  expect(contents[1]?.parts).toEqual([{ text: "ok" }]);
});

test("errors as an array of one error object, complete and in the stream; a bad key is 401", () => {
  const error = { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" };
  expect(geminiCodec.decodeError(429, [{ error }])).toMatchObject({ status: 429, message: "slow down" });
  expect(read(answer([{ text: "a" }]), { error }).at(-1)).toMatchObject({ type: "error", error: { status: 429 } });
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  expect(
    geminiCodec.decodeError(400, { error: { code: 400, message: "bad", status: "INVALID_ARGUMENT", details } }),
  ).toMatchObject({ status: 401 });
});

test("the finish reason is not lost if its chunk still has content", () => {
  const steps = read(answer([{ text: "cut" }], { finishReason: "MAX_TOKENS" }));
  expect(meaningOf(steps)).toMatchObject({ text: "cut", finish: "length" });
  const later = read(answer([{ text: "a" }], stop), { usageMetadata: { promptTokenCount: 1 } });
  expect(later.filter(({ type }) => type === "finish")).toHaveLength(1);
});

test("a clean EOF without a finish reason is no success", () => {
  expect(read(answer([{ text: "a" }])).some(({ type }) => type === "finish")).toBe(false);
});

test.each([
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["MAX_TOKENS", "length"],
  ["MALFORMED_FUNCTION_CALL", "error"],
])("%s without content is %s, with the native reason", (finishReason, reason) => {
  const finish = read({ candidates: [{ finishReason, index: 0 }] }).find((step) => step.type === "finish");
  expect(finish).toMatchObject({ reason, native: finishReason } as object);
});

test("a blocked prompt is content_filter, streamed and complete", () => {
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 4 } };
  const reply = geminiCodec.decodeReply(blocked);
  for (const steps of [read(blocked), reply ? [...stepsOf(reply)] : []]) {
    expect(steps.find((step) => step.type === "finish")).toMatchObject({
      reason: "content_filter",
      native: "PROHIBITED_CONTENT",
    } as object);
  }
});

test("code that Google ran is text for other clients", () => {
  const steps = read(
    answer([
      { executableCode: { language: "PYTHON", code: "print(1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
    ]),
    answer([{ text: "one" }], stop),
  );
  expect(meaningOf(steps).text).toBe("\n```python\nprint(1)\n```\n\n```\n1\n```\none");
});

test("images, audio and citations of a response reach a chat", () => {
  const steps = read(
    answer([{ inlineData: { mimeType: "image/png", data: "aGk=" } }], {
      ...stop,
      groundingMetadata: { groundingChunks: [{ web: { uri: "https://example.com", title: "Page" } }] },
    }),
  );
  const text = JSON.stringify(dataOf(written(openaiChatClientCodec, steps)));
  expect(text).toContain("![image](data:image/png;base64,aGk=)");
  expect(text).toContain('"url":"https://example.com"');
});
