/** Following very many tasks at their upstreams: in few requests, while other calls are relayed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { count, eq, sql } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../../db/schema/tasks.ts";
import { addUser } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { pollTasks } from "./poll-tasks.ts";

const TASKS = 10_000;
/** While so many tasks are asked about, one call at least is answered: it takes a small part of that. */
const CALL_EACH = 500;

let database: TestDatabase;
let userId = 0;
const createdAt = Math.floor(Date.now() / 1000) - 60;
beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 0);
});
beforeEach(async () => {
  await database.db.delete(drawingTasks);
  await database.db.delete(mediaTasks);
});
afterAll(() => database.close());

const addDrawings = (tasks: number) =>
  database.db.execute(sql`
    insert into drawing_tasks (created_at, user_id, channel_id, action, mj_id, status, is_open)
    select ${createdAt}, ${userId}, 1 + i % 2, 'IMAGINE', 'task-' || i, 'SUBMITTED', true
    from generate_series(0, ${tasks - 1}) as i`);

/** What all videos have in common. */
const videoRow = () => ({
  createdAt,
  updatedAt: createdAt,
  platform: "video",
  userId,
  channelId: 3,
  action: "text2video",
  status: "SUBMITTED",
  isOpen: true,
});

type Reported = Readonly<Record<string, unknown>>;

/** What polling takes, with channels of a type whose upstream answers so. */
function start(type: number, answer: (url: URL, body: string) => unknown, refusal = 500) {
  const seen = { questions: 0, underWay: 0, mostUnderWay: 0 };
  const fetch: SafeFetch = async (url, request) => {
    seen.questions += 1;
    seen.underWay += 1;
    seen.mostUnderWay = Math.max(seen.mostUnderWay, seen.underWay);
    await Bun.sleep(1);
    seen.underWay -= 1;
    const reported = answer(new URL(url), String(request?.body ?? ""));
    const body = Buffer.from(JSON.stringify(reported));
    return {
      status: reported === null ? refusal : 200,
      headers: new Headers(),
      url,
      body,
      text: () => body.toString(),
    };
  };
  const deps = {
    db: database.db,
    changes: database.changes,
    settings: fixedSettings(),
    vault: createVault({ encryptionKey: "a key for tests of tasks" }),
    log: createLogger({ logLevel: "silent", logFormat: "json" }),
    hookFetch: fetch,
    fetch,
    channels: { get: (id: number) => channelEntry({ id, type, baseUrl: "http://upstream.test" }) },
  };
  return { seen, deps };
}

/** Midjourney's proxy, which reports each task so. */
function startDrawings(reportOf: (id: string, index: number) => Reported) {
  const requests: number[] = [];
  const { deps } = start(2, (_, body) => {
    const { ids } = JSON.parse(body) as { ids: string[] };
    requests.push(ids.length);
    return [...ids.map(reportOf), { id: "unknown", status: "SUCCESS" }];
  });
  return { requests: requests, deps };
}

const ENOUGH = 100;

/** How many calls, one after the other, a relay answers while the work goes on; no more than are enough. */
async function callsMeanwhile(work: () => Promise<unknown>): Promise<number> {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  const call = { model: "m", messages: [{ role: "user", content: "hi" }] };
  const ask = async () => (await relay.post("/v1/chat/completions", call)).json();
  // The first loads what it needs.
  await ask();
  let goesOn = true;
  let answered = 0;
  const worked = work().finally(() => {
    goesOn = false;
  });
  while (goesOn && answered < ENOUGH) {
    expect(await ask()).toMatchObject({ object: "chat.completion" });
    answered += 1;
  }
  await worked;
  relay.stop();
  upstream.stop();
  return answered;
}

test("ten thousand drawings are queried in hundreds, while calls are relayed", async () => {
  await addDrawings(TASKS);
  // One task of each request has progressed, the others have not; one is unknown.
  const { requests, deps } = startDrawings((id, index) => ({
    id,
    status: "SUBMITTED",
    progress: index === 0 ? "5%" : "0%",
  }));
  let changed = 0;
  const answered = await callsMeanwhile(async () => {
    changed = await pollTasks(deps);
  });
  expect(requests.reduce((sum, ids) => sum + ids, 0)).toBe(TASKS);
  expect(requests.length).toBeLessThanOrEqual(TASKS / 100 + 40);
  expect(changed).toBe(requests.length);
  expect(answered).toBeGreaterThanOrEqual(TASKS / CALL_EACH);
}, 240_000);

/** A video as its provider reports it; every hundredth is done. */
type Video = (index: number) => Reported;
const isDone = (index: number) => index % 100 === 0;
const indexOf = (id: string | undefined) => Number(id?.slice("task-".length));
/** Newest first, with videos that others ordered by the same key before and after. */
const page = (video: Video, tasks: number, from: number, size: number) =>
  [-2, -1, ...Array.from({ length: tasks }, (_, at) => tasks - 1 - at), -3, -4].slice(from, from + size).map(video);

