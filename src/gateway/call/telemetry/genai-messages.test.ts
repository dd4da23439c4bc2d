import { describe, expect, test } from "bun:test";
import { anthropicClientCodec } from "../../../formats/anthropic/index.ts";
import { geminiClientCodec } from "../../../formats/gemini/index.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../formats/openai-responses/index.ts";
import { codecOf } from "../../../providers/registry.ts";
import { answerOf, finishReasonsOf, inputAttributes, outputAttributes } from "./genai-messages.ts";

const USER = { role: "user", parts: [{ type: "text", content: "Weather?" }] };
const CALL = { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Ghent" } };
const TURNS = [
  USER,
  { role: "assistant", parts: [CALL] },
  { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: [{ type: "text", content: "rain" }] }] },
];
const RULES = [{ type: "text", content: "Be short." }];
const called = { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } };

const REQUESTS: readonly (readonly [string, typeof openaiChatClientCodec, JsonObject])[] = [
  [
    "chat",
    openaiChatClientCodec,
    {
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Weather?" },
        { role: "assistant", content: null, tool_calls: [called] },
        { role: "tool", tool_call_id: "c1", content: "rain" },
      ],
    },
  ],
  [
    "messages",
    anthropicClientCodec,
    {
      system: "Be short.",
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Ghent" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "rain" }] },
      ],
    },
  ],
  [
    "responses",
    openaiResponsesClientCodec,
    {
      instructions: "Be short.",
      input: [
        { role: "user", content: "Weather?" },
        { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Ghent"}' },
        { type: "function_call_output", call_id: "c1", output: "rain" },
      ],
    },
  ],
];

test.each(REQUESTS)("a request in the format of %s is messages with parts", (_name, codec, body) => {
  const attributes = inputAttributes(codec.decodeRequest({ model: "m", max_tokens: 9, ...body }), body);
  const messages = JSON.parse(attributes["gen_ai.input.messages"] ?? "");
  if (codec === openaiChatClientCodec) expect(messages).toEqual([{ role: "system", parts: RULES }, ...TURNS]);
  else {
    expect(messages).toEqual(TURNS);
    expect(JSON.parse(attributes["gen_ai.system_instructions"] ?? "")).toEqual(RULES);
  }
});

test("media are named without their bytes, and other requests are one message", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const linked = { type: "image_url", image_url: { url: "https://example.org/a.png" } };
  const body = { messages: [{ role: "user", content: [image, linked] }] };
  expect(inputAttributes(openaiChatClientCodec.decodeRequest({ model: "m", ...body }), body)).toEqual({
    "gen_ai.input.messages": JSON.stringify([
      {
        role: "user",
        parts: [
          { type: "blob", modality: "image", mime_type: "image/png", content: "" },
          { type: "uri", modality: "image", uri: "https://example.org/a.png" },
        ],
      },
    ]),
  });
  expect(inputAttributes(null, { prompt: "A cat" })).toEqual({
    "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"A cat"}]}]',
  });
  expect(inputAttributes(null, {})).toEqual({});
});

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const named = (...events: (JsonObject & { type: string })[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "r1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4o-2026",
  choices: [{ index: 0, delta, finish_reason }],
});

describe("answers, whole and streamed", () => {
  const ANSWERS = [
    [
      "openai-chat",
      JSON.stringify({
        ...{ id: "r1", object: "chat.completion", created: 1, model: "gpt-4o-2026" },
        choices: [
          {
            index: 0,
            message: { role: "assistant", reasoning_content: "Hm.", content: "Rain", tool_calls: [called] },
            finish_reason: "tool_calls",
          },
        ],
      }),
    ],
    [
      "openai-chat",
      sse(
        chunk({ role: "assistant", reasoning_content: "Hm." }),
        chunk({ content: "Ra" }),
        chunk({ content: "in" }),
        chunk({ tool_calls: [{ index: 0, ...called }] }),
        chunk({}, "tool_calls"),
      ),
    ],
    [
      "anthropic",
      named(
        {
          type: "message_start",
          message: { id: "r1", type: "message", role: "assistant", model: "gpt-4o-2026", content: [] },
        },
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Rain" } },
        { type: "content_block_stop", index: 1 },
        {
          type: "content_block_start",
          index: 2,
          content_block: { type: "tool_use", id: "c1", name: "weather", input: {} },
        },
        {
          type: "content_block_delta",
          index: 2,
          delta: { type: "input_json_delta", partial_json: '{"city":"Ghent"}' },
        },
        { type: "content_block_stop", index: 2 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
        { type: "message_stop" },
      ),
    ],
  ] as const;

  test.each(ANSWERS)("%s", (dialect, text) => {
    const reply = answerOf(codecOf(dialect), text);
    if (!reply) throw new Error("no answer");
    expect([reply.id, reply.model, finishReasonsOf(reply)]).toEqual(["r1", "gpt-4o-2026", ["tool_call"]]);
    expect(JSON.parse(outputAttributes(reply)["gen_ai.output.messages"] ?? "")).toEqual([
      {
        role: "assistant",
        parts: [{ type: "reasoning", content: "Hm." }, { type: "text", content: "Rain" }, CALL],
        finish_reason: "tool_call",
      },
    ]);
  });

  test("a stream that broke shows what came", () => {
    const reply = answerOf(codecOf("openai-chat"), sse(chunk({ content: "Ra" })));
    expect(reply && outputAttributes(reply)["gen_ai.output.messages"]).toContain('"Ra"');
  });

  test("neither HTML nor nothing is an answer", () => {
    expect(answerOf(codecOf("openai-chat"), "[]")).toBeNull();
    expect(answerOf(codecOf("openai-chat"), "<html>")?.choices).toEqual([]);
  });
});

test("long contents stay JSON: each text is cut to its share", () => {
  const body = { messages: [{ role: "user", content: "x".repeat(200_000) }] };
  const written = inputAttributes(openaiChatClientCodec.decodeRequest({ model: "m", ...body }), body);
  const text = written["gen_ai.input.messages"] ?? "";
  expect(text.length).toBeLessThan(66_000);
  expect(JSON.parse(text)[0].parts[0].content.endsWith("x…")).toBe(true);
});

test("Gemini's contents are messages, too", () => {
  const body = { contents: [{ role: "user", parts: [{ text: "Weather?" }] }] };
  const written = inputAttributes(geminiClientCodec.decodeRequest(body, { model: "m", stream: false }), body);
  expect(JSON.parse(written["gen_ai.input.messages"] ?? "")).toEqual([USER]);
});
