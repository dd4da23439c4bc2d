import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jobTurns } from "../../../../db/schema/settings.ts";
import { readFromPrimary } from "../../../../db/server/replica.ts";
import { usageRecord } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { startMailServer } from "../../../../test/support/notifications.ts";
import type { BillingStatus } from "../../../billing/billing.ts";
import { applyBatch } from "../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../billing/journal/apply/record-text.ts";
import { RejectedRecords } from "../../../billing/journal/rejected/rejected.ts";
import { makeClaimedDirectory } from "../../../billing/journal/segments/adopt-orphans.ts";
import { linesOf } from "../../../billing/journal/segments/segment.ts";
import { createSharedLimits } from "../../../lib/limits/shared-limits.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { createVault } from "../../../lib/security/crypto.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import { createUser } from "../../accounts/identity/create-user.ts";
import { createMailer } from "../../notifications/mail.ts";
import { checkChannels, checkPrices } from "./checks/check-channels.ts";
import { checkDatabase, judgeWrite } from "./checks/check-database.ts";
import { checkJobs } from "./checks/check-jobs.ts";
import { checkJournal, judgeDepth } from "./checks/check-journal.ts";
import {
  checkClock,
  checkDisk,
  checkMachine,
  judgeBenchmark,
  judgeLateness,
  judgeLoad,
  judgeOverhead,
  judgeSkew,
  judgeSpace,
  judgeSync,
} from "./checks/check-machine.ts";
import { checkSecrets } from "./checks/check-secrets.ts";
import { checkMail, checkRedis } from "./checks/check-services.ts";
import { checkStreams } from "./checks/check-streams.ts";
import type { DiagnosticsContext, Finding } from "./diagnostics-context.ts";
import { reportOf } from "./run-checks.ts";
import { issueTicket, isTicket, timedStream } from "./timed-stream.ts";

type Channel = ReturnType<DiagnosticsContext["channels"]["all"]> extends Iterable<infer Entry> ? Entry : never;

const brief = (findings: readonly Finding[]) => findings.map(({ state, found: [code] }) => `${state} ${code}`);
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const vault = createVault({ encryptionKey: "the key of the doctor's tests" });
const policy = createAddressPolicy(true);
const fetch = createSafeFetch(policy);
const channel = (input: Partial<Channel>): Channel => ({
  ...{ id: 1, type: 1, name: "one", status: 1, priority: 0, weight: 0, keys: ["k"], disabledKeys: new Set<string>() },
  ...{ references: new Map<string, string>(), unresolved: [] },
  ...{ baseUrl: "", other: "", openaiOrganization: "", maxInputTokens: 0, models: ["gpt-4o"], groups: ["default"] },
  ...{ modelMapping: new Map(), modelPatterns: null, statusCodeMapping: new Map(), paramOverride: null, setting: {} },
  costs: null,
  modelPrefix: "",
  ...{ overrideRules: null, ownHeaders: null },
  ...{ tag: "", testModel: "", autoBan: true },
  ...input,
});
const among = (...entries: Partial<Channel>[]) => ({ all: () => entries.map(channel) });

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await openTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "sluice-doctor-"));
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