const kling: Video = (index) => ({
  task_id: `task-${index}`,
  created_at: createdAt * 1000,
  task_status: isDone(index) ? "succeed" : "processing",
});
const vidu: Video = (index) => ({ id: `task-${index}`, state: isDone(index) ? "success" : "processing" });
const sora: Video = (index) => ({
  id: `task-${index}`,
  object: "video",
  created_at: createdAt,
  progress: isDone(index) ? 100 : 50,
  status: isDone(index) ? "completed" : "in_progress",
});

type Service = Readonly<{
  type: number;
  tasks: number;
  video: Video;
  /** The member of its answers that names a task. */
  id: string;
  started: number;
  answer: (url: URL) => unknown;
  mostQuestions: number;
}>;

const services: readonly (readonly [string, Service])[] = [
  [
    "ten thousand of Kling, whose list has pages of 500",
    {
      type: 1010,
      tasks: TASKS,
      video: kling,
      id: "task_id",
      started: createdAt,
      answer({ pathname, searchParams }) {
        expect(pathname).toBe("/v1/videos/text2video");
        return { code: 0, data: page(kling, TASKS, (Number(searchParams.get("pageNum")) - 1) * 500, 500) };
      },
      mostQuestions: 21,
    },
  ],
  [
    "a thousand of OpenAI, whose list has pages of 100",
    {
      type: 1,
      tasks: 1_000,
      video: sora,
      id: "id",
      started: createdAt,
      answer({ pathname, searchParams }) {
        expect([pathname, searchParams.get("order")]).toEqual(["/v1/videos", "desc"]);
        const after = searchParams.get("after");
        const all = page(sora, 1_000, 0, 1_004);
        const from = after ? all.findIndex(({ id }) => id === after) + 1 : 0;
        const data = all.slice(from, from + 100);
        return { object: "list", data, last_id: data.at(-1)?.id, has_more: from + 100 < all.length };
      },
      mostQuestions: 11,
    },
  ],
  [
    "a thousand of Vidu, which has no list",
    {
      type: 1011,
      tasks: 1_000,
      video: vidu,
      id: "id",
      started: 0,
      answer: ({ pathname }) => vidu(indexOf(pathname.split("/").at(-2))),
      mostQuestions: 1_000,
    },
  ],
];

test.each(services)(
  "videos are followed while calls are relayed: %s",
  async (_, { type, tasks, video, id, started, answer, mostQuestions }) => {
    // What is still under way stands as it stood.
    await database.db.execute(sql`
      insert into media_tasks (created_at, updated_at, platform, user_id, channel_id, action, upstream_id, status, progress,
        start_time, data, is_open)
      select ${createdAt}, ${createdAt}, 'video', ${userId}, 3, 'text2video', 'task-' || i, 'IN_PROGRESS', '50%',
        ${started}, ${JSON.stringify(video(1))}::jsonb || jsonb_build_object(${id}::text, 'task-' || i), true
      from generate_series(0, ${tasks - 1}) as i`);
    const { seen, deps } = start(type, answer);
    let changed = 0;
    const answered = await callsMeanwhile(async () => {
      changed = await pollTasks(deps);
    });
    expect(changed).toBe(tasks / 100);
    expect(seen.questions).toBeLessThanOrEqual(mostQuestions);
    expect(seen.mostUnderWay).toBeLessThanOrEqual(8);
    const [left] = await database.db.select({ tasks: count() }).from(mediaTasks).where(eq(mediaTasks.isOpen, true));
    expect(left?.tasks).toBe(tasks - tasks / 100);
    expect(answered).toBeGreaterThanOrEqual(tasks / CALL_EACH);
  },
  240_000,
);

test("tasks missing from a list are queried one by one; an upstream that does not answer is soon left alone", async () => {
  const ids = Array.from({ length: 100 }, (_, index) => index);
  await database.db.insert(mediaTasks).values(ids.map((index) => ({ ...videoRow(), upstreamId: `task-${index}` })));
  const requests: string[] = [];
  const { deps } = start(1010, ({ pathname, searchParams }) => {
    requests.push(pathname);
    if (searchParams.has("pageNum")) return { code: 0, data: ids.slice(0, 90).map(kling) };
    return { code: 0, data: kling(indexOf(pathname.split("/").at(-1))) };
  });
  expect(await pollTasks(deps)).toBe(100);
  expect(requests.toSorted()).toEqual([
    "/v1/videos/text2video",
    ...ids.slice(90).map((index) => `/v1/videos/text2video/task-${index}`),
  ]);

  await database.db.update(mediaTasks).set({ polledAt: 0 });
  const silent = start(1010, () => {
    throw new Error("nobody is there");
  });
  expect(await pollTasks(silent.deps)).toBe(0);
  // Eight in a row, and those that were under way by then.
  expect(silent.seen.questions).toBeLessThanOrEqual(16);
}, 60_000);

