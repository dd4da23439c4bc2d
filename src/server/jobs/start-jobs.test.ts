/** Leases of jobs on one database, and jobs that look at all channels: balances and lists of models. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { channels as channelTable } from "../../../db/schema/channels/channels.ts";
import { jobTurns } from "../../../db/schema/settings.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { until } from "../../../test/support/lib/until.ts";
import { ROLE } from "../../domain/accounts/access/roles.ts";
import { createUser } from "../../domain/accounts/identity/create-user.ts";
import { type ChannelDirectory, createChannelDirectory } from "../../domain/channels/directory.ts";
import { disableChannelKey } from "../../domain/channels/keys/key-status.ts";
import type { ChannelInput } from "../../domain/channels/manage/channel-input.ts";
import { createChannel } from "../../domain/channels/manage/write-channel.ts";
import { refreshAllModelLists, viewModelList } from "../../domain/channels/upstream/model-list.ts";
import { updateAllBalances } from "../../domain/channels/upstream/update-balance.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { sayStored } from "../../lib/reason.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { createJobRunner, describeFailure, type Job, type LeaderJob, runJob } from "./start-jobs.ts";

/** What the upstream of each channel answers, by the channel's name: USD that are left, its models, or nothing (500). */
const left = new Map<string, number>();
const offered = new Map<string, readonly string[]>();
/** Names of the channels that were queried, and the keys that were used. */
const requests: string[] = [];
const keysSeen = new Set<string | null>();

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const [, name = "", , ...rest] = new URL(request.url).pathname.split("/");
    const path = rest.join("/");
    if (path !== "dashboard/billing/usage") requests.push(name);
    keysSeen.add(request.headers.get("authorization"));
    const amount = left.get(name);
    const models = offered.get(name);
    if (path === "models" && models) return Response.json({ data: models.map((id) => ({ id })) });
    if (path === "dashboard/billing/usage") return Response.json({ total_usage: 0 });
    if (path === "dashboard/billing/subscription" && amount !== undefined) {
      return Response.json({ hard_limit_usd: amount });
    }
    return new Response("out of order", { status: 500 });
  },
});

const log = createLogger({ logLevel: "silent", logFormat: "json" });
let database: TestDatabase;
let directory: ChannelDirectory;
let deps: Omit<Parameters<typeof updateAllBalances>[0], "settings"> & Parameters<typeof createChannel>[0];
let actor: { id: number; username: string };
/** Channels whose balance fell below their limit, with the limit. */
let warned: (readonly [string, number])[];

beforeAll(async () => {
  database = await openTestDatabase();
  const { db, changes } = database;
  const vault = createVault({ encryptionKey: "of these tests" });
  directory = await createChannelDirectory({ db, changes, vault, log });
  const fetch = createSafeFetch(createAddressPolicy(true));
  const onLowBalance: (typeof deps)["onLowBalance"] = ({ name }, _, limit) => void warned.push([name, limit]);
  deps = { db, changes, vault, fetch, onLowBalance, onDisabled: () => {} };
  actor = { id: await createUser(db, { username: "op", password: "correct horse", role: ROLE.admin }), username: "op" };
});
afterAll(async () => {
  directory.close();
  await upstream.stop(true);
  await database.close();
});
beforeEach(async () => {
  await database.db.delete(channelTable);
  for (const { id } of [...directory.all()]) await database.changes.publish("channels", [id]);
  await database.db.delete(jobTurns);
  warned = [];
  requests.length = 0;
  keysSeen.clear();
});

const create = (name: string, input: Partial<ChannelInput> = {}) =>
  createChannel(deps, actor, { name, key: `sk-${name}`, models: "a", base_url: `${upstream.url}${name}`, ...input });
const rowOf = async (id: number) =>
  (await database.db.select().from(channelTable).where(eq(channelTable.id, id)))[0] ?? null;
/** As if the last turn of every job had begun so many seconds earlier. */
const letPass = (seconds: number) =>
  database.db.update(jobTurns).set({
    begunAt: sql`${jobTurns.begunAt} - ${seconds}`,
    startedAt: sql`${jobTurns.startedAt} - ${seconds * 1000}`,
  });
const runLeader = (name: string, periodS: number, run: Job["run"]) =>
  runJob({ db: database.db, log }, leaderJob(name, periodS, run), new AbortController().signal);
const leaderJob = (name: string, periodS: number, run: Job["run"], waitsAtFirst = true): LeaderJob => ({
  ...{ name, intervalMs: 1, runsOn: "leader", waitsAtFirst, run },
  periodSeconds: () => periodS,
});
const balances = (minutes = 10, warning = 5) =>
  runLeader("channel balances", minutes * 60, () =>
    updateAllBalances(
      { ...deps, settings: fixedSettings({ ChannelBalanceWarning: String(warning) }) },
      directory.all(),
    ),
  );
