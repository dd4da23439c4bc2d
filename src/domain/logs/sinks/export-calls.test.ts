import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { usageSinks } from "../../../../db/schema/logs/sinks.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createResolve } from "../../../lib/outbound/resolve.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { writeLog } from "../write-log.ts";
import { exportCalls } from "./export-calls.ts";
import type { ExportedCall } from "./sink-type.ts";
import { addSink, changeSink, deleteSink, listSinks } from "./sinks.ts";

const POLICY = createAddressPolicy(true);
const vault = createVault({ encryptionKey: "the key of these tests" });
const CONFIG = { secret: `whsec_${btoa("s".repeat(32))}` };

let database: TestDatabase;
let receiver: Bun.Server<undefined>;
/** What the receiver has accepted. */
let accepted: { id: string; calls: ExportedCall[] }[] = [];
let status = 200;
beforeAll(async () => {
  database = await openTestDatabase();
  receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { data } = (await request.json()) as { data: ExportedCall[] };
      if (status === 200) accepted.push({ id: request.headers.get("webhook-id") ?? "", calls: data });
      return new Response("", { status });
    },
  });
});
afterAll(async () => {
  receiver.stop(true);
  await database.close();
});
beforeEach(async () => {
  accepted = [];
  status = 200;
  await database.db.delete(usageSinks);
});

const deps = () => ({
  ...{ db: database.db, vault, log: createLogger({ logLevel: "silent", logFormat: "json" }) },
  ...{ fetch: createSafeFetch(POLICY), resolve: createResolve(POLICY) },
});
const add = (name: string, path = "", fromStart = false) =>
  addSink(
    { db: database.db, vault },
    {
      ...{ type: "webhook", name, enabled: true, from_start: fromStart },
      config: { ...CONFIG, url: `http://127.0.0.1:${receiver.port}/${path}` },
    },
    "en",
  );
const run = (changed: Partial<ReturnType<typeof deps>> = {}) =>
  exportCalls({ ...deps(), ...changed }, new AbortController().signal);
/** Tries at once what waits for a retry. */
const runAgain = async () => {
  await database.db.update(usageSinks).set({ nextAt: 0 });
  await run();
};
const write = async (count: number, values = {}) => {
  const records = Array.from({ length: count }, () => callRecord(values));
  await writeCalls(database, records);
  return records.map(({ requestId }) => requestId);
};
const received = () => accepted.flatMap(({ calls }) => calls.map(({ id }) => id));
const view = async () => (await listSinks({ db: database.db, vault }, "en"))[0];

test("a destination gets the calls from when it was added on, in order and without other events", async () => {
  await write(3);
  await add("new");
  const other = { request_id: "r", frt: 80, status: 200, cache_tokens: 4, tags: ["team-a", "job"] };
  const ids = await write(2, { other, quota: 0 });
  await writeLog(database.db, { type: 4, userId: 0, content: "no call" });
  ids.push(...(await write(1, { createdAt: 1_700_000_000 })));
  await run();
  expect(received()).toEqual(ids);
  expect(accepted[0]?.calls[0]).toMatchObject({ first_token_ms: 80, status: 200, cached_tokens: 4, request_id: "r" });
  expect(accepted.flatMap(({ calls }) => calls.map(({ tags }) => tags.join()))).toEqual([
    "team-a,job",
    "team-a,job",
    "",
  ]);
  expect(await view()).toMatchObject({ exported: 3, waiting: 0, lag_seconds: 0, failures: 0 });
  await run();
  expect(received()).toEqual(ids);
});

test("one that starts with the log gets all of it, in batches of a bounded size", async () => {
  const rows = await database.sql<{ id: string }[]>`select request_id as id from logs where type = 2`;
  await write(1100);
  await add("whole", "", true);
  await run();
  expect(received()).toHaveLength(rows.length + 1100);
  expect(new Set(received()).size).toBe(rows.length + 1100);
  expect(Math.max(...accepted.map(({ calls }) => calls.length))).toBe(500);
});

test("an outage loses nothing: calls wait in the log, retries are spaced, and what follows arrives in order", async () => {
  await add("away");
  status = 503;
  const ids = await write(4);
  await run();
  expect(await view()).toMatchObject({ exported: 0, waiting: 4, failures: 1, last_error: "HTTP 503" });
  ids.push(...(await write(3)));
  // Not before the time of the next attempt.
  await run();
  expect(await view()).toMatchObject({ failures: 1, waiting: 7 });
  await runAgain();
  expect(await view()).toMatchObject({ failures: 2 });
  status = 200;
  await runAgain();
  expect(received()).toEqual(ids);
  expect(await view()).toMatchObject({ exported: 7, waiting: 0, failures: 0, last_error: "", retry_at: 0 });
});

test("a process that dies between delivery and its note delivers again, under the same ids", async () => {
  await add("twice");
  const ids = await write(3);
  const dying = new Proxy(database.db, {
    get: (db, name, receiver) => {
      if (name === "update") throw new Error("killed");
      return Reflect.get(db, name, receiver);
    },
  });
  await expect(run({ db: dying })).rejects.toThrow("killed");
  expect(received()).toEqual(ids);
  await run();
  expect(received()).toEqual([...ids, ...ids]);
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
});

test("calls that are written while others are exported are missed by no run", async () => {
  await add("busy");
  const written: string[] = [];
  await Promise.all([
    ...Array.from({ length: 8 }, async () => {
      for (let batch = 0; batch < 5; batch += 1) written.push(...(await write(7)));
    }),
    (async () => {
      for (let count = 0; count < 10; count += 1) await run();
    })(),
  ]);
  await run();
  expect(received().toSorted()).toEqual(written.toSorted());
});

test("a paused destination gets what it missed when it is resumed; a deleted one gets nothing", async () => {
  const { id, name } = await add("paused");
  const change = (enabled: boolean) => changeSink({ db: database.db, vault }, id, { name, enabled, config: {} }, "en");
  await change(false);
  const ids = await write(2);
  await run();
  expect(received()).toEqual([]);
  await change(true);
  await run();
  expect(received()).toEqual(ids);
  await deleteSink({ db: database.db, vault }, id, "en");
  await write(1);
  await run();
  expect(received()).toEqual(ids);
});

test("one destination that fails holds up no other", async () => {
  const away = await add("away");
  await database.db
    .update(usageSinks)
    .set({ configCipher: createVault({ encryptionKey: "another key" }).encrypt("{}") })
    .where(eq(usageSinks.id, away.id));
  await add("here");
  const ids = await write(2);
  await run();
  expect(received()).toEqual(ids);
  expect(await view()).toMatchObject({ failures: 1, target: "", last_error: expect.stringContaining("another key") });
});
