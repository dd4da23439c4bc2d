/** Patterns in a channel's models, its mapping and a key's limits: which calls they let through, under which name and at what price. */
import { afterEach, expect, test } from "bun:test";
import { NameMap, namePattern, nameSet } from "../../../../src/lib/values/patterns/name-patterns.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const CHAT = "/v1/chat/completions";
const messages = [{ role: "user", content: "Hello" }];
/** $2 and $20 for a million tokens, of prompt and answer alike. */
const PRICES = { ModelRatio: '{"openai/m-1":1,"m-1":10}', CompletionRatio: '{"openai/m-1":1,"m-1":1}' };

type Setup = Parameters<typeof startRelay>[0];

function start(setup: Partial<Setup> = {}) {
  const upstream = startUpstream(() =>
    Response.json(chatReply({ usage: { prompt_tokens: 300, completion_tokens: 200 } })),
  );
  const relay = startRelay({
    ...setup,
    channels: [
      {
        baseUrl: upstream.url,
        models: [],
        modelPatterns: [namePattern("openai/*")],
        modelMapping: new NameMap([["openai/*", "*"]]),
      },
    ],
    options: { ...PRICES, ...setup.options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

test.each([
  ["the requested name's", {}, 500],
  ["by option the upstream name's", { PriceByUpstreamModel: "true" }, 5_000],
])("a model that a pattern covers costs %s price", async (_, options, quota) => {
  const { relay, upstream } = start({ options });
  const response = await relay.post(CHAT, { model: "openai/m-1", messages });
  expect(response.status).toBe(200);
  await response.text();
  expect(JSON.parse(upstream.received.at(-1)?.text ?? "null")).toMatchObject({ model: "m-1" });
  expect(await relay.billing.nextRecord()).toMatchObject({ modelName: "openai/m-1", quota });
});

test("other names, and names without a price, are refused before anything is sent", async () => {
  const { relay, upstream } = start();
  for (const [model, status] of [
    ["m-1", 404],
    ["openai/m-2", 500],
  ] as const)
    expect([model, (await relay.post(CHAT, { model, messages })).status]).toEqual([model, status]);
  expect(upstream.received).toHaveLength(0);
});

test("a key's patterns let their names through and no others, in lists too", async () => {
  const { relay } = start({ tokens: { test: { modelLimits: nameSet(["re:openai/m-[12]", "other-*"]) } } });
  expect((await relay.post(CHAT, { model: "openai/m-1", messages })).status).toBe(200);
  const refused = await relay.post(CHAT, { model: "openai/m-3", messages });
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: "model_not_allowed" } }]);
  const one = await relay.get("/v1/models/openai%2Fm-1");
  expect(one.status).toBe(200);
});
