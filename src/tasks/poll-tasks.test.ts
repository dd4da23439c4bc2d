import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { drawingTasks } from "../../db/schema/tasks.ts";
import { openTestDatabase, type TestDatabase } from "../../db/testing.ts";
import { addUser } from "../billing/testing.ts";
import { createVault } from "../lib/crypto.ts";
import { createLogger } from "../lib/log.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { channelEntry } from "../relay/testing/entries.ts";
import { startRelay } from "../relay/testing/start-relay.ts";
import { startUpstream } from "../relay/testing/start-upstream.ts";
import { fixedSettings } from "../settings/testing.ts";
import { pollTasks } from "./poll-tasks.ts";

const TASKS = 10_000;
const CALLS = 60;

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

type Told = Readonly<Record<string, unknown>>;

/** What polling takes, with an upstream that tells of each task so. */
function start(tellOf: (id: string, index: number) => Told) {
  const asked: number[] = [];
  const fetch: SafeFetch = async (url, request) => {
    const { ids } = JSON.parse(String(request?.body)) as { ids: string[] };
    asked.push(ids.length);
    await Bun.sleep(1);
    const body = Buffer.from(JSON.stringify([...ids.map(tellOf), { id: "stranger", status: "SUCCESS" }]));
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
  return { asked, deps };
}

test("ten thousand open tasks are asked about in hundreds, and what else the process does hardly waits", async () => {
  // One of them has moved on, the others stand as they did; one is a stranger.
  const { asked, deps } = start((id, index) => ({ id, status: "SUBMITTED", progress: index === 0 ? "5%" : "0%" }));
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

test("calls are relayed while ten thousand tasks are followed, and hardly slower", async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
  const choices = [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }];
  const upstream = startUpstream(() => Response.json({ object: "chat.completion", model: "m", choices, usage }));
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  const call = { model: "m", messages: [{ role: "user", content: "hi" }] };
  /** What a call takes, of so many and for as long as it is wanted. */
  const medianMs = async (goesOn: () => boolean) => {
    const tookMs: number[] = [];
    while (tookMs.length < CALLS || goesOn()) {
      const began = performance.now();
      const answer = await relay.post("/v1/chat/completions", call);
      expect(await answer.json()).toMatchObject({ choices });
      tookMs.push(performance.now() - began);
    }
    return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? 0;
  };
  await medianMs(() => false);
  const alone = await medianMs(() => false);

  let round = 0;
  const { asked, deps } = start((id, index) => ({
    id,
    status: "SUBMITTED",
    progress: index === 0 ? `${round}%` : "0%",
  }));
  let enough = false;
  const polling = (async () => {
    while (!enough || round === 0) {
      round += 1;
      await database.db.update(drawingTasks).set({ polledAt: 0 });
      await pollTasks(deps);
    }
  })();
  const beside = await medianMs(() => asked.length === 0 || round === 0);
  enough = true;
  await polling;
  relay.stop();
  upstream.stop();
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(round * TASKS);
  // Generous: other tests may have the processor, now more and now less.
  expect(beside).toBeLessThan(10 * alone + 250);
}, 240_000);

test("of ten thousand running tasks only those are written that have gone on since", async () => {
  const running = {
    status: "IN_PROGRESS",
    progress: "40%",
    startTime: 1_689_231_442_755,
    promptEn: "a cat",
    buttons: [{ customId: "MJ::JOB::upsample::1::hash", style: 2, label: "U1" }],
    properties: { finalPrompt: "a cat", seeds: [1, 2.5, null] },
  };
  await database.db.update(drawingTasks).set({ ...running, imageUrl: "https://cdn.test/half.png", polledAt: 0 });
  let moved: Told = {};
  const { asked, deps } = start((id) => ({
    id,
    ...running,
    imageUrl: "https://cdn.test/half.png",
    ...(id === "task-77" && moved),
  }));
  expect(await pollTasks(deps)).toBe(0);
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(TASKS);
  for (const change of [
    { imageUrl: "https://cdn.test/more.png" },
    { properties: { ...running.properties, seeds: [1, 2] } },
    { progress: "41%" },
  ]) {
    moved = { ...moved, ...change };
    await database.db.update(drawingTasks).set({ polledAt: 0 }).where(eq(drawingTasks.mjId, "task-77"));
    expect(await pollTasks(deps)).toBe(1);
    const [row] = await database.db.select().from(drawingTasks).where(eq(drawingTasks.mjId, "task-77"));
    expect(row).toMatchObject(change);
  }
}, 240_000);
