import { describe, expect, test } from "bun:test";
import { target } from "../../../test/support/formats/fixtures.ts";
import type { JsonObject } from "../json.ts";
import { openaiChatClientCodec } from "../openai-chat/index.ts";
import { anthropicClientCodec, anthropicCodec } from "./index.ts";

const OLD = "claude-sonnet-4-20250514";
const NEW = "claude-opus-4-8";

function fromChat(body: JsonObject, model = OLD) {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({ messages: [{ role: "user", content: "go" }], ...body });
  return { body: anthropicCodec.encodeRequest(conversation, target(model), dropped), dropped };
}
const again = (body: JsonObject, model = OLD) =>
  anthropicCodec.encodeRequest(
    anthropicClientCodec.decodeRequest({ model, max_tokens: 50, messages: [{ role: "user", content: "go" }], ...body }),
    target(model),
    new Set(),
  );
const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const called = [
  { role: "user", content: "go" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "a", content: "1" },
];

describe("thinking", () => {
  test("an effort is a budget below the limit, sampling is dropped", () => {
    const { body, dropped } = fromChat({ reasoning_effort: "high", max_tokens: 20_000, temperature: 0.4 });
    expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 16_384 }, max_tokens: 20_000 });
    expect(body).not.toHaveProperty("temperature");
    expect(dropped).toContain("temperature");
  });

  test("newer models reason adaptively and accept no sampling", () => {
    const { body, dropped } = fromChat({ reasoning_effort: "xhigh", top_p: 0.5, temperature: 0.2 }, NEW);
    expect(body).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "xhigh" },
      max_tokens: 4096,
    });
    expect(dropped).toEqual(new Set(["temperature", "top_p"]));
    expect(fromChat({ temperature: 0.2 }, `us.anthropic.${NEW}`).body).not.toHaveProperty("temperature");
  });

  test("none turns it off; models that cannot reason receive nothing", () => {
    expect(fromChat({ reasoning_effort: "none" }).body.thinking).toEqual({ type: "disabled" });
    expect(fromChat({ reasoning_effort: "high" }, "claude-3-haiku-20240307").body).not.toHaveProperty("thinking");
  });

  test("a forced tool, or calls that another model made, disable reasoning", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    expect(fromChat({ reasoning_effort: "low", tools, tool_choice: "required" }).body).not.toHaveProperty("thinking");
    const { body, dropped } = fromChat({ reasoning_effort: "low", tools, messages: called });
    expect(body).not.toHaveProperty("thinking");
    expect(dropped).toContain("reasoning_effort");
    expect(fromChat({ reasoning_effort: "low", tools, messages: called }, NEW).body.thinking).toBeDefined();
  });

  test("a request of Anthropic's own clients stays unchanged", () => {
    const enabled = { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 9000 };
    expect(again(enabled)).toMatchObject(enabled);
    const adaptive = { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "low" } };
    expect(again(adaptive, "claude-sonnet-4-6")).toMatchObject(adaptive);
    expect(again({ thinking: { type: "disabled" } }).thinking).toEqual({ type: "disabled" });
    const effort = again({ output_config: { effort: "low", task_budget: { total: 9 } } }, "claude-opus-4-5-20251101");
    expect(effort).toMatchObject({ output_config: { effort: "low", task_budget: { total: 9 } } });
    expect(effort).not.toHaveProperty("thinking");
    const rest = { metadata: { user_id: "u" }, service_tier: "standard_only", container: "c1" };
    expect(again(rest)).toMatchObject(rest);
  });

  test("members that were decoded are not reported as lost to other formats", () => {
    const dropped = new Set<string>();
    const body = {
      model: "m",
      messages: [{ role: "user", content: "go" }],
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
      metadata: { user_id: "u" },
      service_tier: "auto",
      mcp_servers: [],
    };
    const conversation = anthropicClientCodec.decodeRequest(body);
    expect(Object.keys(conversation.extra.members)).toEqual(["mcp_servers"]);
    anthropicCodec.encodeRequest({ ...conversation, extra: { dialect: "gemini", members: {} } }, target(NEW), dropped);
    expect([...dropped]).toEqual([]);
  });
});

