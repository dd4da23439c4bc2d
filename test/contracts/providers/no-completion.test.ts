/** A response with status 200 that is none of the API's: each provider with a format of its own fails over and charges nothing. */
import { describe, expect, test } from "bun:test";
import type { Capability } from "../../../src/providers/contract/provider.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const KEYS: Readonly<Record<number, string>> = { 15: "id|secret", 23: "1|id|secret", 41: "{}" };

/** A model of each capability, and how it is called. */
const CALLS = {
  embeddings: ["/v1/embeddings", { input: "snow" }],
  rerank: ["/v1/rerank", { query: "snow", documents: ["a", "b"] }],
  images: ["/v1/images/generations", { prompt: "snow" }],
  speech: ["/v1/audio/speech", { input: "snow", voice: "alloy" }],
  songs: ["/v1/audio/music", { prompt: "snow" }],
  moderations: ["/v1/moderations", { input: "snow" }],
} as const satisfies Partial<Record<Capability, readonly [path: string, body: object]>>;
type Called = keyof typeof CALLS;

const ANSWERS = {
  "another object": () => Response.json({ hello: 1 }),
  "an empty object": () => Response.json({}),
  "a page": () => new Response("<!doctype html><p>Sign in", { headers: { "content-type": "text/html" } }),
  "a text": () => new Response("ok", { headers: { "content-type": "text/plain" } }),
  nothing: () => new Response(""),
} as const;

const modelFor = (capability: Called) => (capability === "images" ? "imagen-4.0" : `some-${capability}-model`);

const cases = channelTypes.flatMap(({ id }) => {
  const provider = providerOf(id);
  const key = KEYS[id] ?? "key";
  return (Object.keys(CALLS) as Called[]).flatMap((capability) => {
    try {
      const format = provider?.nativeFormat?.({ capability, model: modelFor(capability) }, key);
      return format ? [[`${id} ${provider?.name}`, capability, id, key] as const] : [];
    } catch {
      return [];
    }
  });
});

test("there are such providers", () => expect(cases.length).toBeGreaterThan(8));

describe.each(cases)("%s %s", (_name, capability, type, key) => {
  test.each(Object.entries(ANSWERS))("%s is a failed attempt", async (_answer, answer) => {
    const [path, body] = CALLS[capability];
    const model = modelFor(capability);
    const upstream = startUpstream(() => answer());
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }), ModelPrice: "{}" },
    });
    try {
      const response = await relay.post(path, { model, ...body });
      expect({ status: response.status, sent: upstream.received.length > 0 }).toEqual({ status: 502, sent: true });
      await response.text();
      expect(relay.billing.records.map(({ quota }) => quota)).toEqual([0]);
    } finally {
      relay.stop();
      upstream.stop();
    }
  });
});
