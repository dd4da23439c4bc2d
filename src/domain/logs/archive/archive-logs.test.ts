import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogMonths, listLogMonths, monthOf as partitionOf } from "../../../../db/maintenance/partitions.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { startFakeS3 } from "../../../../test/support/processes/fake-s3.ts";
import { checkBooks } from "../../../billing/check-ledger/check-ledger.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { readLogs } from "../list/list-logs.ts";
import { applyRetention, type RetentionDeps } from "./apply-retention.ts";
import { listArchives } from "./list-archives.ts";
import { testPlace } from "./place.ts";
import { type ArchiveQuery, readArchivePage, readArchiveSlices } from "./read-archive.ts";

setDefaultTimeout(240_000);

const DAY_S = 86_400;
const at = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000;
const NOW = at("2026-04-20");
const MARCH = at("2026-03-01");
const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hush" };
const ALL = new AbortController().signal;

let database: TestDatabase;
let folder: string;
let s3: ReturnType<typeof startFakeS3>;

beforeAll(async () => {
  database = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "sluice-archive-"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  s3 = startFakeS3(KEYS);
  const { sql } = database;
  await sql`truncate users, logs, usage_rollups, carried_balances, cleared_hours, log_archives, usage_sinks, options cascade`;
  await sql.begin((tx) => createLogMonths(tx, [partitionOf(new Date(MARCH * 1000), 0)]));
  await sql`insert into users (id, username, aff_code, created_at, "group", quota) values
    (1, 'ann', 'a', 1, 'free', 600), (2, 'bob', 'b', 1, 'vip', 40), (3, 'admin', 'c', 1, 'free', 0)`;
  // Calls of ann and bob every hour of March, gifts that their balances are made of, and what an administrator did.
  await sql`insert into logs (created_at, type, user_id, username, model_name, "group", quota, request_id, other, content)
    select ${MARCH} + n * 3600, 2, 1 + n % 2, case n % 2 when 0 then 'ann' else 'bob' end, 'gpt-' || n % 3, 'default', n,
      'r' || n, '{"note":"ü"}', 'line' from generate_series(0, 743) n`;
  await sql`insert into logs (created_at, type, user_id, quota, content, other) values
    (${MARCH}, 4, 1, 600, 'Quota for a new user', ''), (${MARCH + 60}, 4, 2, 70, 'Quota for a new user', ''),
    (${MARCH + 120}, 3, 3, 0, 'Took quota', '{"user_id":2,"quota_delta":-30}')`;
});
afterEach(() => s3.stop());

const depsWith = (options: Record<string, string>): RetentionDeps & { db: TestDatabase["db"] } => ({
  ...{ database, db: database.db, settings: fixedSettings(options), fetch: createSafeFetch(createAddressPolicy(true)) },
  secretReader: { read: async (reference) => (reference === "secret://vault/kv/s3#key" ? KEYS.secretAccessKey : "") },
  config: { dataDir: folder, archiveDir: null },
});
const toFolder = (rules: object) => depsWith({ LogRetention: JSON.stringify(rules), LogArchive: "folder" });
const toS3 = (rules: object) =>
  depsWith({
    ...{ LogRetention: JSON.stringify(rules), LogArchive: "s3", ArchiveS3Url: s3.url, ArchiveS3Bucket: "logs" },
    ...{ ArchiveS3Prefix: "/sluice/", ArchiveS3AccessKeyId: KEYS.accessKeyId },
    ArchiveS3SecretAccessKey: "secret://vault/kv/s3#key",
  });
const run = (deps: RetentionDeps, now = NOW) => applyRetention(deps, ALL, now);
const contents = async () => {
  const rows = await readLogs(database.db, {}, { page: 0, pageSize: 5000 }, "admin");
  return rows.toSorted((one, other) => other.created_at - one.created_at || other.id - one.id);
};
const archived = async (deps: Parameters<typeof readArchiveSlices>[0], query: Partial<ArchiveQuery> = {}) => {
  const slices = await Array.fromAsync(readArchiveSlices(deps, { month: MARCH, filter: {}, ...query }, "admin"));
  return slices.flat();
};
const wrongBooks = async () => (await checkBooks(database.db, "balances", 0, NOW)).wrong;

test("without rules everything stays", async () => {
  await run(depsWith({}));
  expect(await contents()).toHaveLength(747);
});

