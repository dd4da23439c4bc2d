import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { users } from "../../../db/schema/accounts/users.ts";
import { createObjectStore } from "../../../src/gateway/state/objects/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startCollections } from "../../support/gateway/files/fake-collections.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

/** Conversations, vector stores and containers by OpenAI's own client: who reaches them, on which channel, at what price. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  for (const id of [1, 2, 3, 4]) {
    await database.db.insert(users).values({ id, username: `user${id}`, affCode: `aff${id}`, createdAt: 0 });
  }
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

let upstreams = 0;
function startUpstream() {
  upstreams += 1;
  const upstream = startCollections(`u${upstreams}x`);
  stops.push(upstream.stop);
  return upstream;
}

/** The client of a user of a gateway with these channels. */
function start(
  channels: Parameters<typeof startRelay>[0]["channels"],
  userId = 1,
  setup: Partial<Parameters<typeof startRelay>[0]> = {},
) {
  const relay = startRelay({
    channels: channels.map((channel) => ({ models: ["gpt-4o"], ...channel })),
    objects: createObjectStore(database.db),
    user: { id: userId },
    tokens: { test: { userId } },
    ...setup,
    options: {
      ModelRatio: '{"gpt-4o": 1}',
      CompletionRatio: '{"gpt-4o": 1}',
      ToolPrice: '{"file_search": 0.0025, "code_interpreter": 0.03}',
      GroupRatio: '{"default": 2}',
      ...setup.options,
    },
  });
  stops.push(relay.stop);
  return { relay, client: new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { status?: number; code?: string },
  );
/** The client's requests begin at once, so all of them are waited for together. */
async function expectFailures(works: readonly PromiseLike<unknown>[], failure: object) {
  for (const one of await Promise.all(works.map(failureOf))) expect(one).toMatchObject(failure);
}
const NOT_FOUND = { status: 404, code: "not_found" };
const upload = async (client: OpenAI, text = "hello") =>
  (await client.files.create({ file: await toFile(Buffer.from(text), "a.txt"), purpose: "user_data" })).id;
const hi = [{ type: "message" as const, role: "user" as const, content: "hi" }];
const charges = ({ relay }: ReturnType<typeof start>) =>
  relay.billing.records.map(({ modelName, quota, content }) => [modelName, quota, content]);

describe("conversations", () => {
  test("live at the channel and key that made them, with their items", async () => {
    const upstream = startUpstream();
    const { client, relay } = start([{ baseUrl: upstream.url, keys: ["key-1", "key-2"] }]);
    const made = await client.conversations.create({ items: hi, metadata: { topic: "a" } });
    // Keys take turns; each conversation is requested with its own.
    const second = await client.conversations.create();
    for (const { id } of [made, second, made]) expect((await client.conversations.retrieve(id)).id).toBe(id);
    expect((await client.conversations.update(made.id, { metadata: { topic: "b" } })).metadata).toEqual({ topic: "b" });
    const added = await client.conversations.items.create(made.id, { items: hi });
    const id = added.data[0]?.id ?? "";
    expect((await client.conversations.items.list(made.id, { limit: 5 })).data).toHaveLength(2);
    expect(upstream.requests).toContain(`GET /v1/conversations/${made.id}/items?limit=5`);
    expect(await client.conversations.items.retrieve(id, { conversation_id: made.id })).toMatchObject({ id });
    expect((await client.conversations.items.delete(id, { conversation_id: made.id })).id).toBe(made.id);
    expect(await client.conversations.delete(made.id)).toMatchObject({ deleted: true });
    expect(await failureOf(client.conversations.retrieve(made.id))).toMatchObject(NOT_FOUND);
    expect(relay.billing.records).toEqual([]);
  });

  test("are unknown to other users, also in their requests", async () => {
    const upstream = startUpstream();
    const { client } = start([{ baseUrl: upstream.url }]);
    const { id } = await client.conversations.create({ items: hi });
    const { client: other } = start([{ baseUrl: upstream.url }], 2);
    const before = upstream.requests.length;
    await expectFailures(
      [
        other.conversations.retrieve(id),
        other.conversations.update(id, { metadata: {} }),
        other.conversations.delete(id),
        other.conversations.items.list(id),
        other.conversations.items.create(id, { items: hi }),
        other.responses.create({ model: "gpt-4o", input: "hi", conversation: id }),
        other.responses.create({ model: "gpt-4o", input: "hi", conversation: { id } }),
      ],
      NOT_FOUND,
    );
    expect(upstream.requests.length).toBe(before);
  });

  test("route a response to their channel, whatever the others' priority, and nowhere else when it fails", async () => {
    const [first, second] = [startUpstream(), startUpstream()];
    const { client } = start([{ baseUrl: first.url }]);
    const { id } = await client.conversations.create();
    const channels = [
      { baseUrl: first.url, priority: 0 },
      { baseUrl: second.url, priority: 10 },
    ];
    const { client: both } = start(channels);
    for (let at = 0; at < 3; at += 1)
      await both.responses.create({ model: "gpt-4o", input: "hi", conversation: { id } });
    expect([first.received.length, second.received.length]).toEqual([3, 0]);
    first.expire(id);
    expect(await failureOf(both.responses.create({ model: "gpt-4o", input: "hi", conversation: id }))).toMatchObject({
      status: 404,
    });
    expect(second.received).toEqual([]);
  });

  test("need a channel that serves the model, and objects of one channel", async () => {
    const [first, second] = [startUpstream(), startUpstream()];
    const { client: one } = start([{ baseUrl: first.url }]);
    const { id } = await one.conversations.create();
    const apart = [
      { baseUrl: first.url, models: ["gpt-4o-mini"] },
      { baseUrl: second.url, models: ["gpt-4o"] },
    ];
    const { client } = start(apart);
    const refused = client.responses.create({ model: "gpt-4o", input: "hi", conversation: id });
    expect(await failureOf(refused)).toMatchObject({
      status: 400,
      message: expect.stringContaining(`The channel that stores “${id}” does not serve the model “gpt-4o” to you.`),
    });
    const { client: off } = start([{ baseUrl: first.url, status: 2 }, { baseUrl: second.url }]);
    expect(await failureOf(off.conversations.retrieve(id))).toMatchObject({ status: 503, code: "channel_unavailable" });
    expect(await failureOf(off.responses.create({ model: "gpt-4o", input: "hi", conversation: id }))).toMatchObject({
      status: 503,
    });
  });

  test("cannot smuggle blocked words into later prompts", async () => {
    const upstream = startUpstream();
    const { client } = start([{ baseUrl: upstream.url }], 1, {
      options: {
        CheckSensitiveEnabled: "true",
        CheckSensitiveOnPromptEnabled: "true",
        SensitiveWords: "forbidden",
      },
    });
    const items = [{ type: "message" as const, role: "user" as const, content: "a Forbidden thing" }];
    const { id } = await client.conversations.create();
    await expectFailures([client.conversations.create({ items }), client.conversations.items.create(id, { items })], {
      status: 400,
      code: "sensitive_words_detected",
    });
  });
});

describe("vector stores", () => {
  test("hold their owner's files, and each search is charged once", async () => {
    const upstream = startUpstream();
    const gateway = start([{ baseUrl: upstream.url, keys: ["key-1", "key-2"] }]);
    const { client, relay } = gateway;
    const [file, second] = [await upload(client), await upload(client)];
    const store = await client.vectorStores.create({ name: "docs", file_ids: [file] });
    expect(await client.vectorStores.files.create(store.id, { file_id: file })).toMatchObject({ id: file });
    // It lives at the other key.
    expect(await failureOf(client.vectorStores.files.create(store.id, { file_id: second }))).toMatchObject({
      status: 400,
    });
    const inStore = { vector_store_id: store.id };
    expect((await client.vectorStores.files.list(store.id)).data).toHaveLength(1);
    expect(await client.vectorStores.files.update(file, { ...inStore, attributes: { a: 1 } })).toMatchObject({
      attributes: { a: 1 },
    });
    expect(await client.vectorStores.files.retrieve(file, inStore)).toMatchObject({ id: file });
    const batch = await client.vectorStores.fileBatches.create(store.id, { file_ids: [file] });
    expect(await client.vectorStores.fileBatches.retrieve(batch.id, inStore)).toMatchObject({ id: batch.id });
    expect(await client.vectorStores.fileBatches.cancel(batch.id, inStore)).toMatchObject({ status: "cancelled" });
    await client.vectorStores.fileBatches.listFiles(batch.id, inStore);
    expect(await client.vectorStores.update(store.id, { name: "other" })).toMatchObject({ name: "other" });
    expect(await client.vectorStores.files.delete(file, inStore)).toMatchObject({ deleted: true });
    expect(charges(gateway)).toEqual([]);
    expect((await client.vectorStores.search(store.id, { query: "hello" })).data).toHaveLength(1);
    await client.vectorStores.search(store.id, { query: ["a", "b"] });
    // $0.0025 × 500,000 × group 2 a query.
    expect(charges(gateway)).toEqual([
      ["file_search", 2_500, `Search in ${store.id}`],
      ["file_search", 5_000, `Search in ${store.id}`],
    ]);
    expect(relay.billing.openHolds).toBe(0);
    upstream.expire(store.id);
    expect(await failureOf(client.vectorStores.search(store.id, { query: "hello" }))).toMatchObject({ status: 404 });
    relay.billing.available = 2_000;
    expect(await failureOf(client.vectorStores.search(store.id, { query: "hello" }))).toMatchObject({
      status: 429,
      code: "insufficient_quota",
    });
    expect([charges(gateway).length, relay.billing.openHolds]).toEqual([2, 0]);
  });

  test("list only the user's own, page by page, without those that the upstream has dropped", async () => {
    const upstream = startUpstream();
    const { client } = start([{ baseUrl: upstream.url }], 3);
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift((await client.vectorStores.create({ name })).id);
    const page = await client.vectorStores.list({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual(ids.slice(2));
    const back = await client.vectorStores.list({ before: ids[2] ?? "", limit: 1 });
    expect(back.data.map(({ id }) => id)).toEqual(ids.slice(1, 2));
    upstream.expire(ids[1] ?? "");
    expect((await client.vectorStores.list()).data.map(({ id }) => id)).toEqual([ids[0], ids[2]] as string[]);
    const { client: other } = start([{ baseUrl: upstream.url }], 2);
    expect((await other.vectorStores.list()).data).toEqual([]);
  });

  test("and files of other users are unknown, in every place that can name them", async () => {
    const upstream = startUpstream();
    const { client } = start([{ baseUrl: upstream.url }]);
    const file = await upload(client);
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const { client: other } = start([{ baseUrl: upstream.url }], 2);
    const own = await other.vectorStores.create({});
    const container = await other.containers.create({ name: "c" });
    const before = upstream.requests.length;
    const model = "gpt-4o";
    const input = [{ role: "user" as const, content: [{ type: "input_file" as const, file_id: file }] }];
    await expectFailures(
      [
        other.vectorStores.retrieve(id),
        other.vectorStores.delete(id),
        other.vectorStores.search(id, { query: "hello" }),
        other.vectorStores.files.list(id),
        other.vectorStores.files.content(file, { vector_store_id: id }),
        other.vectorStores.create({ file_ids: [file] }),
        other.vectorStores.create({ file_ids: ["file-unknown"] }),
        other.vectorStores.files.create(own.id, { file_id: file }),
        other.vectorStores.fileBatches.create(own.id, { files: [{ file_id: file }] }),
        other.containers.create({ name: "c", file_ids: [file] }),
        other.containers.files.create(container.id, { file_id: file }),
        other.conversations.create({ items: input.map((item) => ({ type: "message" as const, ...item })) }),
        other.responses.create({
          model,
          input: "hi",
          tools: [{ type: "file_search", vector_store_ids: [own.id, id] }],
        }),
        other.responses.create({ model, input }),
        other.responses.create({
          model,
          input: "hi",
          tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [file] } }],
        }),
        other.chat.completions.create({
          model,
          messages: [{ role: "user", content: [{ type: "file", file: { file_id: file } }] }],
        }),
      ],
      NOT_FOUND,
    );
    expect(upstream.requests.length).toBe(before);
  });

  test("route a response with file search to their channel", async () => {
    const [first, second] = [startUpstream(), startUpstream()];
    const { client: one } = start([{ baseUrl: first.url }]);
    const { id } = await one.vectorStores.create({});
    const gateway = start([{ baseUrl: first.url }, { baseUrl: second.url, priority: 10 }]);
    const { client } = gateway;
    const tools = [{ type: "file_search" as const, vector_store_ids: [id] }];
    const response = await client.responses.create({ model: "gpt-4o", input: "hi", tools });
    expect([first.received.length, second.received.length]).toEqual([1, 0]);
    // 15 tokens and a search, both twice for the group.
    expect(charges(gateway).map(([model, quota]) => [model, quota])).toEqual([["gpt-4o", 2 * (15 + 1_250)]]);
    expect(response.output_text).toBe("Hi");
    // Ids that the gateway does not know are the provider's matter.
    const unknown = [{ type: "file_search" as const, vector_store_ids: ["vs_operator"] }];
    await failureOf(client.responses.create({ model: "gpt-4o", input: "hi", tools: unknown }));
    expect(second.received.at(-1)?.tools).toEqual(unknown);
  });
});

