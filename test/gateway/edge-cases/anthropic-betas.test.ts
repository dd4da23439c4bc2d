/** Betas of Anthropic's API that agents use: interleaved thinking, context editing, the memory tool, tool search. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODEL = "claude-sonnet-4-5";
const BETAS = ["interleaved-thinking-2025-05-14", "context-management-2025-06-27", "advanced-tool-use-2025-11-20"];
const THINKING = { type: "thinking", thinking: "I look for a tool.", signature: "c2lnbmVk" };
const SEARCH = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "tool_search_tool_regex",
  input: { query: "weather" },
};
const FOUND = {
  type: "tool_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: {
    type: "tool_search_tool_search_result",
    tool_references: [{ type: "tool_reference", tool_name: "weather" }],
  },
};
const MEMORY = { type: "tool_use", id: "toolu_1", name: "memory", input: { command: "view", path: "/memories" } };
const EDITS = {
  applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: 900 }],
};
const REPLY = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: MODEL,
  content: [THINKING, SEARCH, FOUND, THINKING, MEMORY],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20 },
  context_management: EDITS,
};
const REQUEST = {
  model: MODEL,
  max_tokens: 4_096,
  thinking: { type: "enabled" as const, budget_tokens: 2_048 },
  context_management: {
    edits: [{ type: "clear_tool_uses_20250919" as const, keep: { type: "tool_uses" as const, value: 3 } }],
  },
  tools: [
    { type: "memory_20250818" as const, name: "memory" as const },
    { type: "tool_search_tool_regex_20251119" as const, name: "tool_search_tool_regex" as const },
    { name: "weather", description: "Tells it.", input_schema: { type: "object" as const }, defer_loading: true },
  ],
  messages: [{ role: "user" as const, content: "What is the weather in Ghent?" }],
};

/** The reply as a stream, block by block. */
const EVENTS = [
  { type: "message_start", message: { ...REPLY, content: [], stop_reason: null, context_management: null } },
  ...REPLY.content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: REPLY.usage,
    context_management: EDITS,
  },
  { type: "message_stop" },
];

function start(type: number, keys: readonly string[], reply: object = REPLY) {
  const upstream = startUpstream(({ text }) =>
    JSON.parse(text).stream === true
      ? sse(EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
      : Response.json(reply),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys, models: [MODEL] }],
    options: { ModelRatio: `{"${MODEL}": 1}`, CompletionRatio: `{"${MODEL}": 5}` },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
  return { upstream, relay, client, sent: () => JSON.parse(upstream.received[0]?.text ?? "{}") };
}

describe("on a channel of Anthropic", () => {
  test("requests and responses pass unchanged, and are charged as reported", async () => {
    const { client, upstream, relay, sent } = start(14, ["sk-ant"]);
    const made = await client.beta.messages.create({ ...REQUEST, betas: BETAS });
    expect(made).toMatchObject(REPLY);
    expect(sent()).toEqual(REQUEST);
    expect(upstream.received[0]?.headers.get("anthropic-beta")).toBe(BETAS.join());
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 200, promptTokens: 100, completionTokens: 20 });
  });

  test("streams too", async () => {
    const { client, relay } = start(14, ["sk-ant"]);
    const events: unknown[] = [];
    for await (const event of await client.beta.messages.create({ ...REQUEST, betas: BETAS, stream: true }))
      events.push(event);
    expect(events).toEqual(EVENTS);
    expect((await relay.billing.nextRecord()).quota).toBe(200);
  });

  test("a turn goes on with its thinking, searches and memory as they were", async () => {
    const { client, sent } = start(14, ["sk-ant"]);
    const result = { type: "tool_result" as const, tool_use_id: "toolu_1", content: "empty" };
    const messages = [
      ...REQUEST.messages,
      { role: "assistant" as const, content: REPLY.content as Anthropic.Beta.BetaContentBlockParam[] },
      { role: "user" as const, content: [result] },
    ];
    await client.beta.messages.create({ ...REQUEST, messages, betas: BETAS });
    expect(sent().messages).toEqual(messages);
  });
});

test("on Bedrock they are in the body, with the betas that it knows", async () => {
  const { client, sent } = start(33, ["bedrock-key|us-east-1"]);
  const made = await client.beta.messages.create({ ...REQUEST, betas: BETAS });
  expect(made.content).toMatchObject(REPLY.content);
  const { model: _, messages: __, ...members } = REQUEST;
  expect(sent()).toMatchObject(members);
  expect(sent().anthropic_beta).toEqual([
    "interleaved-thinking-2025-05-14",
    "context-management-2025-06-27",
    "tool-search-tool-2025-10-19",
  ]);
});

test("another provider gets the client's own functions, and what it lacks is named", async () => {
  const { relay, sent } = start(1, ["sk"], chatReply());
  const response = await relay.post("/v1/messages", REQUEST, { headers: { "anthropic-beta": BETAS.join() } });
  expect(response.status).toBe(200);
  expect(sent().tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(["weather"]);
  const dropped = response.headers.get("x-sluice-dropped") ?? "";
  for (const name of ["context_management", "tools: memory", "tools: tool_search_tool_regex"])
    expect(dropped).toContain(name);
});
