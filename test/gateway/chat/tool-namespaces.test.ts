/** Tools that OpenAI's Responses group in namespaces, as Codex' `multi_agent_v1`, onto providers that know none. */
import { afterEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { FAMILY_TYPES, type Family } from "../../support/gateway/families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const TAKEN_BY_ALL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const LONG = "a_name_that_is_longer_together_with_its_namespace_than_most_take_it";
const parameters = { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] };
const inner = (name: string) => ({ type: "function", name, description: `Does ${name}.`, parameters, strict: false });
const TOOLS = [
  inner("spawn_agent"),
  {
    type: "namespace",
    name: "multi_agent_v1",
    description: "Work with other agents.",
    tools: [
      inner("spawn_agent"),
      inner("wait"),
      inner(LONG),
      { type: "custom", name: "note", description: "Free text." },
    ],
  },
  { type: "namespace", name: "mcp__files__", description: "Files.", tools: [inner("wait")] },
  // Together with their names these two read the same.
  { type: "namespace", name: "a", description: "", tools: [inner("b__c")] },
  { type: "namespace", name: "a__b", description: "", tools: [inner("c")] },
  inner("mcp__files__wait"),
];
const QUALIFIED = [
  [undefined, "spawn_agent"],
  ["multi_agent_v1", "spawn_agent"],
  ["multi_agent_v1", "wait"],
  ["multi_agent_v1", LONG],
  ["multi_agent_v1", "note"],
  ["mcp__files__", "wait"],
  ["a", "b__c"],
  ["a__b", "c"],
  [undefined, "mcp__files__wait"],
] as const;

/** Names of the tools in a request, in its format, in their order. */
function namesIn(text: string): string[] {
  const { tools } = JSON.parse(text);
  const declared = recordsOf(tools).flatMap((tool) =>
    tool.functionDeclarations ? recordsOf(tool.functionDeclarations) : [tool],
  );
  return declared.map((tool) => textOf(recordOf(tool.function)?.name) ?? textOf(tool.name) ?? "");
}

