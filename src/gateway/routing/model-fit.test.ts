import { afterEach, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { createCatalog, UNKNOWN_MODEL } from "../../catalog/catalog.ts";
import { createModelsOf, needsOf, shortcomingOf } from "./model-fit.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const ENTRIES = {
  "text-only": { input_modalities: ["text"], tools: false, reasoning: { style: "none" }, context_window: 1000 },
  able: {
    input_modalities: ["text", "image", "audio"],
    tools: true,
    reasoning: { style: "effort" },
    context_window: 9000,
  },
};
const text = { role: "user", content: "hi" };
const withPart = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const IMAGE = withPart({ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } });
const AUDIO = withPart({ type: "input_audio", input_audio: { data: "AA==", format: "wav" } });
const TOOLS = {
  messages: [text],
  tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
};
const REASONING = { messages: [text], reasoning_effort: "high" };
const LONG = { messages: [{ role: "user", content: "word ".repeat(2000) }] };

/** Two channels whose models differ, the first one preferred by its priority. */
function start(models: readonly [string, string] = ["text-only", "able"], disabledSecond = false) {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const channel = { type: 8, baseUrl: upstream.url, models: ["m"], groups: ["default"] };
  const relay = startRelay({
    channels: models.map((model, index) => ({
      ...channel,
      priority: 5 - index,
      modelMapping: new Map([["m", model]]),
      ...(index === 1 && disabledSecond && { status: 3 }),
    })),
    options: { ModelRatio: '{"m": 1}', ModelCatalog: JSON.stringify(ENTRIES) },
  });
  stops.push(relay.stop, upstream.stop);
  const servedBy = async (body: object) => {
    expect((await relay.post("/v1/chat/completions", { model: "m", ...body })).status).toBe(200);
    return JSON.parse(upstream.received.at(-1)?.text ?? "{}").model;
  };
  return { relay, servedBy };
}

test.each([
  ["no_images", IMAGE],
  ["no_audio", AUDIO],
  ["no_tools", TOOLS],
  ["no_reasoning", REASONING],
  ["context_too_small", LONG],
] as const)("a call goes to a channel whose model has what it needs: %s", async (lack, request) => {
  const { relay, servedBy } = start();
  expect(await servedBy({ messages: [text] })).toBe("text-only");
  expect(await servedBy(request)).toBe("able");
  const promptTokens = lack === "context_too_small" ? 2500 : 10;
  const explanation = relay.explain({
    model: "m",
    group: "default",
    promptTokens,
    ...{ tokenId: 1, request },
  });
  expect(explanation.channels).toMatchObject([
    { id: 2, share: 1, reasons: [] },
    { id: 1, share: 0, reasons: [lack] },
  ]);
});

test("a channel whose model lacks it serves the call if no other can, and unknown models count as able", async () => {
  expect(await start(["text-only", "able"], true).servedBy(IMAGE)).toBe("text-only");
  expect(await start(["text-only", "nobody-knows"]).servedBy(IMAGE)).toBe("nobody-knows");
  expect(await start(["nobody-knows", "able"]).servedBy(IMAGE)).toBe("nobody-knows");
});

test("models are looked up again when the catalog changes", () => {
  const catalogOf = (tools: boolean) =>
    createCatalog([
      new Map([
        ["able", { tools: true }],
        ["other", { tools }],
      ]),
    ]);
  let catalog = catalogOf(false);
  const modelsOf = createModelsOf(() => catalog);
  const channels = ["able", "other"].map((name, id) => channelEntry({ id, modelMapping: new Map([["m", name]]) }));
  const candidates = { model: "m", tiers: [{ priority: 0, channels }] };
  const models = modelsOf(candidates, "m");
  expect(channels.map((channel) => models?.get(channel)?.tools)).toEqual([true, false]);
  expect(modelsOf(candidates, "m")).toBe(models);
  catalog = catalogOf(true);
  expect(modelsOf(candidates, "m")).toBeNull();
});

test.each([
  [{ reasoning: { effort: "low" } }, true],
  [{ thinking: { type: "enabled", budget_tokens: 2000 } }, true],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: 100 } } }, true],
  [{ reasoning_effort: "none" }, false],
  [{ thinking: { type: "disabled" } }, false],
  [{ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, false],
  [{}, false],
])("reasoning is needed if the client requests it: %j", (body, reasoning) => {
  const needs = needsOf({}, body, 1);
  expect(needs.reasoning).toBe(reasoning);
  expect(shortcomingOf(UNKNOWN_MODEL, needs)).toBeNull();
});

test("the needs of a request are read of any content, and a context that is just long enough suffices", () => {
  const needs = (prompt: object, body: object = {}) => needsOf(prompt as never, body as never, 1000);
  expect(needs({ messages: [{ role: "user", content: "image_url" }, { role: "user" }, "text"] })).toMatchObject({
    ...{ images: false, audio: false, files: false, tools: false },
  });
  expect([needs({ tools: [] }).tools, needs({ tools: [{}] }).tools, needs({ tools: "all" }).tools]).toEqual([
    false,
    true,
    false,
  ]);
  const model = { ...UNKNOWN_MODEL, context_window: 1000 };
  expect(shortcomingOf(model, needs({}))).toBeNull();
  expect(shortcomingOf(model, { ...needs({}), promptTokens: 1001 })).toBe("context_too_small");
});
