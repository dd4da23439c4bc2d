/** What is in memory of keys, users, channels and options never gets less because a connection was cut. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import type { Changes } from "../../db/changes.ts";
import { users } from "../../db/schema/accounts/users.ts";
import { tokens } from "../../db/schema/api-keys.ts";
import { channels } from "../../db/schema/channels/channels.ts";
import { options } from "../../db/schema/settings.ts";
import { openServer } from "../../db/server/open-server.ts";
import { createUserDirectory } from "../../src/domain/accounts/directory.ts";
import { createApiKeyDirectory } from "../../src/domain/api-keys/directory/index.ts";
import { createChannelDirectory } from "../../src/domain/channels/directory.ts";
import { createLogger } from "../../src/lib/runtime/log.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { createSettings } from "../../src/settings/settings.ts";
import { NO_CHANGES } from "../support/billing/no-changes.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const ROWS = 6000;
const CHANNELS = 1200;
const ROUNDS = 25;
const MOST_BYTES = 900_000;
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const vault = createVault({ encryptionKey: "k".repeat(32) });

/** A way to the server on which each connection ends after some of the server's bytes, if `cuts`. */
async function startCutter(url: string) {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const state = { cuts: false, count: 0 };
  // A fixed sequence that looks like chance.
  let seed = 17;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let left = random(MOST_BYTES);
    const end = () => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    client.on("data", (bytes) => upstream.write(bytes)).on("error", end);
    client.on("close", end);
    upstream.on("error", end).on("close", end);
    upstream.on("data", (bytes: Buffer) => {
      if (!state.cuts) return void client.write(bytes);
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      state.count += 1;
      end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cut = new URL(url);
  cut.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const stop = () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return { url: cut.href, state, stop };
}

describe.skipIf(!process.env.TEST_DATABASE_URL)("cut connections", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const ids = Array.from({ length: ROWS }, (_, at) => at + 1);
    for (let from = 0; from < ROWS; from += 1000) {
      const page = ids.slice(from, from + 1000);
      await db.insert(users).values(page.map((id) => ({ username: `user-${id}`, affCode: `a${id}`, createdAt: 1 })));
      await db.insert(tokens).values(
        page.map((id) => ({
          userId: 1,
          name: "k",
          keyHash: vault.keyedHash(String(id)),
          keyCipher: "c",
          createdTime: 1,
        })),
      );
    }
    const models = Array.from({ length: 40 }, (_, at) => `model-${at}`);
    const channel = {
      type: 1,
      name: "c",
      keyCipher: vault.encrypt("key"),
      models,
      groups: ["default"],
      createdTime: 1,
    };
    await db.insert(channels).values(Array.from({ length: CHANNELS }, () => channel));
    const ratios = JSON.stringify(Object.fromEntries(ids.map((id) => [`model-${id}`, 1])));
    await db.insert(options).values({ key: "ModelRatio", value: ratios });
  }, 120_000);
  afterAll(() => database?.close());

  test("in the middle of a reading remove nothing", async () => {
    const cutter = await startCutter(database.url ?? "");
    const server = await openServer(cutter.url, 3);
    const gaps: (() => void | Promise<void>)[] = [];
    const changes: Changes = {
      ...NO_CHANGES,
      onGap: (handler) => {
        gaps.push(handler);
        return () => {};
      },
    };
    const deps = { db: server.db, changes, vault, log };
    const [keys, people, all, settings] = await Promise.all([
      createApiKeyDirectory(deps),
      createUserDirectory(deps),
      createChannelDirectory(deps),
      createSettings(deps),
    ]);
    const sizes = () => [
      [...keys.rows()].length,
      [...people.rows()].length,
      [...all.all()].length,
      settings.get("ModelRatio").size,
    ];
    const full = sizes();
    expect(full).toEqual([ROWS, ROWS, CHANNELS, expect.any(Number)]);
    const seen = new Set<string>();
    const watch = setInterval(() => seen.add(String(sizes())), 5);
    cutter.state.cuts = true;
    for (let round = 0; round < ROUNDS; round += 1) await Promise.all(gaps.map((reread) => reread()));
    clearInterval(watch);
    expect(cutter.state.count).toBeGreaterThan(ROUNDS);
    expect([...seen, String(sizes())]).toEqual(expect.arrayContaining([String(full)]));
    expect(new Set([...seen, String(sizes())]).size).toBe(1);
    for (const { close } of [keys, people, all, settings]) close();
    cutter.stop();
    await server.close();
  }, 120_000);
});
