import { afterAll, beforeAll, expect, test } from "bun:test";
import { drawingTasks } from "../../db/schema/tasks.ts";
import { openTestDatabase, type TestDatabase } from "../../db/testing.ts";
import { addUser } from "../billing/testing.ts";
import { createVault } from "../lib/crypto.ts";
import { createLogger } from "../lib/log.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { channelEntry } from "../relay/testing/entries.ts";
import { fixedSettings } from "../settings/testing.ts";
import { pollTasks } from "./poll-tasks.ts";

const TASKS = 10_000;

let database: TestDatabase;
let userId = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 0);
  const createdAt = Math.floor(Date.now() / 1000);
  for (let at = 0; at < TASKS; at += 1000) {
    await database.db.insert(drawingTasks).values(
      Array.from({ length: 1000 }, (_, index) => ({
        createdAt,
        userId,
        channelId: 1 + (index % 2),
        action: "IMAGINE",
        mjId: `task-${at + index}`,
        status: "SUBMITTED",
        isOpen: true,
      })),
    );
  }
}, 240_000);
afterAll(() => database.close());

test("ten thousand open tasks are asked about in hundreds, and what else the process does hardly waits", async () => {
  const asked: number[] = [];
  const fetch: SafeFetch = async (url, request) => {
    const { ids } = JSON.parse(String(request?.body)) as { ids: string[] };
    asked.push(ids.length);
    await Bun.sleep(1);
    // One of them has moved on, the others stand as they did; one is a stranger.
    const told = ids.map((id, index) => ({ id, status: "SUBMITTED", progress: index === 0 ? "5%" : "0%" }));
    const body = Buffer.from(JSON.stringify([...told, { id: "stranger", status: "SUCCESS" }]));
    return { status: 200, headers: new Headers(), url, body, text: () => body.toString() };
  };
  const deps = {
    db: database.db,
    changes: database.changes,
    settings: fixedSettings(),
    vault: createVault({ encryptionKey: "a key for tests of tasks" }),
    log: createLogger({ logLevel: "silent", logFormat: "json" }),
    hookFetch: fetch,
    fetch,
    channels: { get: (id: number) => channelEntry({ id, type: 2, baseUrl: "http://upstream.test" }) },
  };
  let last = performance.now();
  const gapsMs: number[] = [];
  const clock = setInterval(() => {
    const now = performance.now();
    gapsMs.push(now - last);
    last = now;
  }, 5);
  const changed = await pollTasks(deps);
  clearInterval(clock);
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(TASKS);
  expect(asked.length).toBeLessThanOrEqual(TASKS / 100 + 40);
  expect(changed).toBe(asked.length);
  gapsMs.sort((a, b) => a - b);
  // Other tests may have the processor: the typical wait tells, not the longest.
  expect(gapsMs[Math.floor(gapsMs.length * 0.5)]).toBeLessThan(250);
}, 240_000);
