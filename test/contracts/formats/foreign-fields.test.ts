/** What clients of one format say in passing, and another's services refuse a request for. */
import { describe, expect, test } from "bun:test";
import { decodeRequest as readMessages } from "../../../src/formats/anthropic/request/decode-request.ts";
import { PLAIN_SERVICE } from "../../../src/formats/conversation/service.ts";
import { decodeRequest as readGemini } from "../../../src/formats/gemini/request/decode-request.ts";
import { decodeRequest as readChat } from "../../../src/formats/openai-chat/request/decode-request.ts";
import { decodeRequest as readResponses } from "../../../src/formats/openai-responses/request/decode-request.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import { target } from "../../support/formats/fixtures.ts";

const cache_control = { type: "ephemeral" };
const marked = readMessages({
  model: "m",
  max_tokens: 99,
  system: [{ type: "text", text: "be kind", cache_control }],
  tools: [{ name: "look", input_schema: { type: "object" }, cache_control }],
  messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control }] }],
});

describe("marks of what is to be cached", () => {
  const { encodeRequest } = codecOf("openai-chat");

  test("stay away from services that do not know them", () => {
    const dropped = new Set<string>();
    const sent = encodeRequest(marked, target("mistral-large-latest"), dropped);
    expect(JSON.stringify(sent)).not.toContain("cache_control");
    expect(sent.messages).toEqual([
      { role: "system", content: "be kind" },
      { role: "user", content: "hi" },
    ]);
    expect([...dropped]).toEqual(["cache_control"]);
  });

  test.each([
    ["of Claude's models", marked, target("anthropic/claude-sonnet-5")],
    [
      "that know them",
      marked,
      { ...target("google/gemini-3.6-flash"), service: { ...PLAIN_SERVICE, cacheMarks: true } },
    ],
    [
      "whose clients know whom they call",
      readChat({ model: "m", messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control }] }] }),
      target(),
    ],
  ])("go to services %s", (_name, conversation, where) => {
    expect(JSON.stringify(encodeRequest(conversation, where, new Set()).messages)).toContain("cache_control");
  });

  test("of a chat's images and of all its text reach Anthropic", () => {
    const image = { type: "image_url", image_url: { url: "https://example.org/a.png" }, cache_control };
    const chat = readChat({ model: "m", cache_control, messages: [{ role: "user", content: [image] }] });
    const dropped = new Set<string>();
    const sent = codecOf("anthropic").encodeRequest(chat, target("claude-sonnet-5"), dropped);
    expect(sent).toMatchObject({ cache_control, messages: [{ content: [{ type: "image", cache_control }] }] });
    expect([...dropped]).toEqual([]);
  });
});

describe("names longer than OpenAI takes", () => {
  const long = `functions_look_${"x".repeat(60)}`;
  const toolTurns = [
    { role: "assistant", content: [{ type: "tool_use", id: long, name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: long, content: "rain" }] },
  ];
  const conversationOf = (user_id: string) =>
    readMessages({ model: "m", max_tokens: 9, metadata: { user_id }, messages: [...toolTurns] });

  test("become short ones in chats, the same for a call and its result", () => {
    const { messages, user } = codecOf("openai-chat").encodeRequest(conversationOf(long), target(), new Set());
    const [call, result] = messages as [{ tool_calls: { id: string }[] }, { tool_call_id: string }];
    expect(call.tool_calls[0]?.id).toMatch(/^call_[0-9a-f]{32}$/);
    expect(result.tool_call_id).toBe(call.tool_calls[0]?.id ?? "");
    expect(user).toMatch(/^user_[0-9a-f]{32}$/);
  });

  test("and in Responses", () => {
    const { input, safety_identifier } = codecOf("openai-responses").encodeRequest(
      conversationOf(long),
      target(),
      new Set(),
    );
    const [call, result] = input as { call_id: string }[];
    expect(call?.call_id).toMatch(/^call_[0-9a-f]{32}$/);
    expect(result?.call_id).toBe(call?.call_id ?? "");
    expect(safety_identifier).toMatch(/^user_[0-9a-f]{32}$/);
  });

  test("others stay as they are, and different ones stay different", () => {
    const userOf = (name: string) =>
      codecOf("openai-chat").encodeRequest(conversationOf(name), target(), new Set()).user;
    expect(userOf("ada")).toBe("ada");
    expect(userOf(`${long}1`)).not.toBe(userOf(`${long}2`));
  });

  test("also where the gateway has made them: Google's calls have none", () => {
    const name = "look_".padEnd(64, "x");
    const contents = [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ functionCall: { name, args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name, response: { rain: true } } }] },
    ];
    const { messages } = codecOf("openai-chat").encodeRequest(
      readGemini({ contents }, { model: "m", stream: false }),
      target(),
      new Set(),
    );
    const ids = JSON.stringify(messages).match(/"call_[^"]*/g) ?? [];
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]?.length).toBeLessThanOrEqual(65);
  });
});

