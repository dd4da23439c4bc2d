import { afterEach, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const LONG = `mcp__plugin_chrome-devtools-mcp_chrome-devtools__performance_analyze_insight`;
type ChatRequest = { stream?: boolean; tools: { function: { name: string } }[] };

/** Calls the tool by the name that it received. */
function upstreamThatCalls() {
  return startUpstream(({ text }) => {
    const { stream, tools } = JSON.parse(text) as ChatRequest;
    const called = { id: "call_1", type: "function", function: { name: tools[0]?.function.name, arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [{ index: 0, ...called }] };
    if (!stream) return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
    const common = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const chunks = [
      { ...common, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...common, choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ];
    return sse(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
  });
}

test.each([false, true])(
  "a tool whose name OpenAI rejects can still be called by that name (streamed: %p)",
  async (streamed) => {
    const upstream = upstreamThatCalls();
    const relay = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
      options: { ModelRatio: '{"m": 1}' },
    });
    stops.push(upstream.stop, relay.stop);
    const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
    const params = {
      model: "m",
      max_tokens: 50,
      tools: [{ name: LONG, input_schema: { type: "object" as const } }],
      tool_choice: { type: "tool" as const, name: LONG },
      messages: [
        { role: "user" as const, content: "Look." },
        { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "toolu_0", name: LONG, input: {} }] },
        { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "toolu_0", content: "seen" }] },
      ],
    };
    const answer = streamed
      ? await client.messages.stream(params).finalMessage()
      : await client.messages.create(params);
    expect(answer.content).toMatchObject([{ type: "tool_use", name: LONG }]);
    const sent = upstream.received.at(-1)?.text ?? "";
    expect(sent).not.toContain(LONG);
    const names = [...sent.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(1);
    expect(names[0]?.length).toBeLessThanOrEqual(64);
  },
);