test.each([401, 429, 503])(
  "an upstream that answers %d is soon left alone too",
  async (status) => {
    const ids = Array.from({ length: 100 }, (_, index) => index);
    await database.db.insert(mediaTasks).values(ids.map((index) => ({ ...videoRow(), upstreamId: `task-${index}` })));
    const refusing = start(1010, () => null, status);
    expect(await pollTasks(refusing.deps)).toBe(0);
    // Eight in a row, and those that were under way by then.
    expect(refusing.seen.questions).toBeLessThanOrEqual(16);
    // What it merely does not know says that it is there.
    await database.db.update(mediaTasks).set({ polledAt: 0 });
    const unknown = start(1010, () => null, 404);
    expect(await pollTasks(unknown.deps)).toBe(0);
    expect(unknown.seen.questions).toBeGreaterThanOrEqual(100);
  },
  60_000,
);

test("a key that is refused does not keep back the tasks of the channel's others", async () => {
  const { deps } = start(1010, () => null);
  const keys = ["bad", "good"];
  await database.db.insert(mediaTasks).values(
    Array.from({ length: 30 }, (_, index) => ({
      ...videoRow(),
      keyHash: deps.vault.keyedHash(keys[index < 19 ? 0 : 1] ?? ""),
      upstreamId: `task-${index * 100}`,
    })),
  );
  const channel = channelEntry({ id: 3, type: 1010, baseUrl: "http://upstream.test", keys });
  const fetch: SafeFetch = async (url, request) => {
    const isGood = new Headers(request?.headers).get("authorization") === "Bearer good";
    const body = Buffer.from(JSON.stringify({ code: 0, data: kling(indexOf(url.split("/").at(-1))) }));
    return { status: isGood ? 200 : 401, headers: new Headers(), url, body, text: () => body.toString() };
  };
  expect(await pollTasks({ ...deps, fetch, channels: { get: () => channel } })).toBe(11);
}, 60_000);

test("where drawings cannot be followed, videos are all the same, and what went wrong is reported", async () => {
  await database.db.insert(mediaTasks).values({ ...videoRow(), upstreamId: "task-0" });
  await addDrawings(1);
  const { deps } = start(1010, () => ({ code: 0, data: kling(0) }));
  const failing = {
    get(id: number) {
      if (id !== 3) throw new Error("no channels of drawings");
      return deps.channels.get(id);
    },
  };
  const failure: unknown = await pollTasks({ ...deps, channels: failing }).catch((error) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({ errors: [{ message: "no channels of drawings" }] });
  const [video] = await database.db.select({ status: mediaTasks.status }).from(mediaTasks);
  expect(video?.status).toBe("SUCCESS");
}, 60_000);

test("drawings and videos are followed side by side", async () => {
  await database.db.insert(mediaTasks).values({ ...videoRow(), upstreamId: "task-0" });
  await addDrawings(1);
  const both = Promise.withResolvers<void>();
  const waiting = new Set<string>();
  const { deps } = start(1010, () => null);
  // Either answers only when the other was asked too.
  const fetch: SafeFetch = async (url) => {
    waiting.add(new URL(url).host);
    if (waiting.size === 2) both.resolve();
    await both.promise;
    const reported = url.includes("videos") ? { code: 0, data: kling(0) } : [{ id: "task-0", status: "SUCCESS" }];
    const body = Buffer.from(JSON.stringify(reported));
    return { status: 200, headers: new Headers(), url, body, text: () => body.toString() };
  };
  const get = (id: number) =>
    channelEntry({ id, type: id === 3 ? 1010 : 2, baseUrl: `http://${id === 3 ? "videos" : "drawings"}.test` });
  expect(await pollTasks({ ...deps, fetch, channels: { get } })).toBe(2);
}, 60_000);

test("of very many running tasks only those are written that have gone on since", async () => {
  await addDrawings(2_000);
  const running = {
    status: "IN_PROGRESS",
    progress: "40%",
    startTime: 1_689_231_442_755,
    promptEn: "a cat",
    buttons: [{ customId: "MJ::JOB::upsample::1::hash", style: 2, label: "U1" }],
    properties: { finalPrompt: "a cat", seeds: [1, 2.5, null] },
  };
  await database.db.update(drawingTasks).set({ ...running, imageUrl: "https://cdn.test/half.png", polledAt: 0 });
  let moved: Reported = {};
  const { requests, deps } = startDrawings((id) => ({
    id,
    ...running,
    imageUrl: "https://cdn.test/half.png",
    ...(id === "task-77" && moved),
  }));
  expect(await pollTasks(deps)).toBe(0);
  expect(requests.reduce((sum, count) => sum + count, 0)).toBe(2_000);
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
