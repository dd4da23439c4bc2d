/** Responses that are made in the background: nobody pays before they are over, and everybody does then. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { users } from "../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../src/gateway/state/objects/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

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

let made = 0;
const USAGE = { input_tokens: 100, output_tokens: 40, total_tokens: 140 };
const message = { id: "msg", type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi" }] };
const search = { id: "ws", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };

/** An upstream that makes one response, which stands as `state` says. */
type RelayOptions = Parameters<typeof startRelay>[0];

function start(
  output: readonly object[] = [message],
  {
    channel = {},
    options = {},
    tier = "",
  }: { channel?: RelayOptions["channels"][number]; options?: RelayOptions["options"]; tier?: string } = {},
) {
  const id = `resp_background_${++made}`;
  const state = { status: "queued", isDeleted: false };
  const response = () => {
    const isOver = ["completed", "incomplete"].includes(state.status);
    return {
      ...{ id, object: "response", created_at: 1, model: "gpt-5-2025-08-07", background: true, status: state.status },
      ...(isOver ? { output, usage: USAGE, ...(tier && { service_tier: tier }) } : { output: [], usage: null }),
    };
  };
  /** The events of its stream behind a number: made up to where `state` says. */
  const streamed = (after: number): Response => {
    const begun = { ...response(), status: "in_progress", output: [], usage: null };
    const list = [
      { type: "response.created", response: begun },
      ...output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
      ...(state.status === "completed" ? [{ type: "response.completed", response: response() }] : []),
    ];
    const events = list.map((event, sequence_number) => ({ ...event, sequence_number })).slice(after);
    return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  };
  const upstream = startUpstream(({ path, text }, request) => {
    const query = new URL(request.url).searchParams;
    if (query.get("stream") === "true") return streamed(Number(query.get("starting_after") ?? -1) + 1);
    if (request.method === "POST" && text.includes('"stream":true')) return streamed(0);
    if (state.isDeleted) return Response.json({ error: { message: "no such response" } }, { status: 404 });
    if (path.endsWith("/cancel")) state.status = "cancelled";
    if (request.method === "DELETE") return Response.json({ id, object: "response", deleted: true });
    return Response.json(response());
  });
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["gpt-5"], keys: ["key-a", "key-b"], ...channel }],
    objects: createObjectStore(database.db),
    options: { ModelRatio: '{"gpt-5": 1}', CompletionRatio: '{"gpt-5": 4}', PreConsumedQuota: "500", ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const create = (more: object = {}) =>
    client.responses.create({ model: "gpt-5", input: "Hi", background: true, ...more });
  const charged = () => relay.billing.records.filter(({ quota }) => quota > 0);
  return { id, state, upstream, relay, client, create, charged };
}

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("a response that is made in the background", () => {
  test("is charged when it is over, once, whoever looks; what it can cost stays held until then", async () => {
    const { id, state, relay, client, create, charged, upstream } = start();
    expect(await create()).toMatchObject({ id, status: "queued" });
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.billing.retained.get(id)).toBeGreaterThan(0);
    state.status = "in_progress";
    expect((await client.responses.retrieve(id)).status).toBe("in_progress");
    expect(charged()).toEqual([]);
    state.status = "completed";
    const key = upstream.received[0]?.headers.get("authorization");
    expect((await client.responses.retrieve(id)).output_text).toBe("Hi");
    expect(upstream.received.every(({ headers }) => headers.get("authorization") === key)).toBe(true);
    // 100 + 40 × 4
    expect(charged()).toMatchObject([{ promptTokens: 100, completionTokens: 40, quota: 260, modelName: "gpt-5" }]);
    expect(relay.billing.retained.size).toBe(0);
    await client.responses.retrieve(id);
    await relay.settleForgotten();
    expect(charged()).toHaveLength(1);
  });

  test("costs what the requested name costs, whatever its channel and the upstream call it", async () => {
    const { state, relay, create, charged } = start(undefined, {
      channel: { models: ["alias"], modelMapping: new Map([["alias", "gpt-5"]]) },
      options: { ModelRatio: '{"alias": 2, "gpt-5": 1, "gpt-5-2025-08-07": 9}', CompletionRatio: '{"alias": 4}' },
    });
    await create({ model: "alias" });
    state.status = "completed";
    await relay.settleForgotten();
    // (100 + 40 × 4) × 2
    expect(charged()).toMatchObject([{ quota: 520, modelName: "alias" }]);
  });

  test("is charged in the service tier that its end names", async () => {
    const { state, relay, create, charged } = start(undefined, { tier: "flex" });
    await create({ service_tier: "flex" });
    state.status = "completed";
    await relay.settleForgotten();
    expect(charged()).toMatchObject([{ quota: 130, other: { service_tier: "flex" } }]);
  });

  test("is charged though nobody ever asks for it, with the tools that it used", async () => {
    const { state, relay, create, charged } = start([search, message]);
    await create();
    await relay.settleForgotten();
    expect(charged()).toEqual([]);
    state.status = "incomplete";
    await relay.settleForgotten();
    const [record] = charged();
    expect(record?.quota).toBeGreaterThan(260);
    expect(JSON.stringify(record?.other.receipt)).toContain("web_search");
  });

  test("is not deleted before it is over; cancelled it costs what the upstream says", async () => {
    const { id, relay, client, create, charged } = start();
    await create();
    expect(await failureOf(client.responses.delete(id))).toMatchObject({ status: 400, code: "response_in_progress" });
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    expect(charged()).toEqual([]);
    expect(relay.billing.retained.size).toBe(0);
    await client.responses.delete(id);
    expect(await failureOf(client.responses.retrieve(id))).toMatchObject({ status: 404 });
  });

  test("that the upstream has forgotten gives back what was held", async () => {
    const { state, relay, create, charged } = start();
    await create();
    state.isDeleted = true;
    await relay.settleForgotten();
    expect([charged().length, relay.billing.retained.size]).toEqual([0, 0]);
  });

  test("is streamed, and charged once by what its end says", async () => {
    const { id, state, relay, client, charged } = start([search, message]);
    state.status = "completed";
    const types: string[] = [];
    const stream = await client.responses.create({ model: "gpt-5", input: "Hi", background: true, stream: true });
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      "response.created",
      "response.output_item.done",
      "response.output_item.done",
      "response.completed",
    ]);
    await until(() => charged().length === 1);
    expect(charged()).toMatchObject([{ promptTokens: 100, completionTokens: 40 }]);
    expect(JSON.stringify(charged()[0]?.other.receipt)).toContain("web_search");
    expect((await client.responses.retrieve(id)).status).toBe("completed");
    await relay.settleForgotten();
    expect([charged().length, relay.billing.retained.size, relay.billing.openHolds]).toEqual([1, 0, 0]);
  });

  test("whose stream breaks off goes on to be made: it is followed by its id, and charged once when it is over", async () => {
    const { id, state, relay, client, charged, upstream } = start();
    state.status = "in_progress";
    const stream = await client.responses.create({ model: "gpt-5", input: "Hi", background: true, stream: true });
    const failure = await failureOf(Array.fromAsync(stream));
    expect([failure, relay.billing.openHolds]).toEqual([expect.anything(), 0]);
    expect(relay.billing.retained.get(id)).toBeGreaterThan(0);
    expect(charged()).toEqual([]);
    state.status = "completed";
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: 1 });
    expect((await Array.fromAsync(rest)).map(({ type }) => type)).toEqual(["response.completed"]);
    const keys = upstream.received.map(({ headers }) => headers.get("authorization"));
    expect(new Set(keys).size).toBe(1);
    await relay.settleForgotten();
    await relay.settleForgotten();
    expect(charged()).toMatchObject([{ promptTokens: 100, completionTokens: 40, quota: 260 }]);
    expect(relay.billing.retained.size).toBe(0);
  });

  test("that an upstream does not stream is reported as begun, and charged when it is over", async () => {
    const { id, state, relay, client, charged } = start([message], {
      channel: { setting: { stream_support: "NON_STREAM_ONLY" } },
    });
    const stream = await client.responses.create({ model: "gpt-5", input: "Hi", background: true, stream: true });
    expect((await Array.fromAsync(stream)).map(({ type }) => type)).toEqual(["response.created"]);
    expect(relay.billing.retained.get(id)).toBeGreaterThan(0);
    state.status = "completed";
    expect((await client.responses.retrieve(id)).output_text).toBe("Hi");
    expect(charged()).toMatchObject([{ quota: 260 }]);
  });

  test("is refused where nobody could ask for it", async () => {
    const { create, upstream } = start();
    expect(await failureOf(create({ store: false }))).toMatchObject({ status: 400, param: "store" });
    expect(upstream.received).toEqual([]);
  });

  test("that is over at once is charged at once", async () => {
    const { state, create, relay, id } = start();
    state.status = "completed";
    expect((await create()).status).toBe("completed");
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 100, completionTokens: 40, quota: 260 });
    expect(relay.billing.retained.has(id)).toBe(false);
  });
});
