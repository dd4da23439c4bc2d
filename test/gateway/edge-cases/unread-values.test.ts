/** Members whose values the client's format does not have are named where a request is translated, and refused by the strict option. */
import { afterEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const messages = [{ role: "user", content: "Hi" }];
const answer = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "ok" }] },
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

/** A channel whose format the client does not speak. */
function start(type: number) {
  const upstream = startUpstream(() => Response.json(type === 14 ? answer : chatReply()));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m":1}', RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

type Row = readonly [path: string, member: JsonObject];
const CLIENTS: readonly (readonly [path: string, type: number, body: JsonObject, rows: readonly Row[]])[] = [
  [
    "/v1/chat/completions",
    14,
    { messages },
    [
      ["temperature", { temperature: "0.5" }],
      ["stop", { stop: 5 }],
      ["tools", { tools: {} }],
      ["tools", { tools: ["look"] }],
      ["tool_choice", { tool_choice: "whatever" }],
      ["response_format", { response_format: "json" }],
      ["response_format", { response_format: { type: "json_schema" } }],
      ["response_format", { response_format: { type: "xml" } }],
      ["reasoning_effort", { reasoning_effort: "giant" }],
      ["seed", { seed: "7" }],
      ["messages[1].content", { messages: [...messages, { role: "user", content: 5 }] }],
      ["messages[1].tool_calls", { messages: [...messages, { role: "assistant", content: "x", tool_calls: "f" }] }],
    ],
  ],
  [
    "/v1/messages",
    1,
    { max_tokens: 99, messages },
    [
      ["temperature", { temperature: "0.5" }],
      ["stop_sequences", { stop_sequences: "x" }],
      ["tools", { tools: {} }],
      ["tool_choice", { tool_choice: "auto" }],
      ["thinking", { thinking: "on" }],
      ["output_config", { output_config: "high" }],
      ["output_config.format", { output_config: { format: { type: "json_schema", schema: "x" } } }],
      ["system", { system: 5 }],
      ["messages[1].content", { messages: [...messages, { role: "user", content: 5 }] }],
    ],
  ],
  [
    "/v1/responses",
    14,
    { input: "Hi" },
    [
      ["temperature", { temperature: "0.5" }],
      ["tools", { tools: {} }],
      ["text", { text: "json" }],
      ["text.format", { text: { format: { type: "xml" } } }],
      ["reasoning", { reasoning: "high" }],
      ["reasoning.effort", { reasoning: { effort: "giant" } }],
      ["instructions", { instructions: 5 }],
      [
        "input[0].content[1].type",
        { input: [{ role: "user", content: [{ type: "input_text", text: "a" }, { type: "new" }] }] },
      ],
    ],
  ],
  [
    "/v1beta/models/m:generateContent",
    1,
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    [
      ["generationConfig", { generationConfig: "x" }],
      ["generationConfig.temperature", { generationConfig: { temperature: {} } }],
      ["generationConfig.stopSequences", { generationConfig: { stopSequences: "x" } }],
      [
        "generationConfig.thinkingConfig.thinkingLevel",
        { generationConfig: { thinkingConfig: { thinkingLevel: "GIANT" } } },
      ],
      ["tools", { tools: {} }],
    ],
  ],
];

describe.each(CLIENTS)("%s", (path, type, body, rows) => {
  test.each(rows)("%s", async (member, changed) => {
    const relay = start(type);
    const request = { model: "m", ...body, ...changed };
    const response = await relay.post(path, request);
    expect([response.status, response.headers.get("x-sluice-dropped")]).toEqual([200, member]);
    const refused = await relay.post(path, request, { headers: { "x-sluice-strict": "1" } });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(member)]);
  });

  test("nothing is named of values that fit", async () => {
    expect((await start(type).post(path, { model: "m", ...body })).headers.get("x-sluice-dropped")).toBeNull();
  });
});
