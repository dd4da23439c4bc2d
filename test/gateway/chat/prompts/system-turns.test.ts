/** Instructions in the middle of a conversation reach each upstream at their place, in the form that it takes. */
import { afterEach, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const message = (text: string) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m" },
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  usage: { input_tokens: 9, output_tokens: 2 },
});
const response = (text: string) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m" },
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
  usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
});
const converse = (text: string) => ({
  output: { message: { role: "assistant", content: [{ text }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 9, outputTokens: 2, totalTokens: 11 },
});

const USAGE = { input_tokens: 9, output_tokens: 2 };

function answer({ path }: { path: string }): Response {
  if (path.endsWith("/messages") || path.endsWith("/invoke")) return Response.json(message("ok"));
  if (path.endsWith("/responses")) return Response.json(response("ok"));
  if (path.endsWith("/generation")) return Response.json({ request_id: "r", output: chatReply(), usage: USAGE });
  return Response.json(path.endsWith("/converse") ? converse("ok") : chatReply());
}

type Channel = Readonly<{ type: number; upstream?: string; key?: string; requested?: string }>;

type Reply = Parameters<typeof startUpstream>[0];

function start({ type, upstream: model = "m", key = "sk-1", requested = "m" }: Channel, reply: Reply = answer) {
  const upstream = startUpstream(reply);
  const relay = startRelay({
    user: { acceptUnsetPrice: true },
    channels: [
      {
        type,
        keys: [key],
        baseUrl: upstream.url,
        models: [requested],
        ...(model !== requested && { modelMapping: new Map([[requested, model]]) }),
      },
    ],
  });
  stops.push(relay.stop, upstream.stop);
  const sent = (at = -1): JsonObject => recordOf(parseJson(upstream.received.at(at)?.text ?? "")) ?? {};
  return { relay, upstream, sent };
}

const RULE = "be brief";
const MARKED = `<system-reminder>\n${RULE}\n</system-reminder>`;
const chat = [
  { role: "system", content: "BASE" },
  { role: "user", content: "u1" },
  { role: "assistant", content: "a1" },
  { role: "user", content: "u2" },
  { role: "system", content: RULE },
  { role: "assistant", content: "a2" },
  { role: "user", content: "u3" },
];
/** The same in each client's format. */
const CLIENTS = [
  ["/v1/chat/completions", { messages: chat }],
  ["/v1/messages", { max_tokens: 9, system: "BASE", messages: chat.slice(1) }],
  ["/v1/responses", { instructions: "BASE", input: chat.slice(1), store: false }],
] as const;

/** Role and text of each message, in any of the formats. */
const linesOf = (body: JsonObject): string[] =>
  recordsOf(body.messages ?? body.input).map(({ role, content }) => {
    const texts = typeof content === "string" ? [content] : recordsOf(content).map(({ text }) => String(text));
    return `${role}: ${texts.join("|")}`;
  });

describe.each(CLIENTS)("from %s", (path, body) => {
  test.each([
    ["OpenAI", { type: 1 }, "system"],
    ["DeepSeek", { type: 43 }, "system"],
    ["OpenRouter", { type: 20 }, "system"],
    ["vLLM", { type: 1006 }, "system"],
    ["Mistral", { type: 42 }, null],
    ["MiniMax", { type: 35 }, null],
    ["Qwen", { type: 17 }, null],
  ] as const)("to %s", async (_name, channel, role) => {
    const { relay, sent } = start(channel);
    expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
    const got = recordOf(sent().input) ? linesOf(recordOf(sent().input) ?? {}) : linesOf(sent());
    const lines = ["user: u1", "assistant: a1", "user: u2"];
    const rest = ["assistant: a2", "user: u3"];
    const expected = role
      ? [...lines, `system: ${RULE}`, ...rest]
      : [...lines.slice(0, 2), `user: u2\n${MARKED}`, ...rest];
    expect(got.slice(got[0]?.startsWith("system") ? 1 : 0)).toEqual(expected);
    if (sent().instructions === undefined) expect(got[0]).toBe("system: BASE");
  });

  test.each([
    ["Anthropic's newest", { type: 14, upstream: "claude-opus-4-8" }, true],
    ["an older Claude", { type: 14, upstream: "claude-sonnet-4-5" }, false],
    ["Claude on Bedrock", { type: 33, upstream: "us.anthropic.claude-opus-4-8", key: "k|us-east-1" }, true],
    ["an older one there", { type: 33, upstream: "us.anthropic.claude-sonnet-4-6", key: "k|us-east-1" }, false],
  ] as const)("to %s", async (_name, channel, isNative) => {
    const { relay, sent } = start(channel);
    expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
    const rest = ["assistant: a2", "user: u3"];
    expect(linesOf(sent())).toEqual(
      isNative
        ? ["user: u1", "assistant: a1", "user: u2", `system: ${RULE}`, ...rest]
        : ["user: u1", "assistant: a1", `user: u2|${MARKED}`, ...rest],
    );
    expect(JSON.stringify(sent().system)).not.toContain(RULE);
  });

  test("to Converse", async () => {
    const { relay, sent } = start({ type: 1007, upstream: "us.anthropic.claude-opus-4-8", key: "k|us-east-1" });
    expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
    expect(sent().system).toEqual([{ text: "BASE" }]);
    expect(linesOf(sent())[2]).toBe(`user: u2|${MARKED}`);
  });
});

test("an instruction between calls and their results follows the results", async () => {
  const { relay, sent } = start({ type: 43 });
  const input = [
    { role: "user", content: "go" },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { role: "developer", content: RULE },
    { type: "function_call_output", call_id: "c1", output: "done" },
  ];
  expect((await relay.post("/v1/responses", { model: "m", input, store: false })).status).toBe(200);
  expect(recordsOf(sent().messages).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "system"]);
});

describe("a server whose model takes instructions at the beginning only", () => {
  test.each([
    [400, "System message must be at the beginning."],
    [500, "system message must be at the beginning"],
    [400, "Unexpected role 'system' after role 'user'"],
  ])("is asked again with a marked user message: %i %s", async (status, text) => {
    const strict = ({ text: body, path }: { text: string; path: string }) => {
      const roles = recordsOf(recordOf(parseJson(body))?.messages).map(({ role }) => role);
      return roles.lastIndexOf("system") > 0
        ? Response.json({ error: { message: text, type: "BadRequestError", code: status } }, { status })
        : answer({ path });
    };
    for (const [path, body] of CLIENTS.slice(0, 2)) {
      const { relay, upstream, sent } = start({ type: 1006 }, strict);
      expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
      expect(upstream.received).toHaveLength(2);
      expect(linesOf(sent())).toContain(`user: u2\n${MARKED}`);
      // From then on it knows.
      expect((await relay.post(path, { model: "m", ...body })).status).toBe(200);
      expect(upstream.received).toHaveLength(3);
    }
  });

  test("also a Claude that does not take them, whatever the catalog says", async () => {
    const strict = ({ text, path }: { text: string; path: string }) =>
      text.includes('"system"')
        ? Response.json(
            {
              type: "error",
              error: { type: "invalid_request_error", message: "role 'system' is not supported on this model" },
            },
            { status: 400 },
          )
        : answer({ path });
    const { relay, upstream, sent } = start({ type: 14, upstream: "claude-next", requested: "claude-next" }, strict);
    const body = { model: "claude-next", max_tokens: 9, messages: chat.slice(1) };
    expect((await relay.post("/v1/messages", body)).status).toBe(200);
    expect(upstream.received).toHaveLength(2);
    expect(linesOf(sent())).toContain(`user: u2|${MARKED}`);
  });
});

test("a continued response keeps the instructions of its input, but not its `instructions`", async () => {
  const { relay, sent } = start({ type: 43 });
  const first = await relay.post("/v1/responses", {
    model: "m",
    instructions: "BASE",
    input: [
      { role: "developer", content: "Permissions: none." },
      { role: "user", content: "u1" },
    ],
  });
  const { id } = (await first.json()) as { id: string };
  const input = [
    { role: "developer", content: RULE },
    { role: "user", content: "u2" },
  ];
  const again = { model: "m", previous_response_id: id, input };
  expect((await relay.post("/v1/responses", again)).status).toBe(200);
  expect(linesOf(sent())).toEqual([
    "system: Permissions: none.",
    "user: u1",
    "assistant: Hello there",
    `system: ${RULE}`,
    "user: u2",
  ]);
});