describe("containers", () => {
  test("are charged by memory when they are created, and give back the bytes of their files", async () => {
    const upstream = startUpstream();
    const gateway = start([{ baseUrl: upstream.url }]);
    const { client, relay } = gateway;
    const small = await client.containers.create({ name: "small" });
    const big = await client.containers.create({ name: "big", memory_limit: "4g" });
    // $0.03 × 500,000 × group 2 a gigabyte.
    expect(charges(gateway)).toEqual([
      ["code_interpreter", 30_000, `Container ${small.id}, 1 GB`],
      ["code_interpreter", 120_000, `Container ${big.id}, 4 GB`],
    ]);
    const bytes = crypto.getRandomValues(new Uint8Array(65_536 * 8));
    const file = await client.containers.files.create(big.id, { file: await toFile(bytes, "data.bin") });
    expect(file.bytes).toBe(bytes.length);
    const content = await client.containers.files.content.retrieve(file.id, { container_id: big.id });
    expect(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    const copied = await client.containers.files.create(big.id, { file_id: await upload(client) });
    expect((await client.containers.files.list(big.id)).data).toHaveLength(2);
    await client.containers.files.delete(copied.id, { container_id: big.id });
    expect((await client.containers.list({ name: "big" })).data.map(({ id }) => id)).toEqual([big.id]);
    await client.containers.delete(small.id);
    expect((await client.containers.list()).data.map(({ id }) => id)).toEqual([big.id]);
    expect(upstream.has(small.id)).toBe(false);
    expect([charges(gateway).length, relay.billing.openHolds]).toEqual([2, 0]);
    const { client: other } = start([{ baseUrl: upstream.url }], 2);
    await expectFailures(
      [
        other.containers.retrieve(big.id),
        other.containers.files.list(big.id),
        other.containers.files.content.retrieve(file.id, { container_id: big.id }),
        other.responses.create({
          model: "gpt-4o",
          input: "hi",
          tools: [{ type: "code_interpreter", container: big.id }],
        }),
      ],
      NOT_FOUND,
    );
    expect((await other.containers.list()).data).toEqual([]);
  });

  test("that a response created belong to its user, and are paid for once in 20 minutes", async () => {
    const upstream = startUpstream();
    const gateway = start([{ baseUrl: upstream.url }]);
    const { client, relay } = gateway;
    const ask = (container: string | { type: "auto"; memory_limit?: "4g" }, stream = false) => {
      const tools = [{ type: "code_interpreter" as const, container }];
      return client.responses.create({ model: "gpt-4o", input: "hi", tools, stream: stream as false });
    };
    const { output } = await ask({ type: "auto", memory_limit: "4g" });
    const [call] = output.flatMap((item) => (item.type === "code_interpreter_call" ? [item] : []));
    const id = call?.container_id ?? "";
    expect((await client.containers.list()).data.map((one) => one.id)).toContain(id);
    await client.containers.files.create(id, { file: await toFile(Buffer.from("x"), "x.txt") });
    await Promise.all([ask(id), ask(id), ask(id)]);
    const own = await client.containers.create({ name: "own" });
    await ask(own.id);
    // 15 tokens at group 2, and a container of $0.03 a gigabyte at group 2.
    const quotas = () => charges(gateway).map(([model, quota]) => [model, quota]);
    expect(quotas()).toEqual([
      ["gpt-4o", 30 + 120_000],
      ["gpt-4o", 30],
      ["gpt-4o", 30],
      ["gpt-4o", 30],
      ["code_interpreter", 30_000],
      ["gpt-4o", 30],
    ]);
    await database.sql`update upstream_objects set settled_at = settled_at - 1200 where id in (${id}, ${own.id})`;
    // Of simultaneous responses one pays.
    await Promise.all([ask(id), ask(id), ask(own.id)]);
    expect(
      quotas()
        .slice(6)
        .map(([, quota]) => quota)
        .sort(),
    ).toEqual([30, 30_030, 30_030]);
    const { client: other } = start([{ baseUrl: upstream.url }], 2);
    expect(await failureOf(other.containers.files.list(id))).toMatchObject(NOT_FOUND);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("that are refused, by the upstream or for lack of quota, cost nothing", async () => {
    const upstream = startUpstream();
    const gateway = start([{ baseUrl: upstream.url }]);
    const { client, relay } = gateway;
    const failing = client.containers.create({ name: "a", memory_limit: "much" as "4g" });
    expect(await failureOf(failing)).toMatchObject({ status: 400, param: "memory_limit" });
    upstream.stop();
    expect(await failureOf(client.containers.create({ name: "a" }))).toMatchObject({ status: 502 });
    relay.billing.available = 119_999;
    expect(await failureOf(client.containers.create({ name: "a", memory_limit: "4g" }))).toMatchObject({ status: 429 });
    expect([charges(gateway), relay.billing.openHolds]).toEqual([[], 0]);
  });

  test("are charged once when the client leaves before the answer", async () => {
    const upstream = startUpstream();
    const gateway = start([{ baseUrl: upstream.url }], 4);
    const arrived = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    upstream.hold(async () => {
      arrived.resolve();
      await release.promise;
    });
    const controller = new AbortController();
    const leaving = failureOf(gateway.client.containers.create({ name: "a" }, { signal: controller.signal }));
    await arrived.promise;
    controller.abort();
    await leaving;
    release.resolve();
    expect((await gateway.relay.billing.nextRecord()).quota).toBe(30_000);
    expect(gateway.relay.billing.openHolds).toBe(0);
    upstream.hold(async () => {});
    const { data } = await gateway.client.containers.list();
    expect(data.map(({ name }) => name)).toEqual(["a"]);
  });

  test("take no file whose upload was cut off", async () => {
    const upstream = startUpstream();
    const { client, relay } = start([{ baseUrl: upstream.url }]);
    const { id } = await client.containers.create({ name: "a" });
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of the fi';
    const refused = await fetch(`${relay.url}/v1/containers/${id}/files`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test", "content-type": "multipart/form-data; boundary=b" },
      body: head,
    });
    expect(refused.status).toBe(400);
    expect(upstream.requests.filter((ask) => ask.startsWith(`POST /v1/containers/${id}`))).toEqual([]);
    expect((await client.containers.files.list(id)).data).toEqual([]);
  });
});

test("where no channel offers them, the answer is 501; OpenAI itself is preferred to servers that may", async () => {
  const { client } = start([{ type: 14, baseUrl: "http://127.0.0.1:1" }]);
  await expectFailures(
    [client.conversations.create(), client.vectorStores.create({}), client.containers.create({ name: "a" })],
    { status: 501, code: "api_not_implemented" },
  );
  const azure = startUpstream();
  const { client: both } = start([
    { baseUrl: "http://127.0.0.1:1", priority: 10 },
    { type: 3, baseUrl: azure.url, other: "v1" },
  ]);
  await failureOf(both.conversations.create());
  expect(azure.requests).toEqual(["POST /openai/v1/conversations"]);
});