const lists = (hours = 24) => runLeader("model lists", hours * 3600, () => refreshAllModelLists(deps, directory.all()));
/** The turn after a period, whatever came before. */
const next = async (poll: () => Promise<void>) => {
  await poll();
  await letPass(86_400);
  await poll();
};

test("balances are queried once each period of the settings, and never where it is 0", async () => {
  left.set("rich", 40);
  const id = await create("rich");
  await balances();
  expect(requests).toEqual([]);
  // Half a period, with the time that this test itself may take.
  await letPass(300);
  await balances();
  expect(requests).toEqual([]);
  await letPass(300);
  await balances();
  await balances();
  expect(requests).toEqual(["rich"]);
  await letPass(86_400);
  await balances(0);
  expect(requests).toEqual(["rich"]);
  expect(await rowOf(id)).toMatchObject({ balance: "40", balanceCurrency: "USD", balanceError: "" });
});

test("one upstream that does not return its balance delays nobody else's", async () => {
  left.set("well", 12.5).delete("broken");
  // More than are asked at a time.
  const broken = await Promise.all(Array.from({ length: 9 }, () => create("broken")));
  const removed = await create("gone", { base_url: "http://127.0.0.1:1" });
  const well = await create("well");
  await next(balances);
  expect(await rowOf(well)).toMatchObject({ balance: "12.5", balanceError: "" });
  for (const id of broken) expect(await rowOf(id)).toMatchObject({ balanceError: "HTTP 500", status: 1 });
  expect((await rowOf(removed))?.balanceError).not.toBe("");
  // It is reported once it works again.
  left.set("broken", 7);
  await next(balances);
  for (const id of broken) expect(await rowOf(id)).toMatchObject({ balance: "7", balanceError: "" });
});

test("a balance that falls below its limit is reported once, and again only when it was above it in between", async () => {
  left.set("poor", 4).set("modest", 4).set("rich", 40);
  await create("poor");
  await create("modest", { balance_warn_below: 3 });
  await create("rich", { balance_warn_below: 50 });
  const reported: [string, number][] = [];
  const poll = async (amount: number) => {
    left.set("poor", amount);
    await next(balances);
    const now = warned.splice(0);
    reported.push(...now.map(([name, limit]): [string, number] => [name, limit]));
    return now.map(([name]) => name).toSorted();
  };
  expect(await poll(4)).toEqual(["poor", "rich"]);
  expect(reported.toSorted()).toEqual([
    ["poor", 5],
    ["rich", 50],
  ]);
  expect(await poll(3.5)).toEqual([]);
  expect(await poll(6)).toEqual([]);
  expect(await poll(4.99)).toEqual(["poor"]);
  // What is used up switches the channel off: it is asked no more.
  expect(await poll(0)).toEqual([]);
  expect([...directory.all()].find(({ name }) => name === "poor")?.status).toBe(3);
  requests.length = 0;
  await next(balances);
  expect(requests.toSorted()).toEqual(["modest", "rich"]);
});

test("a channel is queried with its first enabled key", async () => {
  left.set("keys", 40);
  const id = await create("keys", { key: "sk-refused-0000,sk-working-0001" });
  await disableChannelKey(deps, id, "sk-refused-0000", "401");
  await next(balances);
  expect([...keysSeen]).toEqual(["Bearer sk-working-0001"]);
  expect(await rowOf(id)).toMatchObject({ balanceError: "", balance: "40" });
});

test("models are compared with what upstreams offer: new and removed models stay visible", async () => {
  offered.set("grows", ["a", "x", "y", "z"]).delete("broken");
  const broken = await Promise.all(Array.from({ length: 5 }, () => create("broken")));
  const id = await create("grows", { models: "a,old" });
  const seen = async (channelId: number) => {
    const channel = directory.get(channelId);
    return channel && viewModelList(database.db, channel, "en");
  };
  await lists();
  expect([requests, await seen(id)]).toMatchObject([[], { checked_time: 0 }]);
  await letPass(24 * 3600);
  await lists();
  await lists();
  expect(requests.filter((name) => name === "grows")).toHaveLength(1);
  expect(await seen(id)).toMatchObject({ added: ["x", "y", "z"], removed: ["old"], error: "" });
  for (const each of broken) expect(await seen(each)).toMatchObject({ added: [], removed: [], error: "HTTP 500" });
  // A list that cannot be had leaves the one before, and says why.
  offered.delete("grows");
  await next(lists);
  expect(await seen(id)).toMatchObject({ added: ["x", "y", "z"], removed: ["old"], error: "HTTP 500" });
  await letPass(366 * 86_400);
  requests.length = 0;
  await lists(0);
  expect(requests).toEqual([]);
});

