/** Google's Interactions API on channels that have it: passed through, with owners, and charged as every call. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { users } from "../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../src/gateway/state/objects/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { until } from "../../support/lib/until.ts";
import { INTERACTION_USAGE, startInteractions } from "./fake-interactions.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.insert(users).values({ id: 1, username: "user1", affCode: "aff1", createdAt: 0 });
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const MODEL = "gemini-3.5-flash";
const STEPS = [
  { type: "thought", signature: "c2lnbmF0dXJl", summary: [{ type: "text", text: "They greet." }] },
  { type: "model_output", content: [{ type: "text", text: "Hello there" }] },
];
/** (720 + 400 × 4) at a ratio of 2; a fifth of the price for the 200 cached tokens. */
const COST = (720 - 200 + 200 * 0.2 + 400 * 4) * 2;

function start(
  steps: readonly Record<string, unknown>[] = STEPS,
  options: Record<string, string> = {},
  usage?: Record<string, unknown>,
) {
  const upstream = startInteractions(steps, usage);
  const relay = startRelay({
    channels: [
      {
        type: 24,
        baseUrl: upstream.url,
        keys: ["key-a", "key-b"],
        models: [MODEL, "alias"],
        modelMapping: new Map([["alias", MODEL]]),
      },
    ],
    objects: createObjectStore(database.db),
    tokens: { test: {}, other: { id: 2, userId: 2 } },
    options: {
      ModelRatio: `{"${MODEL}": 2, "alias": 2}`,
      CompletionRatio: `{"${MODEL}": 4, "alias": 4}`,
      CacheRatio: `{"${MODEL}": 0.2, "alias": 0.2}`,
      ...options,
    },
  });
  stops.push(upstream.stop, relay.stop);
  const client = (apiKey = "sk-test") =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } } }).interactions;
  return { upstream, relay, interactions: client(), client };
}

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: { statusCode?: number; status?: number; message: string }) => error,
  );

describe("an interaction on a channel of Google Gemini", () => {
  test("passes through as it is, and is charged by its usage", async () => {
    const { interactions, relay, upstream } = start();
    const labels = { team: "a" };
    const made = await interactions.create({
      model: MODEL,
      input: "Hi",
      labels,
      generation_config: { thinking_level: "low" },
    });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^v1_native/),
      status: "completed",
      output_text: "Hello there",
      steps: STEPS,
    });
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({
      ...{ model: MODEL, input: "Hi", labels, generation_config: { thinking_level: "low" } },
    });
    expect(await relay.billing.nextRecord()).toMatchObject({
      quota: COST,
      promptTokens: 720,
      completionTokens: 400,
      modelName: MODEL,
      other: { usage_evidence: "reported" },
    });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("goes to the channel's name of its model", async () => {
    const { interactions, upstream, relay } = start();
    await interactions.create({ model: "alias", input: "Hi" });
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({ model: MODEL, input: "Hi" });
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: COST, modelName: "alias" });
  });

  test("is streamed event by event, and charged by what its end reports", async () => {
    const { interactions, relay } = start();
    const types: string[] = [];
    let text = "";
    for await (const event of await interactions.create({ model: MODEL, input: "Hi", stream: true })) {
      types.push(event.event_type);
      if (event.event_type === "step.delta" && event.delta.type === "text") text += event.delta.text;
    }
    expect(text).toBe("Hello there");
    expect([types[0], types.at(-1)]).toEqual(["interaction.created", "interaction.completed"]);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: COST, completionTokens: 400, isStream: true });
  });

  test("continues another with the key that made it, and is retrieved and deleted by its owner only", async () => {
    const { interactions, upstream, client } = start();
    const first = await interactions.create({ model: MODEL, input: "Hi" });
    for (let turn = 0; turn < 4; turn += 1) {
      await interactions.create({ model: MODEL, input: "And?", previous_interaction_id: first.id });
    }
    expect(new Set(upstream.received.map(({ headers }) => headers.get("x-goog-api-key"))).size).toBe(1);
    expect((await interactions.get(first.id)).output_text).toBe("Hello there");
    const other = client("sk-other");
    for (const look of [
      () => other.get(first.id),
      () => other.delete(first.id),
      () => other.cancel(first.id),
      () => other.create({ model: MODEL, input: "And?", previous_interaction_id: first.id }),
    ]) {
      expect(await failureOf(look())).not.toBeNull();
    }
    expect(upstream.stored.has(first.id)).toBe(true);
    await interactions.delete(first.id);
    expect(upstream.stored.has(first.id)).toBe(false);
    expect((await failureOf(interactions.get(first.id)))?.message).toContain("not found");
  });

  test("is streamed again from where it is stored", async () => {
    const { interactions } = start();
    const { id } = await interactions.create({ model: MODEL, input: "Hi" });
    let text = "";
    for await (const event of await interactions.get(id, { stream: true })) {
      if (event.event_type === "step.delta" && event.delta.type === "text") text += event.delta.text;
    }
    expect(text).toBe("Hello there");
  });

  test.each([
    ["gemini-3.5-flash", 3],
    ["gemini-2.5-flash", 1],
  ])("of %s is charged for the searches that it reports", async (model, searches) => {
    const usage = { ...INTERACTION_USAGE, grounding_tool_count: [{ type: "google_search", count: 3 }] };
    const upstream = startInteractions(STEPS, usage);
    const relay = startRelay({
      channels: [{ type: 24, baseUrl: upstream.url, keys: ["key"], models: [model] }],
      options: { ModelRatio: `{"${model}": 0}`, ToolPrice: '{"google_search": 0.01}' },
    });
    stops.push(upstream.stop, relay.stop);
    const { interactions } = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    await interactions.create({ model, input: "Search", tools: [{ type: "google_search" }] });
    expect((await relay.billing.nextRecord()).quota).toBe(searches * 5_000);
  });

  test("is masked where words are forbidden, with its reasoning and tools", async () => {
    const search = { type: "google_search_call", id: "s1", arguments: { queries: ["q"] } };
    const options = {
      CheckSensitiveEnabled: "true",
      CheckSensitiveOnCompletionEnabled: "true",
      StopOnSensitiveEnabled: "false",
      SensitiveWords: "there",
    };
    const { interactions } = start([search, ...STEPS], options);
    const made = await interactions.create({ model: MODEL, input: "Hi" });
    expect(made.id).toStartWith("v1_native");
    expect(made.output_text).toBe("Hello **###**");
    expect(made.steps?.slice(0, 2)).toMatchObject([search, STEPS[0] ?? {}]);
  });
});