describe("the response format", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer", minimum: 1 }, list: { type: "array", items: { type: "object" }, maxItems: 3 } },
    additionalProperties: true,
  };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };

  test("a schema is closed and has no limits if the model supports structured output", () => {
    const { body } = fromChat({ response_format: format }, "claude-sonnet-4-5-20250929");
    expect(body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: {
            n: { type: "integer" },
            list: { type: "array", items: { type: "object", additionalProperties: false } },
          },
          additionalProperties: false,
        },
      },
    });
    expect(body).not.toHaveProperty("system");
  });

  test("otherwise it is an instruction, and the loss is reported", () => {
    const { body, dropped } = fromChat({ response_format: format });
    expect(JSON.stringify(body.system)).toContain("JSON Schema");
    expect(dropped).toContain("response_format");
    expect(JSON.stringify(fromChat({ response_format: { type: "json_object" } }, NEW).body.system)).toContain("JSON");
  });
});

describe("tools", () => {
  const tool = (name: string, parameters?: JsonObject) => ({ type: "function", function: { name, parameters } });

  test("a tool's parameters are an object without a union at the top level", () => {
    const { body } = fromChat({
      tools: [tool("a"), tool("b", { anyOf: [{ required: ["x"] }], properties: { x: {} } })],
    });
    expect(body.tools).toEqual([
      { name: "a", input_schema: { type: "object", properties: {} } },
      { name: "b", input_schema: { type: "object", properties: { x: {} } } },
    ]);
  });

  test("choices", () => {
    const tools = [tool("a"), tool("b")];
    const choice = (tool_choice: unknown, more: JsonObject = {}) =>
      fromChat({ tools, tool_choice, ...more }).body.tool_choice;
    expect(choice("required")).toEqual({ type: "any" });
    expect(choice("none", { parallel_tool_calls: false })).toEqual({ type: "none" });
    expect(choice({ type: "function", function: { name: "b" } })).toEqual({ type: "tool", name: "b" });
    expect(choice(undefined, { parallel_tool_calls: false })).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    expect(fromChat({ tool_choice: "auto" }).body).not.toHaveProperty("tool_choice");
  });

  test("only the allowed tools are offered", () => {
    const allowed = {
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "b" } }] },
    };
    const { body } = fromChat({ tools: [tool("a"), tool("b")], tool_choice: allowed });
    expect(body.tools).toMatchObject([{ name: "b" }]);
    expect(body.tool_choice).toEqual({ type: "any" });
  });
});

test("documents that Anthropic cannot read are reported as lost, texts become text", () => {
  const file = (type: string) => ({ type: "file", file: { filename: "f", file_data: `data:${type};base64,aGk=` } });
  const content = [{ type: "text", text: "see" }, file("application/json"), file("application/zip")];
  const { body, dropped } = fromChat({ messages: [{ role: "user", content }] });
  expect(body.messages).toMatchObject([
    { content: [{ type: "text" }, { type: "document", source: { type: "text", data: "hi" } }] },
  ]);
  expect(dropped).toContain("document");
});

test("a prefilled answer has no trailing whitespace; newest models get a user turn after it", () => {
  const messages = [
    { role: "user", content: "count" },
    { role: "assistant", content: "1, 2, \n" },
  ];
  expect(fromChat({ messages }).body.messages).toMatchObject([{}, { content: [{ text: "1, 2," }] }]);
  expect(fromChat({ messages }, NEW).body.messages).toMatchObject([{}, {}, { role: "user" }]);
});

test.each([
  ["plain", "ships climb — 船", ""],
  ["padded, as the API does at times", "ships", "     "],
  ["with signs that JSON escapes", 'a "lock"\\ \n\u0001', ""],
  ["empty", "", ""],
])("a text delta is decoded the same with and without parsing: %s", (_, text, padding) => {
  const decoder = anthropicCodec.streamDecoder((prefix) => `${prefix}1`);
  const event = JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  const data = `${event.slice(0, -1)}${padding}}`;
  const expected = text === "" ? [] : [{ type: "text" as const, choice: 0, text }];
  expect(decoder.push({ event: "content_block_delta", data })).toEqual(expected);
});