test("without an archive rows are deleted by the day, and the books stay right", async () => {
  expect(await wrongBooks()).toEqual([]);
  await run(depsWith({ LogRetention: '{"*": 30}' }));
  const left = await contents();
  expect(left.at(-1)?.created_at).toBe(NOW - 30 * DAY_S);
  expect(left).toHaveLength((at("2026-04-01") - (NOW - 30 * DAY_S)) / 3600);
  expect(await wrongBooks()).toEqual([]);
  expect(await listArchives(database.db)).toEqual([]);
});

test("rows go to files as they were, a month's partition with them, and are read again in order and by filters", async () => {
  const before = await contents();
  const deps = toFolder({ "*": 7 });
  await run(deps);
  expect(await contents()).toEqual([]);
  expect((await listLogMonths(database.sql)).map(({ name }) => name)).not.toContain("logs_2026_03");
  expect(await wrongBooks()).toEqual([]);
  expect(await archived(deps)).toEqual(before);
  const [month] = await listArchives(database.db);
  expect(month).toMatchObject({ month: "2026-03", rows: 747, files: 1, places: ["folder"], is_moving: false });
  const [file = ""] = await readdir(join(folder, "archive", "2026-03"));
  expect(Bun.file(join(folder, "archive", "2026-03", file)).size).toBe(month?.bytes ?? 0);
  const count = async (filter: ArchiveQuery["filter"]) => (await archived(deps, { filter })).length;
  expect(await count({ modelName: "%PT-1%" })).toBe(248);
  expect(await count({ username: "ann", type: 2 })).toBe(372);
  expect(await count({ requestId: "r5" })).toBe(1);
  expect(await count({ start: MARCH + DAY_S, end: MARCH + 2 * DAY_S - 1 })).toBe(24);
  expect(await count({ failed: true })).toBe(0);
  // Page by page.
  const pages = [];
  let before_: ArchiveQuery["before"];
  do {
    const page = await readArchivePage(
      deps,
      { month: MARCH, filter: {}, ...(before_ && { before: before_ }) },
      100,
      "admin",
    );
    pages.push(...page.items);
    before_ = page.next ?? undefined;
  } while (before_);
  expect(pages).toEqual(before);
  await run(deps);
  expect((await listArchives(database.db))[0]?.rows).toBe(747);
});

test("an account reads its own rows, those of a project by the keys that are in it, without what is for operators", async () => {
  const { sql } = database;
  await sql`insert into projects (id, organization_id, name, created_at) values (7, 1, 'web', 1)`;
  await sql`insert into tokens (id, user_id, name, key_hash, key_cipher, created_time, project_id, created_by) values
    (5, 1, 'a', 'a', 'c', 1, 7, 2), (6, 1, 'b', 'b', 'c', 1, null, null)`;
  await sql`update logs set token_id = 5 + user_id % 2, channel_id = 3, other = '{"admin_info":{"secret":1},"note":"n"}'
    where request_id in ('r10', 'r12')`;
  await sql`update logs set token_id = 5 where request_id = 'r12'`;
  const deps = toFolder({ "*": 7 });
  await run(deps);
  const own = async (filter: ArchiveQuery["filter"]) => {
    const page = await readArchivePage(deps, { month: MARCH, filter: { ...filter, userId: 1 } }, 1000, "owner");
    return page.items;
  };
  const rows = await own({ type: 2 });
  expect(rows.length).toBe(372);
  expect(new Set(rows.map(({ username }) => username))).toEqual(new Set(["ann"]));
  const [inProject, ...others] = await own({ projectId: 7 });
  expect(inProject).toMatchObject({ request_id: "r12", channel: 0, other: '{"note":"n"}' });
  expect(others).toEqual([]);
  expect((await own({ memberId: 2 })).map(({ request_id }) => request_id)).toEqual(["r12"]);
  expect(await own({ projectId: 8 })).toEqual([]);
});

test("user groups have their own rules; what administrators did follows the one for all others", async () => {
  const before = await contents();
  const deps = toFolder({ free: 25, vip: 35, "*": 3650 });
  await run(deps);
  const left = await contents();
  const ofUser = (id: number) => left.filter((row) => row.user_id === id && row.type !== 3).at(-1)?.created_at;
  expect(ofUser(1)).toBe(NOW - 25 * DAY_S);
  expect(ofUser(2)).toBe(NOW - 35 * DAY_S + 3600);
  expect(left.filter(({ type }) => type === 3)).toHaveLength(1);
  // Two files whose times overlap are one list.
  const [month] = await listArchives(database.db);
  expect(month).toMatchObject({ files: 2, rows: before.length - left.length });
  const isLeft = new Set(left.map(({ id }) => id));
  expect(await archived(deps)).toEqual(before.filter(({ id }) => !isLeft.has(id)));
  expect(await wrongBooks()).toEqual([]);
});

