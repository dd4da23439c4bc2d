/** Parts of requests that other formats have in another place: they arrive in a form that the provider takes. */
import { afterEach, expect, test } from "bun:test";
import { type JsonObject, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const OPTIONS = { ModelRatio: '{"m": 1}', RetryTimes: "0" };

/** A call through a channel of the type. Resolves with the client's response and what the upstream received. */
async function call(type: number, path: string, body: JsonObject, answer: object = chatReply()) {
  const upstream = startUpstream(() => Response.json(answer));
  const key = type === 1007 ? "bedrock-key|us-east-1" : "k";
  const relay = startRelay({
    channels: [{ type, keys: [key], baseUrl: upstream.url, models: ["m"] }],
    options: OPTIONS,
  });
  stops.push(upstream.stop, relay.stop);
  const response = await relay.post(path, { model: "m", ...body });
  const [received] = upstream.received;
  return { response, sent: (recordOf(JSON.parse(received?.text ?? "null")) ?? {}) as JsonObject };
}

const parameters = { type: "object", properties: {} };
const called = (name: string, input: string) =>
  chatReply({
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: input } }],
        },
      },
    ],
  });

test.each([
  ["exec", '{"input":"ls"}', { type: "custom_tool_call", name: "exec", input: "ls" }],
  ["wait", "{}", { type: "function_call", name: "wait", arguments: "{}" }],
])("tools that an item of the input lists are offered, and %s is called as what it is", async (name, input, item) => {
  const tools = [
    { type: "custom", name: "exec", description: "run", format: { type: "text" } },
    { type: "function", name: "wait", parameters },
  ];
  const items = [
    { type: "additional_tools", role: "developer", tools },
    { role: "user", content: "list files" },
  ];
  const { response, sent } = await call(1006, "/v1/responses", { input: items }, called(name, input));
  expect(recordsOf(sent.tools).map((tool) => recordOf(tool.function)?.name)).toEqual(["exec", "wait"]);
  expect(response.headers.get("x-sluice-dropped")).toBeNull();
  expect(await response.json()).toMatchObject({ output: [item] });
});

test("tools that a search found are offered, and no empty message stays in their place", async () => {
  const found = { type: "function", name: "g", parameters };
  const items = [
    { role: "user", content: "a" },
    { type: "tool_search_call", id: "ts", call_id: "c1", execution: "server", arguments: {}, status: "completed" },
    { type: "tool_search_output", id: "to", call_id: "c1", execution: "server", status: "completed", tools: [found] },
    { role: "user", content: "b" },
  ];
  const { sent } = await call(25, "/v1/responses", { input: items, tools: [{ type: "tool_search" }] });
  expect(recordsOf(sent.tools).map((tool) => recordOf(tool.function)?.name)).toEqual(["g"]);
  expect(recordsOf(sent.messages).map(({ content }) => content)).not.toContain("");
});

test.each([
  [
    "/v1/responses",
    {
      input: [
        { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } },
        { role: "user", content: "b" },
      ],
    },
    "computer_call_output",
  ],
  [
    "/v1/messages",
    {
      max_tokens: 9,
      messages: [
        { role: "user", content: [{ type: "container_upload", file_id: "f" }] },
        { role: "assistant", content: "ok" },
        { role: "user", content: "b" },
      ],
    },
    "container_upload",
  ],
])("what only the client's own provider takes is named and leaves no empty message: %s", async (path, body, name) => {
  const { response, sent } = await call(25, path, body);
  expect(recordsOf(sent.messages).map(({ content }) => content)).not.toContain("");
  expect(response.headers.get("x-sluice-dropped")).toBe(name);
});

test("a tool that a search of Anthropic's found stays the result of the search", async () => {
  const { sent } = await call(25, "/v1/messages", {
    max_tokens: 9,
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "search", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "weather" }] },
        ],
      },
    ],
  });
  expect(recordsOf(sent.messages).at(-1)).toMatchObject({ role: "tool", content: "weather" });
});

test("a strict schema is never invented", async () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" }, nickname: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const body = {
    max_tokens: 50,
    messages: [{ role: "user", content: "a" }],
    output_config: { format: { type: "json_schema", schema } },
    tools: [{ name: "look", input_schema: schema }],
  };
  const { sent } = await call(1, "/v1/messages", body);
  expect(JSON.stringify(sent)).toContain("nickname");
  expect(JSON.stringify(sent)).not.toContain('"strict":true');
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test.each([
  ["deep", `{"format":{"type":"json_schema","schema":${nested(2000)}}}`, 400],
  ["deep effort", `{"effort":${nested(2000)}}`, 400],
  ["deep, as far as bodies go", `{"format":{"type":"json_schema","schema":${nested(480)}}}`, 200],
  ["a list of efforts", '{"effort":["high"]}', 200],
  ["a text", '"high"', 200],
])("output_config that is %s is answered, never with 5xx", async (_name, config, status) => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ type: 1, keys: ["k"], baseUrl: upstream.url, models: ["m"] }],
    options: OPTIONS,
  });
  stops.push(upstream.stop, relay.stop);
  const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"output_config":${config}}`;
  const response = await relay.post("/v1/messages", body);
  expect(response.status).toBe(status);
});

test("a JSON result with references is a text for Gemini", async () => {
  const text = '{"schema":{"$ref":"#/$defs/X","$defs":{"X":{"type":"string"}}}}';
  const { sent } = await call(24, "/v1/chat/completions", {
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: text },
    ],
    tools: [{ type: "function", function: { name: "f", parameters } }],
  });
  expect(JSON.stringify(sent.contents)).toContain(JSON.stringify({ result: text }).slice(1, -1));
});

const pdf = (title?: string) => ({
  type: "document",
  ...(title && { title }),
  source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
});

test("Bedrock gets documents with names of their own, which later turns keep, and a text next to them", async () => {
  const turns = [
    { role: "user", content: [pdf("report.pdf"), pdf("report.pdf")] },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [pdf()] }] },
    { role: "assistant", content: "ok" },
    { role: "user", content: [pdf(), { type: "text", text: "Compare them." }] },
  ];
  const sentFor = async (messages: object[]) =>
    recordsOf((await call(1007, "/v1/messages", { max_tokens: 9, messages })).sent.messages);
  const first = await sentFor(turns.slice(0, 1));
  const all = await sentFor(turns);
  expect(all[0]).toEqual(first[0]);
  expect(JSON.stringify(first[0])).toContain('"text":"Attached: report"');
  const names = JSON.stringify(all).match(/"name":"[^"]+","source"/g) ?? [];
  expect(names).toHaveLength(4);
  expect(new Set(names).size).toBe(4);
});
