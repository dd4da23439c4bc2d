import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import pino from "pino";
import { users } from "../../../../db/schema/accounts/users.ts";
import { storedResponses } from "../../../../db/schema/channels/objects.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { createResponseStore } from "./store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  for (const id of [1, 2]) {
    await database.db.insert(users).values({ id, username: `user${id}`, affCode: `aff${id}`, createdAt: 0 });
  }
});
afterAll(() => database.close());
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const log = pino({ level: "silent" });
const vault = createVault({ encryptionKey: "a key of this test, long enough" });
const rowOf = async (id: string) =>
  (await database.db.select().from(storedResponses).where(eq(storedResponses.id, id)))[0];
const storedResponse = (id: string, rest: object = {}) => ({
  ...{ id, userId: 1, channelId: 3, keyHash: "h", isNative: false },
  ...{ turns: [{ role: "user" as const, parts: [] }], body: { id }, createdAt: 1_000, expiresAt: 2_000, ...rest },
});

/** The SDK's promises send nothing until they are awaited. */
const failureOf = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("stored responses", () => {
  test("are found by their owner, immediately and by every process, until they expire", async () => {
    const store = createResponseStore(database.db, log, vault);
    store.keep(storedResponse("resp_found"));
    const later = createResponseStore(database.db, log, vault);
    for (const isWritten of [false, true]) {
      if (isWritten) await until(() => rowOf("resp_found"));
      expect(await store.find("resp_found", 1, 1_999)).toEqual(storedResponse("resp_found"));
      expect(await store.find("resp_found", 2, 1_999)).toBeNull();
    }
    expect(await later.find("resp_found", 1, 1_999)).toEqual(storedResponse("resp_found"));
    expect(await later.find("resp_found", 2, 1_999)).toBeNull();
    expect(await later.find("resp_found", 1, 2_000)).toBeNull();
  });

  test("are read several at a time, by their owner only, immediately and until they expire", async () => {
    const store = createResponseStore(database.db, log, vault);
    store.keep(storedResponse("resp_a'b"));
    store.keep(storedResponse("resp_other", { userId: 2 }));
    const ids = ["resp_a'b", "resp_other", "resp_unknown"];
    const namesOf = async (from: typeof store, now: number) => [...(await from.bodies(ids, 1, now)).keys()];
    expect(await namesOf(store, 1_999)).toEqual(["resp_a'b"]);
    await until(() => rowOf("resp_a'b"));
    await until(() => rowOf("resp_other"));
    const later = createResponseStore(database.db, log, vault);
    expect(await later.bodies(ids, 1, 1_999)).toEqual(new Map([["resp_a'b", { id: "resp_a'b" }]]));
    expect(await namesOf(later, 2_000)).toEqual([]);
  });

  test("are deleted by their owner only, even while they are being written", async () => {
    const store = createResponseStore(database.db, log, vault);
    store.keep(storedResponse("resp_removed"));
    await store.remove("resp_removed", 2);
    expect(await store.find("resp_removed", 1, 1_500)).not.toBeNull();
    await store.remove("resp_removed", 1);
    expect(await rowOf("resp_removed")).toBeUndefined();
    store.keep(storedResponse("resp_at_once"));
    await store.remove("resp_at_once", 1);
    expect([await store.find("resp_at_once", 1, 1_500), await rowOf("resp_at_once")]).toEqual([null, undefined]);
  });

  test("are deleted once they have expired", async () => {
    const store = createResponseStore(database.db, log, vault);
    store.keep(storedResponse("resp_old", { expiresAt: 1_200 }));
    store.keep(storedResponse("resp_new", { expiresAt: 9_000 }));
    await until(async () => (await rowOf("resp_old")) && (await rowOf("resp_new")));
    await store.sweep(1_201);
    expect([await rowOf("resp_old"), (await rowOf("resp_new"))?.id]).toEqual([undefined, "resp_new"]);
  });
});

describe("a conversation by reference, on an upstream that stores none", () => {
  const upstream = startUpstream(({ path }) =>
    path.endsWith("/responses") ? new Response("no", { status: 404 }) : Response.json(chatReply()),
  );
  afterAll(() => upstream.stop());
  /** Another gateway on the same database, as after a restart. */
  const start = (userId: number, hours = "2") => {
    const relay = startRelay({
      channels: [{ id: 7, baseUrl: upstream.url, models: ["m"] }],
      user: { id: userId },
      tokens: { test: { userId } },
      responses: createResponseStore(database.db, log, vault),
      options: { ModelRatio: '{"m": 1}', "responses.keep_hours": hours },
    });
    stops.push(relay.stop);
    return new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  };

  test.each([false, true])("continues after a restart, for its owner only (streamed: %p)", async (streamed) => {
    const say = (client: OpenAI, input: string, previous?: string) => {
      const params = { model: "m", input, ...(previous && { previous_response_id: previous }) };
      return streamed ? client.responses.stream(params).finalResponse() : client.responses.create(params);
    };
    const first = await say(start(1), "My name is Ada.");
    await until(() => rowOf(first.id));
    const second = await say(start(1), "What is my name?", first.id);
    const { messages } = JSON.parse(upstream.received.at(-1)?.text ?? "") as { messages: { content: string }[] };
    expect(messages.map(({ content }) => content)).toEqual(["My name is Ada.", "Hello there", "What is my name?"]);
    await until(() => rowOf(second.id));
    await say(start(1), "And mine?", second.id);
    const third = JSON.parse(upstream.received.at(-1)?.text ?? "") as { messages: { content: string }[] };
    expect(third.messages.map(({ content }) => content)).toEqual([
      ...["My name is Ada.", "Hello there", "What is my name?", "Hello there", "And mine?"],
    ]);
    expect((await start(1).responses.retrieve(second.id)).usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });

    const otherAccount = start(2);
    const count = upstream.received.length;
    const goOn = otherAccount.responses.create({ model: "m", input: "Who?", previous_response_id: first.id });
    expect(await failureOf(goOn)).toMatchObject({ status: 400, code: "previous_response_not_found" });
    for (const look of [
      () => otherAccount.responses.retrieve(first.id),
      () => otherAccount.responses.inputItems.list(first.id),
      () => otherAccount.responses.cancel(first.id),
      () => otherAccount.responses.delete(first.id),
    ]) {
      expect(await failureOf(look())).toMatchObject({ status: 404 });
    }
    expect(upstream.received).toHaveLength(count);
    expect(await rowOf(first.id)).toBeDefined();
  });

  test("that is too long to store is reported as such when referenced, and continues if the client sends it", async () => {
    const client = start(1);
    const input = "word ".repeat(410_000);
    const { id } = await client.responses.create({ model: "m", input });
    await until(() => rowOf(id));
    for (const account of [client, start(1)]) {
      const goOn = account.responses.create({ model: "m", input: "And?", previous_response_id: id });
      expect(await failureOf(goOn)).toMatchObject({ status: 400, code: "previous_response_too_long" });
      expect((await account.responses.retrieve(id)).output_text).toBe("Hello there");
      expect(await failureOf(account.responses.inputItems.list(id))).toMatchObject({ status: 400 });
    }
    expect((await rowOf(id))?.turns).toBe("[]");
  });

  test("is stored as long as the site says", async () => {
    for (const hours of ["1", "720"]) {
      const { id } = await start(1, hours).responses.create({ model: "m", input: "Hello" });
      const row = await until(() => rowOf(id));
      expect((row?.expiresAt ?? 0) - (row?.createdAt ?? 0)).toBe(Number(hours) * 3_600);
    }
  });
});