test("S3 gets signed requests, and rows stay while it is down or stores something else", async () => {
  const before = await contents();
  const deps = toS3({ "*": 7 });
  s3.state.isDown = true;
  await expect(run(deps)).rejects.toThrow("HTTP 503");
  s3.state.isDown = false;
  s3.state.tamper = (bytes) => bytes.slice(0, -1);
  await expect(run(deps)).rejects.toThrow("archive_file_damaged");
  expect(await contents()).toEqual(before);
  expect(await listArchives(database.db)).toEqual([]);
  s3.state.tamper = (bytes) => bytes;
  await run(deps);
  expect(await contents()).toEqual([]);
  expect([...s3.objects.keys()]).toHaveLength(1);
  expect([...s3.objects.keys()][0]).toStartWith("/logs/sluice/2026-03/log-2026-03-");
  expect(s3.state.refused).toBe(0);
  expect(await archived(deps)).toEqual(before);
  await testPlace(deps, "en");
  expect([...s3.objects.keys()]).toHaveLength(1);
  await expect(testPlace(depsWith({ LogArchive: "s3" }), "en")).rejects.toThrow("archive_s3_incomplete");
});

/** The database of a process that dies at its n-th deletion, update or insertion of an archive. */
function dying(place: "written" | "deleted" | "half"): TestDatabase {
  let deletions = 0;
  const fail = () => {
    throw new Error("killed");
  };
  const execute = async (...query: Parameters<TestDatabase["db"]["execute"]>) => {
    deletions += 1;
    if (place === "written" || (place === "half" && deletions === 2)) fail();
    return database.db.execute(...query);
  };
  const update = (...table: Parameters<TestDatabase["db"]["update"]>) => ({
    set(values: Record<string, unknown>) {
      if (place === "deleted" && values.state === "done") fail();
      return database.db.update(...table).set(values);
    },
  });
  return { ...database, db: Object.create(database.db, { execute: { value: execute }, update: { value: update } }) };
}

test.each(["written", "half", "deleted"] as const)(
  "a process that dies when its file was %s: the next one ends what it began, each row once",
  async (when) => {
    await database.sql`insert into logs (created_at, type, user_id, request_id)
      select ${MARCH} + 7 * 86400 + n, 2, 2, 'more' || n from generate_series(1, 3000) n`;
    const before = await database.sql`select id from logs order by created_at desc, id desc`;
    const deps = toFolder({ "*": 7 });
    await expect(run({ ...deps, database: dying(when) })).rejects.toThrow("killed");
    expect((await listArchives(database.db))[0]?.is_moving).toBe(true);
    await run(deps);
    expect(await database.sql`select from logs`).toHaveLength(0);
    expect((await archived(deps)).map(({ id }) => id)).toEqual(before.map(({ id }) => Number(id)));
    expect((await listArchives(database.db))[0]).toMatchObject({ rows: 3747, files: 1, is_moving: false });
    expect(await wrongBooks()).toEqual([]);
  },
);

test("a file that was being written when its process died is written again", async () => {
  const before = await contents();
  const deps = toS3({ "*": 7 });
  await database.sql`insert into log_archives (place, name, state, is_open, created_at)
    values ('s3', '2026-03/half.parquet', 'writing', true, 1)`;
  s3.objects.set("/logs/sluice/2026-03/half.parquet", new Uint8Array(3));
  await run(deps);
  expect([...s3.objects.keys()].join()).not.toContain("half");
  expect(await archived(deps)).toEqual(before);
});

test("calls that an export still waits for stay", async () => {
  const [half] = await database.sql`select id from logs where request_id = 'r400'`;
  await database.sql`insert into usage_sinks (type, name, config_cipher, position, created_at)
    values ('webhook', 'w', '', ${Number(half?.id) - 1}, 1)`;
  await run(depsWith({ LogRetention: '{"*": 7}' }));
  expect((await contents()).at(-1)?.request_id).toBe("r400");
});