/** Calls every tool that it is offered, in their order. */
function callingAll(family: Family) {
  const upstream = startUpstream(({ path, text }) => {
    if (path.endsWith("/responses")) return new Response("404 page not found", { status: 404 });
    const names = namesIn(text);
    const isStream = path.includes(":stream") || JSON.parse(text).stream === true;
    const args = { input: "free", prompt: "p" };
    if (family === "openai") {
      const calls = names.map((name, index) => ({
        index,
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      const message = { role: "assistant", content: null, tool_calls: calls };
      if (!isStream) return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
      const chunk = {
        id: "c",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: message, finish_reason: "tool_calls" }],
      };
      return sse(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    }
    if (family === "gemini") {
      const parts = names.map((name) => ({ functionCall: { name, args } }));
      const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 };
      const answer = {
        candidates: [{ content: { role: "model", parts }, index: 0, finishReason: "STOP" }],
        usageMetadata,
      };
      return isStream ? sse(`data: ${JSON.stringify(answer)}\r\n\r\n`) : Response.json(answer);
    }
    const content = names.map((name, at) => ({ type: "tool_use", id: `toolu_${at}`, name, input: args }));
    const usage = { input_tokens: 9, output_tokens: 3 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m" };
    if (!isStream) return Response.json({ ...message, content, stop_reason: "tool_use", stop_sequence: null, usage });
    const events = [
      { type: "message_start", message: { ...message, content: [], usage } },
      ...content.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  });
  const relay = startRelay({
    // OpenAI itself takes free-text tools in chats; most who imitate it do not.
    channels: [{ type: family === "openai" ? 1000 : FAMILY_TYPES[family], baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
}

type Call = OpenAI.Responses.ResponseFunctionToolCall | OpenAI.Responses.ResponseCustomToolCall;
const callsOf = ({ output }: OpenAI.Responses.Response): Call[] =>
  output.flatMap((item) => (item.type === "function_call" || item.type === "custom_tool_call" ? [item] : []));

const FAMILIES_OF_TESTS = [
  ["openai", false],
  ["openai", true],
  ["anthropic", false],
  ["anthropic", true],
  ["gemini", false],
  ["gemini", true],
] as const;

test.each(FAMILIES_OF_TESTS)(
  "%s is offered plain functions, the client gets them back as it named them (stream: %p)",
  async (family, stream) => {
    const { upstream, client } = callingAll(family);
    const tools = TOOLS as OpenAI.Responses.Tool[];
    const ask = (input: OpenAI.Responses.ResponseInput) =>
      stream
        ? client.responses.stream({ model: "m", input, tools }).finalResponse()
        : client.responses.create({ model: "m", input, tools });
    const question = { role: "user", content: "Go" } as const;
    const first = await ask([question]);
    const calls = callsOf(first);
    expect(calls.map(({ namespace, name }) => [namespace, name])).toEqual(QUALIFIED.map(([...pair]) => pair));
    const note = calls.find(({ name }) => name === "note");
    expect(note).toMatchObject({ type: "custom_tool_call", input: "free" });
    const names = namesIn(upstream.received.at(-1)?.text ?? "");
    expect(new Set(names).size).toBe(QUALIFIED.length);
    for (const name of names) expect(name).toMatch(TAKEN_BY_ALL);
    expect(names).toContain("multi_agent_v1__spawn_agent");
    expect(upstream.received.at(-1)?.text).toContain("Work with other agents.");
    // The history names them as they are offered, also where they are no longer.
    const results = calls.map(
      ({ type, call_id }): OpenAI.Responses.ResponseInputItem =>
        type === "function_call"
          ? { type: "function_call_output", call_id, output: "done" }
          : { type: "custom_tool_call_output", call_id, output: "done" },
    );
    await ask([question, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...results]);
    const again = upstream.received.at(-1)?.text ?? "";
    for (const name of names) expect(again.split(`"${name}"`).length).toBeGreaterThanOrEqual(3);
    expect(again).not.toContain("\\u0000");
  },
);

test("a choice of a function in a namespace, and nothing of it is named as left out", async () => {
  const { upstream, relay } = callingAll("openai");
  const tool_choice = { type: "function", name: LONG };
  const answer = await relay.post("/v1/responses", { model: "m", input: "Go", tools: TOOLS, tool_choice });
  expect(answer.headers.get("x-sluice-dropped") ?? "").not.toMatch(/namespace|tool_choice/);
  const text = upstream.received.at(-1)?.text ?? "";
  expect(JSON.parse(text).tool_choice.function.name).toBe(namesIn(text)[3]);
});

test("OpenAI itself gets namespaces as they came, also where the request is rewritten", async () => {
  const usage = { input_tokens: 9, output_tokens: 2, total_tokens: 11 };
  const called = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_9",
    name: "wait",
    namespace: "mcp__files__",
    arguments: "{}",
  };
  const upstream = startUpstream(() =>
    Response.json({ id: "resp_1", object: "response", status: "completed", output: [called], usage }),
  );
  const relay = startRelay({
    channels: [{ type: 1, baseUrl: upstream.url, models: ["m"], setting: { system_prompt: "Be brief." } }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  const input = [
    { role: "user", content: "Go" },
    { type: "function_call", call_id: "call_1", name: "wait", namespace: "multi_agent_v1", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "done" },
  ];
  const answer = await relay.post("/v1/responses", { model: "m", input, tools: TOOLS });
  expect(recordsOf(recordOf(await answer.json())?.output)).toMatchObject([called]);
  const sent = JSON.parse(upstream.received.at(-1)?.text ?? "");
  expect(sent.instructions).toBe("Be brief.");
  expect(sent.tools).toEqual(TOOLS);
  expect(sent.input[1]).toMatchObject({ name: "wait", namespace: "multi_agent_v1" });
});