test("OpenAI's two formats share the members that they have in the same words", () => {
  const dropped = new Set<string>();
  const chat = readChat({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    prompt_cache_retention: "24h",
    moderation: { model: "omni-moderation-latest" },
  });
  expect(codecOf("openai-responses").encodeRequest(chat, target("gpt-5-pro"), dropped)).toMatchObject({
    prompt_cache_retention: "24h",
    moderation: { model: "omni-moderation-latest" },
  });
  expect([...dropped]).toEqual([]);
});

test("what Anthropic's clients have found becomes text elsewhere, also as what a tool answers", () => {
  const found = { type: "search_result", title: "Rain", source: "https://example.org/a", citations: { enabled: true } };
  const block = { ...found, content: [{ type: "text", text: "It rains in Ghent." }] };
  const messages = [
    { role: "user", content: [block, { type: "text", text: "Weather?" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [block] }] },
  ];
  const conversation = readMessages({ model: "m", max_tokens: 99, messages });
  for (const dialect of ["openai-chat", "openai-responses", "gemini", "converse"] as const) {
    const dropped = new Set<string>();
    const sent = JSON.stringify(codecOf(dialect).encodeRequest(conversation, target(), dropped));
    expect(sent.match(/It rains in Ghent/g)).toHaveLength(2);
    expect([...dropped]).toEqual(["search_result: citations"]);
  }
  const again = codecOf("anthropic").encodeRequest(conversation, target("claude-sonnet-4-5"), new Set());
  expect(again.messages).toEqual(messages);
});

test("where only some tools are allowed, the others stay away from services that have no field for it", () => {
  const declaration = (name: string) => ({ name, description: "", parameters: { type: "OBJECT", properties: {} } });
  const conversation = readGemini(
    {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      tools: [{ functionDeclarations: ["a", "b", "c"].map(declaration) }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["a", "b"] } },
    },
    { model: "m", stream: false },
  );
  const chat = codecOf("openai-chat").encodeRequest(conversation, target(), new Set());
  expect(chat).toMatchObject({
    tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
    tool_choice: "required",
  });
  const dropped = new Set<string>();
  const { parameters } = codecOf("dashscope").encodeRequest(conversation, target(), dropped);
  expect(parameters).toMatchObject({
    tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
    tool_choice: "auto",
  });
  expect([...dropped]).toEqual(["tool_choice"]);
});

test("Cohere has no JSON next to tools", () => {
  const dropped = new Set<string>();
  const wish = { model: "m", messages: [{ role: "user", content: "hi" }], response_format: { type: "json_object" } };
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
  const { encodeRequest } = codecOf("cohere");
  expect(encodeRequest(readChat({ ...wish, tools }), target(), dropped)).not.toHaveProperty("response_format");
  expect([...dropped]).toEqual(["response_format"]);
  expect(encodeRequest(readChat(wish), target(), dropped)).toHaveProperty("response_format");
});

test.each(["openai-chat", "anthropic", "gemini", "cohere", "converse"] as const)(
  "%s is not sent a tool that only another provider runs",
  (dialect) => {
    const dropped = new Set<string>();
    const conversation = readResponses({
      model: "m",
      input: "hi",
      tools: [
        { type: "function", name: "look", parameters: { type: "object", properties: {} }, strict: false },
        { type: "mcp", server_label: "s", server_url: "https://example.org" },
      ],
      tool_choice: { type: "mcp", server_label: "s" },
    });
    const sent = JSON.stringify(codecOf(dialect).encodeRequest(conversation, target(), dropped));
    expect(sent).toContain('"look"');
    expect(sent).not.toMatch(/mcp|REQUIRED|"ANY"|"any"/);
    expect([...dropped].toSorted()).toEqual(["tool_choice", "tools: mcp"]);
  },
);