describe("an interaction in the background", () => {
  test.each([false, true])("is charged once, when it is over (streamed: %p)", async (stream) => {
    const { interactions, relay, upstream } = start();
    const params = { model: MODEL, input: "Hi", background: true };
    let id = "";
    if (stream) {
      for await (const event of await interactions.create({ ...params, stream: true })) {
        if (event.event_type === "interaction.created") id = event.interaction.id;
      }
    } else id = (await interactions.create(params)).id;
    const charged = () => relay.billing.records.filter(({ quota }) => quota > 0);
    expect((await interactions.get(id)).status).toBe("in_progress");
    expect([charged().length, relay.billing.retained.get(id) ?? 0]).toEqual([0, expect.any(Number)]);
    expect(relay.billing.retained.get(id)).toBeGreaterThan(0);
    expect(await failureOf(interactions.delete(id))).not.toBeNull();
    upstream.finish(id);
    expect((await interactions.get(id)).output_text).toBe("Hello there");
    await interactions.get(id);
    await relay.settleForgotten();
    expect(charged()).toMatchObject([{ quota: COST, promptTokens: 720, completionTokens: 400, modelName: MODEL }]);
    expect(relay.billing.retained.size).toBe(0);
  });

  test("is charged though nobody asks for it, and not when it is canceled unused", async () => {
    const { interactions, relay, upstream } = start();
    const charged = () => relay.billing.records.filter(({ quota }) => quota > 0);
    const forgotten = await interactions.create({ model: MODEL, input: "Hi", background: true });
    const canceled = await interactions.create({ model: MODEL, input: "Hi", background: true });
    expect((await interactions.cancel(canceled.id)).status).toBe("cancelled");
    upstream.finish(forgotten.id);
    await relay.settleForgotten();
    await until(() => relay.billing.retained.size === 0);
    expect(charged()).toMatchObject([{ quota: COST }]);
  });
});

describe("an interaction is refused in Google's form", () => {
  const post = async (url: string, body: unknown, key = "sk-test", path = "/v1beta/interactions") => {
    const headers = { "x-goog-api-key": key, "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };
  const error = (code: string, words: string) => ({ error: { code, message: expect.stringContaining(words) } });

  test("for what it lacks, names twice or gets wrong, without calling the upstream", async () => {
    const { relay, upstream } = start();
    const { url } = relay;
    expect(await post(url, { input: "Hi" })).toEqual([400, error("invalid_request", "model")]);
    expect(await post(url, { model: MODEL })).toEqual([400, error("invalid_request", "message")]);
    expect(await post(url, { model: MODEL, input: 5 })).toEqual([400, error("invalid_request", "input")]);
    expect(await post(url, { model: MODEL, input: [{ text: "?" }] })).toEqual([
      400,
      error("invalid_request", "input[0]"),
    ]);
    expect(await post(url, { model: MODEL, Model: "b", input: "Hi" })).toEqual([
      400,
      error("invalid_request", "Model"),
    ]);
    expect(await post(url, { model: MODEL, input: "Hi", stream: "yes" })).toEqual([
      400,
      error("invalid_request", "stream"),
    ]);
    const unknown = { model: MODEL, input: "Hi", previous_interaction_id: "v1_unknown" };
    expect(await post(url, unknown)).toEqual([400, error("invalid_request", "v1_unknown")]);
    const unstored = { model: MODEL, input: "Hi", background: true, store: false };
    expect(await post(url, unstored)).toEqual([400, error("invalid_request", "store")]);
    expect(upstream.received).toEqual([]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("for a wrong key, an unknown model, path or id", async () => {
    const { relay } = start();
    expect(await post(relay.url, { model: MODEL, input: "Hi" }, "sk-wrong")).toEqual([
      401,
      error("unauthenticated", ""),
    ]);
    expect((await post(relay.url, { model: "none", input: "Hi" }))[1]).toEqual(error("not_found", "none"));
    expect(await post(relay.url, {}, "sk-test", "/v1beta/interactions/v1_x/cancel")).toEqual([
      404,
      error("not_found", "v1_x"),
    ]);
    expect(await post(relay.url, {}, "sk-test", "/v1beta/interactions/a/b")).toEqual([404, error("not_found", "/a/b")]);
  });

  test("by Google, with its status and message", async () => {
    const { relay, interactions, upstream } = start();
    const { id } = await interactions.create({ model: MODEL, input: "Hi" });
    upstream.stored.delete(id);
    const answer = await post(relay.url, { model: MODEL, input: "Hi", previous_interaction_id: id });
    expect(answer).toEqual([404, error("not_found", `Interaction ${id} not found.`)]);
    expect(relay.billing.openHolds).toBe(0);
  });
});
