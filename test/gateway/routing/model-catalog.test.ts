/** What the model catalogue says, by what an upstream is sent. */
import { afterEach, describe, expect, test } from "bun:test";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const GEMINI = { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }] };
const CLAUDE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null },
  content: [{ type: "text", text: "ok" }],
  usage: { input_tokens: 10, output_tokens: 100_000 },
};

function start(type: number, model: string, options: Partial<Record<OptionKey, string>> = {}) {
  const answer = type === 24 ? GEMINI : type === 14 ? CLAUDE : chatReply();
  const upstream = startUpstream(() => Response.json(answer));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys: ["key"] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const chat = async (more: object = {}) => {
    const response = await relay.post("/v1/chat/completions", {
      ...{ model, messages: [{ role: "user", content: "Hi" }] },
      ...more,
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("ok")]);
    return { sent: JSON.parse(upstream.received.at(-1)?.text ?? "{}"), headers: response.headers };
  };
  return { relay, chat };
}

describe("reasoning", () => {
  test.each([
    ["gemini-9-nova", { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-next", { thinkingBudget: 24_576, includeThoughts: true }],
    ["my-tuned-model", { thinkingBudget: 24_576, includeThoughts: true }],
  ])("a Gemini channel asks %s, which no entry names, to reason", async (model, thinkingConfig) => {
    const { sent, headers } = await start(24, model).chat({ reasoning_effort: "high" });
    expect(sent.generationConfig.thinkingConfig).toEqual(thinkingConfig);
    expect(headers.get("x-sluice-dropped")).toBeNull();
  });

  test("a model that is known not to reason is not asked to, and the client is informed", async () => {
    const { sent, headers } = await start(24, "gemini-2.0-flash").chat({ reasoning_effort: "high" });
    expect(sent.generationConfig?.thinkingConfig).toBeUndefined();
    expect(headers.get("x-sluice-dropped")).toContain("reasoning_effort");
  });

  test("a Claude model that no entry names reasons adaptively", async () => {
    const { sent } = await start(14, "claude-next").chat({ reasoning_effort: "high" });
    expect(sent).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
  });

  test("an operator's entry wins over what comes with the release", async () => {
    const ModelCatalog = JSON.stringify({
      "gemini-2.0-flash": { reasoning: { style: "budget", max_budget: 4096 } },
      "gpt-5*": { reasoning: { style: "effort", efforts: ["low"] } },
    });
    const { sent } = await start(24, "gemini-2.0-flash", { ModelCatalog }).chat({ reasoning_effort: "high" });
    expect(sent.generationConfig.thinkingConfig.thinkingBudget).toBe(4096);
    const chat = await start(1, "gpt-5", { ModelCatalog }).chat({ reasoning_effort: "high" });
    expect(chat.sent.reasoning_effort).toBe("low");
  });
});

describe("the output limit that Anthropic demands", () => {
  test.each([
    ["claude-opus-4-8", {}, 128_000],
    ["claude-sonnet-4-5-20250929", {}, 64_000],
    ["claude-3-5-haiku-latest", {}, 8192],
    ["claude-next", {}, 8192],
    ["claude-opus-4-8", { max_tokens: 7 }, 7],
    ["claude-opus-4-8", { max_completion_tokens: 9 }, 9],
  ])("of %s with %j is %d", async (model, more, limit) => {
    expect((await start(14, model).chat(more)).sent.max_tokens).toBe(limit);
  });

  test("is the operator's own where there is one", async () => {
    const ModelCatalog = '{"claude-next": {"output_limit": 32000}}';
    const { chat } = start(14, "claude-next", { ModelCatalog });
    expect((await chat()).sent.max_tokens).toBe(32_000);
  });

  test("stays above the budget for reasoning and at most the model's own; the client's is never raised", async () => {
    const model = "claude-opus-4-1-20250805";
    const { sent } = await start(14, model).chat({ reasoning_effort: "max" });
    expect(sent).toMatchObject({ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 30_975 } });
    const small = await start(14, model).chat({ reasoning_effort: "max", max_tokens: 100 });
    expect(small.sent.max_tokens).toBe(100);
    expect(small.sent).not.toHaveProperty("thinking");
  });

  test("holds no more quota than before, and charges what was used", async () => {
    const { relay, chat } = start(14, "claude-opus-4-8", { PreConsumedQuota: "500", CompletionRatio: "{}" });
    await chat();
    const [hold] = relay.billing.holds;
    // The prompt's bound and 500 tokens of output at five times the price of input.
    expect(hold?.amount).toBeLessThan(500 * 5 + 100);
    expect(relay.billing.holds).toHaveLength(1);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 10 + 100_000 * 5 });
  });
});