const turnOf = async (job: string) => (await database.db.select().from(jobTurns).where(eq(jobTurns.job, job)))[0];

test("a job is done by one process, a period after it was first checked", async () => {
  let runs = 0;
  const turn = (periodS = 600) =>
    runLeader("some job", periodS, async () => {
      runs += 1;
    });
  await turn();
  // With the time that this test itself may take.
  await letPass(540);
  await turn();
  expect(runs).toBe(0);
  await letPass(60);
  await Promise.all([turn(), turn(), turn()]);
  expect(runs).toBe(1);
  await letPass(9000);
  await turn(0);
  expect(runs).toBe(1);
});

test("a job without a first wait runs at once; who ran it and how it ended are recorded", async () => {
  const job = leaderJob("eager", 600, async () => {}, false);
  await runJob({ db: database.db, log, holder: "here:1" }, job, new AbortController().signal);
  expect(await turnOf("eager")).toMatchObject({ holder: "here:1", leaseUntil: null, error: "" });
  const turn = await turnOf("eager");
  expect(turn?.endedAt).toBeGreaterThanOrEqual(turn?.startedAt ?? Number.NaN);
});

test.each(["leader", "every process"] as const)(
  "why a run of %s failed is recorded without secrets",
  async (runsOn) => {
    const run = () => Promise.reject(new Error("no answer from https://me:hunter2@host"));
    const job: Job =
      runsOn === "leader" ? leaderJob("fails", 600, run, false) : { name: "fails", intervalMs: 1, runsOn, run };
    await expect(runJob({ db: database.db, log }, job, new AbortController().signal)).rejects.toThrow("no answer");
    expect(await turnOf("fails")).toMatchObject({ leaseUntil: null, error: "no answer from https://***@host" });
    expect((await turnOf("fails"))?.endedAt).not.toBeNull();
  },
);

test("a job is run now although it is not due, but not while it is running", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const job = leaderJob("manual", 0, () => promise);
  const runner = createJobRunner([job], { db: database.db, log });
  expect(await runner.runNow(job)).toBe(true);
  expect(await runner.runNow(job)).toBe(false);
  resolve();
  while ((await turnOf("manual"))?.endedAt === null) await Bun.sleep(5);
  expect(await runner.runNow(job)).toBe(true);
  runner.stop();
});

test.each([
  ["connect to postgres://me:hunter2@db:5432/x failed", "connect to postgres://***@db:5432/x failed"],
  ["401 for Bearer abc.def", "401 for Bearer ***"],
  ["GET https://x.test/v1?key=abc&b=c failed", "GET https://x.test/v1?key=***&b=*** failed"],
  ["wrong key sk-abc123def456", "wrong key ***"],
  ['{"password": "hunter2"}', '{"password": "***"}'],
  ["AIzaSyA1234567890abcdefghijklmnopqrstuv\n is wrong", "*** is wrong"],
  ["", "unknown error"],
])("%p is shown as %p", (message, shown) => expect(describeFailure(new Error(message))).toBe(shown));

test("the parameters of a failed statement are not shown", () => {
  const error = new Error("Failed query: insert … params: hunter2", { cause: new Error("deadlock detected") });
  expect(describeFailure(error)).toBe("deadlock detected");
});

test("a sentence of ours is shown in the reader's language", () => {
  const stored = describeFailure(new OperationError("channel_not_found"));
  expect(sayStored(stored, "zh")).not.toBe(sayStored(stored, "en"));
});

test("a long message is cut", () => expect(describeFailure(new Error("no ".repeat(999)))).toHaveLength(500));

test("a process that does not lead does its own jobs as ever, and a leader's seldom, or when it is requested", async () => {
  const ran: string[] = [];
  const run = (name: string) => async () => void ran.push(name);
  const own: Job = { name: "own", runsOn: "every process", intervalMs: 20, run: run("own") };
  const led: LeaderJob = {
    ...{ name: "led", runsOn: "leader", intervalMs: 20, runsAtStart: true, isRunnable: true },
    ...{ periodSeconds: () => 1, run: run("led") },
  };
  const runner = createJobRunner([own, led], { db: database.db, log, leads: false });
  runner.start();
  await until(() => ran.length > 3);
  expect(new Set(ran)).toEqual(new Set(["own"]));
  await until(() => ran.includes("led"));
  const before = ran.length;
  await until(() => runner.runNow(led));
  await until(() => ran.slice(before).includes("led"));
  runner.stop();
});
