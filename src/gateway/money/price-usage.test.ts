/** What calls are charged for that their upstream's usage does not say. */
import { afterEach, describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { readChannelCosts } from "../../billing/pricing/ratios/channel-cost.ts";
import { createModelCatalog } from "../../catalog/catalog.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import { OutputMeter } from "./output-meter.ts";
import { createPrices } from "./price.ts";
import { attemptCost, countUsage, type Ending, priceUsage, reportedUsage } from "./price-usage.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ZHIPU = 26;
const messages = [{ role: "user", content: "What is new?" }];

describe("a search whose pages alone the response shows", () => {
  const start = (shown: object) => {
    const upstream = startUpstream(() => Response.json({ ...chatReply({ model: "glm-x" }), ...shown }));
    const relay = startRelay({
      channels: [{ type: ZHIPU, baseUrl: upstream.url, models: ["glm-x"] }],
      options: {
        ModelRatio: '{"glm-x":0}',
        ToolPrice: '{"zhipu_search_std":0.01,"zhipu_search_pro":0.03}',
      },
    });
    stops.push(relay.stop, upstream.stop);
    return relay;
  };
  const pages = { web_search: [{ title: "News", link: "https://news.example", content: "…" }] };
  const engine = (search_engine: string) => ({
    tools: [{ type: "web_search", web_search: { enable: true, search_engine } }],
  });

  test.each<[string, object, object, number]>([
    ["is charged once, at the price of its engine", engine("search_pro"), pages, 15_000],
    ["is charged as the usual one where none is named", { web_search_options: {} }, pages, 5_000],
    ["is not charged without pages", engine("search_pro"), {}, 0],
    ["is not charged where nobody asked for one", {}, pages, 0],
  ])("%s", async (_, asks, shown, quota) => {
    const relay = start(shown);
    const response = await relay.post("/v1/chat/completions", { model: "glm-x", messages, ...asks });
    expect(response.status).toBe(200);
    await response.text();
    expect((await relay.billing.nextRecord()).quota).toBe(quota);
  });
});

/** What a response has sent: text, tool calls by their names, or something that is no text. */
function meterOf(text: string, calls: readonly string[] = [], isOther = false): OutputMeter {
  const meter = new OutputMeter();
  if (text !== "") meter.text(text);
  for (const name of calls) {
    meter.toolCall();
    meter.text(name);
  }
  if (isOther) meter.other();
  return meter;
}

const callOf = (capability: string, emptyIsFree = true) =>
  ({
    endpoint: { capability, emptyIsFree },
    ...{ summary: { model: "gpt-4o" }, prompt: { messages: [{ role: "user", content: "Hello" }] } },
  }) as unknown as Call;

const usageOf = (completionTokens: number): Usage => ({ ...NO_USAGE, promptTokens: 9, completionTokens });
const endedBy = (ending: Ending["ending"], meter: OutputMeter, more: Partial<Ending> = {}): Ending => ({
  ...{ ending, meter, reported: usageOf(5), ...more },
});

describe("the usage that the upstream reported", () => {
  const [TEXT, NOTHING, IMAGE] = [() => meterOf("Hello"), () => meterOf(" \n"), () => meterOf("", [], true)];
  const none = { reported: usageOf(0) };
  test.each<[string, string, Ending, string | null, number]>([
    ["of a complete response", "chat", endedBy("complete", TEXT()), "reported", 5],
    ["that the gateway has counted", "chat", endedBy("complete", TEXT(), { counted: true }), "estimated", 5],
    ["that came after the client had left", "chat", endedBy("client_left", TEXT(), { drained: true }), "drained", 5],
    ["that came before the client left", "chat", endedBy("client_left", TEXT()), null, 0],
    ["of a completion that broke", "completions", endedBy("client_left", TEXT()), null, 0],
    ["of a response that broke before it said anything", "chat", endedBy("client_left", NOTHING()), "reported", 5],
    ["without output, despite text", "chat", endedBy("complete", TEXT(), none), null, 0],
    ["without output, despite an image", "chat", endedBy("complete", IMAGE(), none), null, 0],
    ["of embeddings, which have no output", "embeddings", endedBy("complete", IMAGE(), none), "reported", 0],
    ["of embeddings whose client left", "embeddings", endedBy("client_left", IMAGE(), none), "reported", 0],
  ])("%s counts", (_, capability, ended, evidence, output) => {
    expect(reportedUsage(callOf(capability), ended)).toEqual(
      evidence === null ? null : ({ usage: usageOf(output), evidence } as never),
    );
  });

  test.each([
    ["is free where its endpoint says so", true, 0, NO_USAGE],
    ["costs its prompt elsewhere", false, 0, usageOf(0)],
    ["costs what it has thought", true, 5, usageOf(5)],
  ])("of an empty response %s", (_, emptyIsFree, output, usage) => {
    const ended = endedBy("complete", NOTHING(), { reported: usageOf(output) });
    expect(reportedUsage(callOf("chat", emptyIsFree), ended)).toEqual({ usage, evidence: "reported" });
  });

  test("is none, and nothing is due, of a response that said nothing; else it has to be counted", () => {
    const silent = { reported: null };
    expect(reportedUsage(callOf("chat"), endedBy("complete", NOTHING(), silent))).toEqual({
      usage: NO_USAGE,
      evidence: "none",
    });
    for (const meter of [TEXT(), IMAGE()])
      expect(reportedUsage(callOf("chat"), endedBy("complete", meter, silent))).toBeNull();
  });
});

describe("a response that has to be counted", () => {
  // "one two three" are 3 tokens, with " f" 4, and each call adds 7.
  const three = () => meterOf("one two three", []);
  const calling = () => meterOf("one two three ", ["f"]);
  test.each<[string, OutputMeter, number, number, string]>([
    ["costs what was reported where that is more", three(), 4, 4, "reported"],
    ["costs what was reported where that is the same", three(), 3, 3, "reported"],
    ["costs what came where that is more", three(), 2, 3, "estimated"],
    ["costs its tool calls as well", calling(), 10, 11, "estimated"],
  ])("%s", async (_, meter, reported, output, evidence) => {
    const counted = await countUsage(callOf("chat"), endedBy("client_left", meter, { reported: usageOf(reported) }));
    expect(counted).toEqual({ usage: usageOf(output), evidence } as never);
  });

  test("costs its prompt and its output, tool calls too, where nothing was reported", async () => {
    const ended = endedBy("client_left", calling(), { reported: null });
    const { usage, evidence } = await countUsage(callOf("chat"), ended);
    expect([usage.promptTokens, usage.completionTokens, evidence]).toEqual([8, 11, "estimated"]);
  });
});

describe("searches that the upstream's usage reports", () => {
  const settings = fixedSettings({ ModelRatio: '{"gemini-2.5-flash":1,"gemini-3-flash":1,"free":0}' });
  const prices = createPrices(settings);
  const context = { catalog: createModelCatalog(settings), prices };
  const searched = { ...usageOf(1), toolCalls: { google_search: 3 } };
  const linesOf = (model: string, hasRoute = true) => {
    const price = prices.of({ group: "default", user: { acceptUnsetPrice: false } }, model, model);
    const route = hasRoute ? { price, upstreamModel: model, provider: {}, dropped: [], channel: channelEntry() } : null;
    const call = { ...callOf("chat"), body: { json: {} }, servedBy: route } as unknown as Call;
    const reserved = { prices: { price, byName: null, byChannel: null }, fallbacks: [], hold: null };
    const ended = endedBy("complete", meterOf("Hello"));
    const { charged } = priceUsage(context, call, reserved, ended, { usage: searched, evidence: "reported" });
    return charged.receipt.lines.flatMap(({ item, quantity }) => (item === "google_search" ? [quantity] : []));
  };

  test.each([
    ["once for a response of a model that is billed by responses", "gemini-2.5-flash", ["1"]],
    ["each of a model that is billed by queries", "gemini-3-flash", ["3"]],
  ])("are charged %s", (_, model, quantities) => expect(linesOf(model)).toEqual(quantities));

  test("are charged as reported where no channel is known", () => {
    expect(linesOf("gemini-2.5-flash", false)).toEqual(["3"]);
  });
});

describe("what a response that nobody got cost", () => {
  const prices = createPrices(fixedSettings({ ModelRatio: '{"m":1}' }));
  const payer = { group: "default", user: { acceptUnsetPrice: false } };
  const usage = { ...NO_USAGE, promptTokens: 9, completionTokens: 4 };
  const costOf = (setting: object, reported: Usage | null, isPriced = true) => {
    const price = isPriced ? prices.of(payer, "m", "m") : null;
    const channel = { ...channelEntry({ models: ["m"] }), costs: readChannelCosts(setting) };
    return attemptCost({ channel, price, upstreamModel: "m" } as unknown as Route, reported, { prices });
  };

  test.each<[string, object, Usage | null, boolean, number | null]>([
    ["is the channel's part of the price, rounded", { cost_ratio: 0.7 }, usage, true, 9],
    ["is by the channel's own prices", { cost_prices: { m: { input: 2.5, output: 10 } } }, usage, true, 31],
    ["is by them where the model has no price", { cost_prices: { m: { input: 2.5, output: 10 } } }, usage, false, 31],
    ["is nothing where the provider reported none", { cost_ratio: 0.7 }, NO_USAGE, true, 0],
    ["is not known without a report", { cost_ratio: 0.7 }, null, true, null],
    ["is not known of a channel that does not say", {}, usage, true, null],
  ])("%s", (_, setting, reported, isPriced, cost) => {
    expect(costOf(setting, reported, isPriced)).toBe(cost);
  });
});
