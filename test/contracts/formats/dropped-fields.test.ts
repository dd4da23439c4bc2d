import { expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import { decodeRequest as readMessages } from "../../../src/formats/anthropic/request/decode-request.ts";
import type { ChatDialect, Conversation } from "../../../src/formats/conversation/conversation.ts";
import { decodeRequest as readGemini } from "../../../src/formats/gemini/request/decode-request.ts";
import { decodeRequest as readChat } from "../../../src/formats/openai-chat/request/decode-request.ts";
import { decodeRequest as readResponses } from "../../../src/formats/openai-responses/request/decode-request.ts";
import { codecOf } from "../../../src/providers/registry.ts";

const chatRequest = { model: "m", messages: [{ role: "user", content: "hi" }] };
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** Each format with a member that only it has words for, and one that says nothing. */
const FOREIGN: readonly (readonly [string, Conversation])[] = [
  ["prediction", readChat({ ...chatRequest, prediction: {}, web_search_options: null, enable_thinking: false })],
  ["truncation", readResponses({ model: "m", input: "hi", truncation: "auto", store: false, background: null })],
  ["mcp_servers", readMessages({ ...chatRequest, max_tokens: 99, mcp_servers: [], container: null })],
  [
    "cachedContent",
    readGemini({ contents, cachedContent: "cachedContents/1", labels: null }, { model: "m", stream: false }),
  ],
];
const TARGETS: readonly ChatDialect[] = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "ollama",
  "cohere",
  "dashscope",
];
const PAIRS = FOREIGN.flatMap(([name, talked]) =>
  TARGETS.filter((target) => target !== talked.extra.dialect).map((target) => [name, target, talked] as const),
);

test.each(PAIRS)("%s is named where it stays behind: %s", (name, target, conversation) => {
  const dropped = new Set<string>();
  const newId = (prefix: string) => `${prefix}1`;
  codecOf(target).encodeRequest(
    conversation,
    { model: "gemini-2.5-flash", info: shippedCatalog.find("gemini-2.5-flash"), defaultMaxTokens: 4096, newId },
    dropped,
  );
  expect([...dropped]).toEqual([name]);
});

const tool = { name: "look", input_schema: { type: "object", properties: {} } };
const sheet = { type: "document", source: { type: "text", media_type: "text/plain", data: "rain" } };

/** Wishes inside messages, documents and tools. */
const INSIDE: readonly (readonly [string, Conversation])[] = [
  [
    "messages: name",
    readChat({ model: "m", messages: [{ role: "user", name: "Ada", content: "hi", refusal: null, annotations: [] }] }),
  ],
  [
    "messages: prefix",
    readChat({ model: "m", messages: [...chatRequest.messages, { role: "assistant", content: "a", prefix: true }] }),
  ],
  [
    "document: citations",
    readMessages({
      model: "m",
      max_tokens: 99,
      messages: [{ role: "user", content: [{ ...sheet, citations: { enabled: true } }] }],
    }),
  ],
  [
    "tools: input_examples",
    readMessages({
      ...chatRequest,
      max_tokens: 99,
      tools: [{ ...tool, type: "custom", input_examples: [{}], eager_input_streaming: true }],
    }),
  ],
  [
    "tools: behavior",
    readGemini(
      { contents, tools: [{ functionDeclarations: [{ name: "look", description: "", behavior: "NON_BLOCKING" }] }] },
      { model: "m", stream: false },
    ),
  ],
];
test.each(
  INSIDE.flatMap(([name, talked]) =>
    [...TARGETS, "converse" as const]
      .filter((target) => target !== talked.extra.dialect)
      .map((target) => [name, target, talked] as const),
  ),
)("“%s” is named where it stays behind: %s", (name, target, conversation) => {
  const dropped = new Set<string>();
  const known = {
    model: "gemini-2.5-flash",
    info: shippedCatalog.find("gemini-2.5-flash"),
    defaultMaxTokens: 4096,
    newId: (prefix: string) => `${prefix}1`,
  };
  codecOf(target).encodeRequest(conversation, known, dropped);
  // Some take no documents at all.
  expect([...dropped].filter((one) => !["document", "file"].includes(one))).toEqual([name]);
});

test.each(INSIDE)("“%s” goes along where the target speaks the same format", (name, conversation) => {
  const dropped = new Set<string>();
  const known = { model: "m", info: shippedCatalog.find("m"), defaultMaxTokens: 9, newId: () => "1" };
  const sent = codecOf(conversation.extra.dialect).encodeRequest(conversation, known, dropped);
  expect(JSON.stringify(sent)).toContain(`"${name.split(": ")[1]}":`);
  expect([...dropped]).toEqual([]);
});

test("turning off what a target does not have succeeds", () => {
  const dropped = new Set<string>();
  const known = {
    model: "claude-sonnet-4-5",
    info: shippedCatalog.find("claude-sonnet-4-5"),
    defaultMaxTokens: 9,
    newId: () => "1",
  };
  codecOf("anthropic").encodeRequest(readChat({ ...chatRequest, store: false }), known, dropped);
  const responsesRequest = { model: "m", input: "hi", background: false, truncation: "disabled", store: false };
  codecOf("anthropic").encodeRequest(readResponses(responsesRequest), known, dropped);
  expect([...dropped]).toEqual([]);
});

test("what the target takes all the same is not named", () => {
  const dropped = new Set<string>();
  const conversation = readChat({ ...chatRequest, keep_alive: "5m", options: { num_ctx: 4096 } });
  const target = { model: "m", info: shippedCatalog.find("m"), defaultMaxTokens: 9, newId: () => "1" };
  expect(codecOf("ollama").encodeRequest(conversation, target, dropped)).toMatchObject({ keep_alive: "5m" });
  expect([...dropped]).toEqual([]);
});

test("settings of an answer that only Google knows are named one by one", () => {
  const dropped = new Set<string>();
  const generationConfig = { temperature: 0.5, mediaResolution: "MEDIA_RESOLUTION_LOW", audio_timestamp: true };
  const known = { model: "m", info: shippedCatalog.find("m"), defaultMaxTokens: 9, newId: () => "1" };
  const talked = readGemini({ contents, generationConfig }, { model: "m", stream: false });
  codecOf("anthropic").encodeRequest(talked, known, dropped);
  expect([...dropped]).toEqual(["generationConfig.mediaResolution", "generationConfig.audioTimestamp"]);
});