describe("a list that Google's clients want as JSON", () => {
  const generationConfig = {
    responseMimeType: "application/json",
    responseSchema: { type: "ARRAY", items: { type: "STRING" } },
  };
  const conversation = readGemini(
    { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig },
    { model: "m", stream: false },
  );

  test.each([
    ["openai-chat", "response_format"],
    ["openai-responses", "text"],
  ] as const)("is requested from OpenAI's models in the prompt: %s", (dialect, member) => {
    const dropped = new Set<string>();
    const { encodeRequest } = codecOf(dialect);
    const sent = encodeRequest(conversation, target("gpt-4.1"), dropped);
    expect(sent).not.toHaveProperty(member);
    expect(JSON.stringify(sent)).toContain("It must fit this JSON Schema");
    expect([...dropped]).toEqual(["response_format"]);
    expect(encodeRequest(conversation, target("Qwen/Qwen3-32B"), dropped)).toHaveProperty(member);
  });

  test("a choice of words stays one for Google", () => {
    const choice = { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a", "b"] } };
    const wish = readGemini(
      { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: choice },
      { model: "m", stream: false },
    );
    expect(codecOf("gemini").encodeRequest(wish, target("gemini-2.5-flash"), new Set())).toMatchObject({
      generationConfig: { responseMimeType: "text/x.enum" },
    });
  });
});

test("a turn of which a chat can say nothing is left out, an empty one of a chat's own stays", () => {
  const { encodeRequest } = codecOf("openai-chat");
  const input = [
    { role: "user", content: "hi" },
    { type: "local_shell_call", id: "l", call_id: "c", action: {} },
    { role: "user", content: "go" },
  ];
  const sent = encodeRequest(readResponses({ model: "m", input, top_logprobs: 2 }), target(), new Set());
  expect(sent.messages).toEqual([
    { role: "user", content: "hi" },
    { role: "user", content: "go" },
  ]);
  expect(sent).not.toHaveProperty("top_logprobs");
  const messages = [
    { role: "assistant", content: "" },
    { role: "user", content: "go" },
  ];
  expect(encodeRequest(readChat({ model: "m", messages }), target(), new Set()).messages).toEqual(messages);
});

describe("rewritten in its own format", () => {
  test("a response's request keeps the phases of messages and the server whose tools are chosen", () => {
    const assistantMessage = (phase: string | null, text: string) => ({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text, annotations: [] }],
      ...(phase && { phase }),
    });
    const input = [
      assistantMessage("commentary", "I look."),
      assistantMessage("final_answer", "Here."),
      assistantMessage(null, "And so on."),
    ];
    const tools = [{ type: "mcp", server_label: "s", server_url: "https://example.org" }];
    const tool_choice = { type: "mcp", server_label: "s", name: "look" };
    const conversation = readResponses({ model: "m", input, tools, tool_choice });
    const dropped = new Set<string>();
    const sent = codecOf("openai-responses").encodeRequest(conversation, target(), dropped);
    expect(sent).toMatchObject({ input, tool_choice });
    // Nobody misses the phase in another format.
    const chat = codecOf("openai-chat").encodeRequest(
      { ...conversation, tools: [], toolChoice: null },
      target(),
      dropped,
    );
    expect(JSON.stringify(chat.messages)).toContain("I look.");
    expect([...dropped]).toEqual([]);
  });

  test("a chat keeps the word by which it names its user", () => {
    const messages = [{ role: "user", content: "hi" }];
    const conversation = readChat({ model: "m", messages, safety_identifier: "u1" });
    const dropped = new Set<string>();
    expect(codecOf("openai-chat").encodeRequest(conversation, target(), dropped)).toMatchObject({
      safety_identifier: "u1",
    });
    expect(codecOf("openai-responses").encodeRequest(conversation, target(), dropped)).toMatchObject({
      safety_identifier: "u1",
    });
    expect([...dropped]).toEqual([]);
  });
});
