/** Rankings at services that have them nearly as clients do: Cohere's second version, Xinference. */
import { afterEach, expect, test } from "bun:test";
import { parseJson } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const ASK = { model: "rerank-x", query: "gate", documents: ["a sluice", { text: "a boat" }, { title: "a lock" }] };

function start(type: number, answer: object) {
  const upstream = startUpstream(() => Response.json(answer));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [ASK.model] }],
    options: { ModelRatio: `{"${ASK.model}": 2}`, RetryTimes: "0" },
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
}

test("Cohere gets texts alone, and its answers hold the client's documents where they are wanted", async () => {
  const results = [{ index: 1, relevance_score: 0.9 }];
  const meta = { api_version: { version: "2" }, billed_units: { search_units: 1 } };
  const { upstream, relay } = start(34, { id: "r", results, meta });
  const request = { ...ASK, top_n: 1, max_tokens_per_doc: 64, return_documents: true, overlap_tokens: 8 };
  const answer = await relay.post("/v1/rerank", request);
  expect(answer.headers.get("x-sluice-dropped")).toBe("overlap_tokens");
  expect(await answer.json()).toEqual({ id: "r", results: [{ ...results[0], document: { text: "a boat" } }], meta });
  expect(upstream.received[0]?.path).toBe("/v2/rerank");
  expect(parseJson(upstream.received[0]?.text ?? "")).toEqual({
    model: ASK.model,
    query: "gate",
    documents: ["a sluice", "a boat", '{"title":"a lock"}'],
    top_n: 1,
    max_tokens_per_doc: 64,
  });
  expect((await relay.billing.nextRecord()).promptTokens).toBeGreaterThan(4);
  expect(await (await relay.post("/v1/rerank", ASK)).json()).toEqual({ id: "r", results, meta });
});

test("Xinference's bare texts become documents", async () => {
  const results = [
    { index: 1, relevance_score: 0.9, document: "a boat" },
    { index: 0, relevance_score: 0.2, document: { text: "a sluice" } },
  ];
  const { relay } = start(47, { id: "r", results });
  const answer = await relay.post("/v1/rerank", { ...ASK, return_documents: true });
  expect(await answer.json()).toMatchObject({
    results: [
      { index: 1, document: { text: "a boat" } },
      { index: 0, document: { text: "a sluice" } },
    ],
  });
});

const FAST = "rerank-v4.0-fast";
test.each([
  [FAST, 100, 1000, { models: [FAST] }],
  [FAST, 101, 2000, { models: [FAST] }],
  ["rerank-v4.0-pro", 250, 3750, { models: ["rerank-v4.0-pro"] }],
  [`vip-${FAST}`, 101, 2000, { models: [FAST], modelPrefix: "vip-" }],
  ["ranks", 101, 2000, { models: ["ranks"], modelMapping: new Map([["ranks", FAST]]) }],
])("%s: each hundred of documents is a search: %i cost %i at list price", async (model, count, quota, channel) => {
  const upstream = startUpstream(() => Response.json({ results: [{ index: 0, relevance_score: 0.5 }] }));
  const relay = startRelay({ channels: [{ type: 34, baseUrl: upstream.url, ...channel }] });
  stops.push(upstream.stop, relay.stop);
  const documents = Array.from({ length: count }, (_, at) => `document ${at}`);
  expect((await relay.post("/v1/rerank", { model, query: "gate", documents })).status).toBe(200);
  expect((await relay.billing.nextRecord()).quota).toBe(quota);
});