describe("database", () => {
  test("answers, and has this release's tables; one that lacks a migration is reported", async () => {
    const found = brief(await checkDatabase({ database, reads: readFromPrimary(database.db) }));
    expect(found[0]).toStartWith("ok doctor_database_");
    expect(found[2]).toBe("ok doctor_migrations_done");
    if (database.kind === "embedded") expect(found[3]).toBe("ok doctor_checksums_on");
    else expect(found[3]).toContain("doctor_checksums_");
    const [left] = await database.sql`select count(*)::int as count from options where key = '_doctor'`;
    expect(left?.count).toBe(0);
    await database.sql`update drizzle.__drizzle_migrations set created_at = created_at - 1
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    expect(brief(await checkDatabase({ database, reads: readFromPrimary(database.db) }))[2]).toBe(
      "fail doctor_migrations_pending",
    );
    await database.sql`alter table drizzle.__drizzle_migrations add column if not exists compatible_from bigint`;
    const [{ later } = { later: 0 }] = await database.sql`update drizzle.__drizzle_migrations
      set created_at = created_at + 1000000
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning created_at as later`;
    expect(brief(await checkDatabase({ database, reads: readFromPrimary(database.db) }))[2]).toBe(
      "ok doctor_migrations_compatible",
    );
    await database.sql`update drizzle.__drizzle_migrations set compatible_from = created_at where created_at = ${later}`;
    expect(brief(await checkDatabase({ database, reads: readFromPrimary(database.db) }))[2]).toBe(
      "fail doctor_migrations_newer",
    );
  });

  test.each([
    [{ lagSeconds: 1, isUsed: true }, "ok doctor_replica_fine"],
    [{ lagSeconds: 60, isUsed: false }, "warn doctor_replica_behind"],
    [{ lagSeconds: null, isUsed: false }, "warn doctor_replica_down"],
  ])("a replica's state is reported: %p", async (replica, found) => {
    expect(brief(await checkDatabase({ database, reads: { replica: () => replica } })).at(-1)).toBe(found);
  });

  test("that is away or slow is reported", async () => {
    const away = Object.assign(() => Promise.reject(new Error("refused")), {}) as unknown as TestDatabase["sql"];
    expect(
      brief(await checkDatabase({ database: { ...database, sql: away }, reads: readFromPrimary(database.db) })),
    ).toEqual(["fail doctor_database_down"]);
    expect([judgeWrite(5).state, judgeWrite(400).state]).toEqual(["ok", "warn"]);
  });
});

test("a disk that is full, slow or not there is reported", async () => {
  expect((await checkDisk({ config: { dataDir } })).length).toBe(2);
  expect(brief(await checkDisk({ config: { dataDir: join(dataDir, "nowhere") } }))).toEqual([
    "fail doctor_disk_refuses",
  ]);
  const GIB = 1024 ** 3;
  expect([10 * GIB, GIB, GIB / 8].map((free) => judgeSpace(free, "").state)).toEqual(["ok", "warn", "fail"]);
  expect([judgeSync(2).state, judgeSync(200).state]).toEqual(["ok", "warn"]);
});

test("a clock that is off against an upstream is reported, with what is certain", async () => {
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response("", { headers: { date: new Date(Date.now() - 600_000).toUTCString() } }),
  });
  const channels = among({ baseUrl: `http://127.0.0.1:${server.port}` });
  expect(brief(await checkClock({ database, channels, fetch }))).toEqual([
    "ok doctor_clock_database",
    "fail doctor_clock_upstream",
  ]);
  await server.stop(true);
  expect(brief(await checkClock({ database, channels, fetch }))[1]).toBe("skip doctor_clock_upstream_silent");
  expect(brief(await checkClock({ database, channels: among(), fetch }))[1]).toBe("skip doctor_clock_no_upstream");
  expect(judgeSkew("doctor_clock_database", -10_000, 100).state).toBe("warn");
  expect(judgeSkew("doctor_clock_database", 10_000, 9000).state).toBe("ok");
});

test("waiting charges are reported, with a running gateway and without one", async () => {
  const status: BillingStatus = {
    pendingRecords: 0,
    writtenRecords: 0,
    writtenUpTo: { process: "own", segment: "00000001.jsonl", offset: 0 },
    journalBytes: 0,
    oldestSeconds: null,
    databaseDown: false,
    ledgerUnansweredMs: 0,
    refusingCallsMs: 0,
    holds: 0,
    heldUnits: 0,
    diskRefused: false,
    chargesExposed: false,
    ...{ balancesKnown: true, liveProcesses: 1 },
    ...{ rejectedRecords: 0, journalCopy: "none", lostJournals: [] },
  };
  const check = (input: Partial<BillingStatus>, flush = async () => {}) =>
    checkJournal({
      database,
      config: { dataDir, encryptionKey: null, trustedProxies: [] },
      running: { billing: { status: () => ({ ...status, ...input }), flush }, readOverhead: () => null },
    }).then(brief);
  expect(await check({})).toEqual(["ok doctor_journal_empty", "ok doctor_journal_flush"]);
  expect(await check({ databaseDown: true, pendingRecords: 3 })).toEqual(["fail doctor_journal_waits"]);
  expect((await check({ diskRefused: true }))[0]).toBe("fail doctor_journal_refused");
  expect((await check({}, () => Promise.reject(new Error("late"))))[1]).toBe("fail doctor_journal_not_draining");
  expect([judgeDepth(9000, 1).state, judgeDepth(1, 60).state]).toEqual(["warn", "warn"]);

  expect(await check({ journalCopy: "behind" })).toContain("warn doctor_journal_copy_behind");
  const lost = { processId: "p", location: "a:/b", lastSeenAt: 1, unwritten: 2, unwrittenSince: 1 };
  const alarm = await check({ lostJournals: [{ ...lost, journalCopy: "none" }] });
  expect(alarm.at(-1)).toBe("fail doctor_journal_lost");

  const config = { dataDir, encryptionKey: null, trustedProxies: [] };
  const whileStopped = async () => brief(await checkJournal({ config, database, running: null }));
  expect(await whileStopped()).toEqual(["ok doctor_journal_empty"]);
  // Of a process that runs: what is written already counts for nothing, nor does its lock.
  const root = join(dataDir, "journal");
  mkdirSync(root);
  const claim = makeClaimedDirectory(root, "living");
  const createdAt = Math.floor(Date.now() / 1000);
  const [written, waiting] = [1, 2].map((quota) => recordText(usageRecord({ userId: 1, quota, createdAt }))) as [
    string,
    string,
  ];
  await applyBatch(database.sql, "living", [written]);
  writeFileSync(join(root, "living", "00000001.jsonl"), linesOf([written]).bytes);
  expect(await whileStopped()).toEqual(["ok doctor_journal_empty"]);
  appendFileSync(join(root, "living", "00000001.jsonl"), linesOf([waiting]).bytes);
  expect(await whileStopped()).toEqual(["ok doctor_journal_depth"]);
  claim.release();
  expect(await whileStopped()).toEqual(["warn doctor_journal_left"]);
  await new RejectedRecords(root).add("living", { text: waiting, end: 0 }, { reason: "refused", isCharged: false });
  expect(await whileStopped()).toEqual(["warn doctor_journal_left", "fail doctor_journal_rejected"]);
});

test("jobs whose last run failed are reported with the reason", async () => {
  const check = async () => await checkJobs({ database });
  const { db } = database;
  await db.delete(jobTurns);
  expect(brief(await check())).toEqual(["skip doctor_jobs_none"]);
  const ended = { begunAt: 1, startedAt: 1000, endedAt: 2000 };
  await db.insert(jobTurns).values([
    { ...ended, job: "model catalog", error: "HTTP 500" },
    { ...ended, job: "low balances" },
    { ...ended, job: "channel tests", error: "earlier", endedAt: null },
  ]);
  expect(reportOf("jobs", await check(), "en").findings.map(({ found }) => found)).toEqual([
    "The last run of “model catalog” failed: HTTP 500",
  ]);
  await db.update(jobTurns).set({ error: "", endedAt: 2000 });
  expect(brief(await check())).toEqual(["ok doctor_jobs_fine"]);
});

describe("streams", () => {
  const through = async (answer: (request: Request) => Response | Promise<Response>) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    const settings = fixedSettings({ ServerAddress: `http://127.0.0.1:${server.port}` });
    const found = brief(await checkStreams({ settings, vault, ownFetch: fetch }));
    await server.stop(true);
    return found;
  };

  test("that flow are fine, that are buffered on the way are reported", async () => {
    expect(await through(() => timedStream())).toEqual(["ok doctor_streams_flow"]);
    expect(await through(async () => new Response(await timedStream().bytes()))).toEqual(["fail doctor_streams_held"]);
  });

  test("something else at the address, or nothing, is reported", async () => {
    expect(await through(() => new Response("hello"))).toEqual(["fail doctor_streams_other"]);
    const settings = fixedSettings({ ServerAddress: "http://127.0.0.1:1" });
    const unreachable = await checkStreams({ settings, vault, ownFetch: fetch });
    expect(brief(unreachable)).toEqual(["warn doctor_streams_unreachable"]);
    const [finding] = reportOf("streams", unreachable, "zh").findings;
    expect(finding?.found).toBe("无法从本机访问 http://127.0.0.1:1：无法连接 127.0.0.1:1");
    const unset = fixedSettings();
    expect(brief(await checkStreams({ settings: unset, vault, ownFetch: fetch }))).toEqual([
      "skip doctor_streams_no_address",
    ]);
  });

  test("a ticket is good for a minute, and cannot be made", () => {
    const ticket = issueTicket(vault, 1000);
    expect([isTicket(vault, ticket, 1000), isTicket(vault, ticket, 61_001)]).toEqual([true, false]);
    const later = ticket.replace("61000", "61001");
    expect(isTicket(vault, later, 2000)).toBe(false);
    expect(isTicket(vault, "", 0)).toBe(false);
  });
});

test("a mail server that rejects the account is reported", async () => {
  const server = await startMailServer({
    allowInsecureAuth: true,
    authOptional: false,
    onAuth: ({ password }, _session, callback) =>
      password === "right" ? callback(null, { user: "post" }) : callback(new Error("no")),
  });
  const check = (texts: Record<string, string>) => {
    const settings = fixedSettings(texts);
    return checkMail({ settings, mailer: createMailer({ settings, policy, log }) }).then(brief);
  };
  const input = { SMTPServer: "127.0.0.1", SMTPPort: String(server.port), SMTPAccount: "post@example.com" };
  expect(await check({ ...input, SMTPToken: "right" })).toEqual(["ok doctor_mail_answers"]);
  expect(await check({ ...input, SMTPToken: "wrong" })).toEqual(["fail doctor_mail_fails"]);
  await server.stop();
  expect(await check({ ...input, SMTPToken: "right" })).toEqual(["fail doctor_mail_fails"]);
  expect(await check({})).toEqual(["skip doctor_mail_unset"]);
});

test("a Redis that is not there is reported", async () => {
  expect(brief(await checkRedis({ sharedLimits: null }))).toEqual(["skip doctor_redis_unset"]);
  const sharedLimits = createSharedLimits("redis://127.0.0.1:1", log);
  expect(brief(await checkRedis({ sharedLimits }))).toEqual(["fail doctor_redis_down"]);
  sharedLimits.close();
});

test("keys that others can read, default passwords and plain HTTP are reported", async () => {
  await createUser(database.db, { username: "chief", password: "a long phrase", role: ROLE.root });
  const check = (input: Partial<DiagnosticsContext["config"]>, ServerAddress: string) =>
    checkSecrets({
      config: { dataDir, encryptionKey: null, trustedProxies: [], ...input },
      database,
      settings: fixedSettings({ ServerAddress }),
    }).then(brief);
  const path = join(dataDir, "secret.key");
  expect(await check({}, "")).toEqual([
    "fail doctor_key_missing",
    "ok doctor_passwords_fine",
    "skip doctor_cookies_no_address",
  ]);
  await writeFile(path, "x", { mode: 0o600 });
  expect((await check({ trustedProxies: ["10.0.0.1"] }, "https://ai.example.com")).toString()).toBe(
    "ok doctor_key_file,ok doctor_passwords_fine,ok doctor_cookies_secure",
  );
  await chmod(path, 0o644);
  await createUser(database.db, { username: "helper", password: "12345678", role: ROLE.admin });
  expect(await check({}, "http://ai.example.com")).toEqual([
    "fail doctor_key_open",
    "fail doctor_passwords_known",
    "fail doctor_cookies_plain",
  ]);
  expect(await check({ encryptionKey: "short but 16 long" }, "https://ai.example.com")).toEqual([
    "warn doctor_key_short",
    "fail doctor_passwords_known",
    "warn doctor_cookies_untrusted",
  ]);
});

test("channels that no call reaches and models without a price are reported", async () => {
  const settings = fixedSettings({ GroupRatio: '{"default":1}' });
  const check = (...entries: Partial<Channel>[]) =>
    checkChannels({ channels: among(...entries), settings }).then(brief);
  expect(await check({})).toEqual(["ok doctor_channels_fine"]);
  expect(await check({ status: 2 })).toEqual(["warn doctor_channels_none"]);
  expect(await check({}, { models: [] }, { groups: ["gone"] }, { disabledKeys: new Set(["k"]) })).toEqual([
    "fail doctor_channels_idle",
    "warn doctor_channels_groups",
    "fail doctor_channels_keys",
  ]);
  const [retired] = await checkChannels({
    channels: among({ type: 43, baseUrl: "", name: "DeepSeek", id: 3, models: ["deepseek-chat", "deepseek-v4-flash"] }),
    settings,
  });
  expect(retired?.found).toEqual([
    "doctor_channels_retired",
    { count: 1, names: "DeepSeek (#3): deepseek-chat → deepseek-v4-flash (2026-07-24)" },
  ]);
  const price = (entry: Partial<Channel>) => checkPrices({ channels: among(entry), settings }).then(brief);
  expect(await price({})).toEqual(["ok doctor_prices_fine"]);
  expect(await price({ models: ["gpt-4o", "unheard-of"] })).toEqual(["fail doctor_prices_missing"]);
  expect(await price({ models: ["mine"], modelMapping: new Map([["mine", "gpt-4o"]]) })).toEqual([
    "ok doctor_prices_fine",
  ]);
});

test("a busy machine and a slow gateway are reported", async () => {
  const measured = { calls: 200, p50Ms: 0.5, p99Ms: 2, perSecond: 3000 };
  const found = brief(await checkMachine({ running: null, benchmark: async () => measured }));
  expect(found.slice(2)).toEqual(["ok doctor_benchmark", "skip doctor_overhead_not_running"]);
  expect(judgeBenchmark({ ...measured, p50Ms: 30 }).state).toBe("warn");
  expect(judgeBenchmark({ ...measured, perSecond: 20 }).state).toBe("warn");
  expect([judgeLoad(1, 2).state, judgeLoad(9, 2).state]).toEqual(["ok", "warn"]);
  expect([judgeLateness(2).state, judgeLateness(200).state]).toEqual(["ok", "warn"]);
  expect(judgeOverhead(null).state).toBe("skip");
  expect(judgeOverhead({ calls: 9, p50Ms: 1, p99Ms: 3 }).state).toBe("ok");
  expect(judgeOverhead({ calls: 9, p50Ms: 40, p99Ms: 90 }).state).toBe("warn");
});
