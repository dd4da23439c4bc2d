/** Records that say whatever callers may say, among those of others: all are charged in time, and none stops the rest. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostileText, seededRandom, TEXT_FIELDS, withValue } from "../../../test/support/billing/hostile-records.ts";
import {
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  usageRecord,
} from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/lib/until.ts";
import { type Billing, createBilling } from "../billing.ts";
import { FIELD, recordText } from "../journal/apply/record-text.ts";
import { listPending, setPendingAside } from "../journal/pending/pending-records.ts";
import { RejectedRecords } from "../journal/rejected/rejected.ts";
import { editRejected, listRejected, replayRejected } from "../journal/rejected/replay-rejected.ts";
import { linesOf, segmentName } from "../journal/segments/segment.ts";
import type { UsageRecord } from "../types.ts";

const VALUES = 20_000;
const ROUNDS = 20;
const VALUES_A_RECORD = 4;
/** A call's charge is in the database by then, whatever others do. */
const CHARGED_WITHIN_MS = 10_000;
const TEST_MS = 120_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
const opened = new Set<Billing>();
const random = seededRandom(41);

beforeAll(async () => {
  database = await openTestDatabase();
}, TEST_MS);
beforeAll(async () => {
  directory = await temporaryDirectory();
});
const closeAll = async () => {
  for (const billing of opened) await billing.close();
  opened.clear();
};
afterEach(closeAll);
afterAll(async () => {
  await database.close();
  await directory.remove();
});

const root = () => join(directory.path, "journal");

async function open(): Promise<Billing> {
  const processId = Bun.randomUUIDv7();
  const { changes } = database;
  const billing = await createBilling({ database, changes, dataDir: directory.path, processId, log: silentLog });
  opened.add(billing);
  return billing;
}

/** A call of `userId` with hostile values in as many fields as a record gets. */
function hostileRecord(userId: number): UsageRecord {
  let record = usageRecord({ userId, quota: 1 });
  for (let count = 0; count < VALUES_A_RECORD; count += 1) {
    const path = TEXT_FIELDS[Math.floor(random() * TEXT_FIELDS.length)] ?? [];
    // A request's id is the gateway's own, and two calls never have the same.
    record = withValue(
      record,
      path,
      path[0] === "requestId" ? record.requestId + hostileText(random) : hostileText(random),
    );
  }
  return record;
}

/** The text as releases wrote it that knew no bounds. */
const unboundedText = (record: UsageRecord, modelName: string): string =>
  recordText(record).split(FIELD).with(7, modelName).join(FIELD);

/** What a killed process leaves. */
function leaveBehind(texts: readonly string[]): void {
  const folder = join(root(), `0199-${Bun.randomUUIDv7()}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, segmentName(1)), "");
  for (let at = 0; at < texts.length; at += 500) {
    appendFileSync(join(folder, segmentName(1)), linesOf(texts.slice(at, at + 500)).bytes);
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

test(
  `${VALUES} hostile values under another's calls, with a restart in the middle`,
  async () => {
    const { sql } = database;
    const hostile = await addUser(sql, 1_000_000);
    const other = await addUser(sql, 1_000_000);
    let billing = await open();
    let calls = 0;
    const records = VALUES / VALUES_A_RECORD / ROUNDS;
    const usual = await addUser(sql, 1_000_000);
    for (let count = 0; count < records; count += 1) void billing.record(usageRecord({ userId: usual, quota: 1 }));
    // On a machine that others keep busy ordinary records take long, too.
    const most = Math.max(CHARGED_WITHIN_MS, 20 * (await timeMs(() => billing.flush())));
    const inTime = async (work: () => Promise<unknown>) => expect(await timeMs(work)).toBeLessThan(most);
    const charge = async () => {
      calls += 1;
      const hold = await billing.reserve({ userId: other, token: null, amount: 20 });
      void billing.settle(hold, usageRecord({ userId: other, quota: 10 }));
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      await charge();
      for (let count = 0; count < records; count += 1) void billing.record(hostileRecord(hostile));
      await charge();
      await inTime(() => billing.flush());
      expect(await booksOf(sql, other)).toMatchObject({ used: 10 * calls, rows: calls });
      if (round !== ROUNDS / 2) continue;
      await closeAll();
      // Among them what the release before could leave: names that no index takes, and texts that are no records.
      const texts = Array.from({ length: records }, () => recordText(hostileRecord(hostile)));
      for (let count = 0; count < 200; count += 1) {
        const name = Array.from({ length: 3000 }, () => String.fromCharCode(0x4e00 + random() * 20_000)).join("");
        texts.splice(
          Math.floor(random() * texts.length),
          0,
          unboundedText(usageRecord({ userId: hostile, quota: 1 }), name),
        );
      }
      texts.push(recordText(usageRecord({ userId: other, quota: 10 })));
      calls += 1;
      leaveBehind(texts);
      await inTime(async () => {
        billing = await open();
      });
      expect(await booksOf(sql, other)).toMatchObject({ used: 10 * calls, rows: calls });
    }
    const rows = VALUES / VALUES_A_RECORD + records + 200;
    expect(await booksOf(sql, hostile)).toMatchObject({ quota: 1_000_000 - rows, used: rows, rows, rolledUp: rows });
    expect(billing.status()).toMatchObject({ rejectedRecords: 0, pendingRecords: 0, databaseDown: false });
  },
  TEST_MS,
);

describe("records that the database refuses all the same", () => {
  beforeAll(async () => {
    await database.sql.unsafe(`
    create function refuse_row() returns trigger language plpgsql as $$
      begin
        if new.model_name like 'refused %' then raise exception 'refused row' using errcode = split_part(new.model_name, ' ', 2); end if;
        return new;
      end $$;
    create trigger refuse_row before insert on logs for each row execute function refuse_row()`);
  });
  afterAll(async () => {
    await database.sql.unsafe("drop trigger refuse_row on logs; drop function refuse_row()");
  });

  const rejectedOf = async (userId: number) =>
    (await listRejected(root())).filter(({ entry }) => (entry?.record ?? entry?.readable)?.userId === userId);

  test.each(["22021", "23514", "54000", "P0001", "XX000", "42501", "55000"])(
    "%s: they are charged without their rows and put aside with the reason; others pass",
    async (state) => {
      const userId = await addUser(database.sql, 1000);
      const billing = await open();
      for (let count = 0; count < 20; count += 1) {
        const modelName = count % 7 === 3 ? `refused ${state}` : "gpt-4o";
        void billing.record(usageRecord({ userId, quota: 10, modelName }));
      }
      await billing.flush();
      expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 800, used: 200, rows: 17 });
      const rejected = await rejectedOf(userId);
      expect(rejected).toHaveLength(3);
      for (const { entry, problem } of rejected) {
        expect(entry).toMatchObject({ reason: "refused row", charged: true, record: { quota: 10 } });
        expect(problem).toBeNull();
      }
      const [first] = rejected;
      const which = first?.entry?.record?.requestId ?? "";
      expect(await replayRejected(database.sql, root(), { which })).toMatchObject({ known: 1, charged: [], left: [] });
      expect(await rejectedOf(userId)).toHaveLength(2);
      expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 800 });
    },
    TEST_MS,
  );

  test("a start charges what it can, and puts the rest aside", async () => {
    const { sql } = database;
    const userId = await addUser(sql, 1000);
    const damaged = recordText(usageRecord({ userId, quota: 10 }))
      .split(FIELD)
      .with(18, "{no json")
      .join(FIELD);
    const timeless = recordText(usageRecord({ userId, quota: 10 }))
      .split(FIELD)
      .with(1, "never")
      .join(FIELD);
    const free = recordText(usageRecord({ userId, quota: 0, failed: true, modelName: "refused P0001" }));
    const good = recordText(usageRecord({ userId, quota: 10 }));
    for (const text of [damaged, timeless, free]) leaveBehind([text]);
    leaveBehind([damaged, good, timeless, free, `not a record ${userId}`]);
    const billing = await open();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 990, used: 10, rows: 1 });
    const reasons = (await rejectedOf(userId)).map(({ entry }) => [entry?.reason, entry?.charged]);
    expect(reasons.filter(([reason]) => reason === "refused row")).toEqual([
      ["refused row", undefined],
      ["refused row", undefined],
    ]);
    expect(reasons).toHaveLength(6);
    expect(billing.status().databaseDown).toBe(false);
  });

  test("while the database takes no record at all, none is put aside", async () => {
    const { sql } = database;
    const userId = await addUser(sql, 1000);
    const billing = await open();
    const before = billing.status().rejectedRecords;
    await sql`alter table logs rename to logs_away`;
    try {
      for (let count = 0; count < 5; count += 1) void billing.record(usageRecord({ userId, quota: 10 }));
      await until(() => billing.status().databaseDown);
      expect(billing.status()).toMatchObject({ pendingRecords: 5, rejectedRecords: before });
    } finally {
      await sql`alter table logs_away rename to logs`;
    }
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 950, rows: 5 });
  });

  test("an edited record is charged with its row", async () => {
    const { sql } = database;
    const userId = await addUser(sql, 1000);
    const rejected = new RejectedRecords(root());
    const text = recordText(usageRecord({ userId, quota: 10, modelName: "refused P0001" }));
    await rejected.add("process", { text, end: 0 }, { reason: "refused row", isCharged: false });
    const [entry] = await rejectedOf(userId);
    const which = String(entry?.number);
    expect(await replayRejected(sql, root(), { which })).toMatchObject({ left: [{ reason: "refused row" }] });
    expect(await editRejected(root(), which, "modelName", "gpt-4o")).toMatchObject({ record: { modelName: "gpt-4o" } });
    expect(await editRejected(root(), which, "quota", "much")).toMatchObject({ problem: "quota is missing or wrong" });
    expect(await editRejected(root(), which, "nothing", "1")).toMatchObject({ record: null });
    expect(await editRejected(root(), which, "other.tags", '["a"]')).toMatchObject({
      record: { other: { tags: ["a"] } },
    });
    expect(await replayRejected(sql, root(), { which })).toMatchObject({ charged: [{ modelName: "gpt-4o" }] });
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 990, rows: 1 });
    const [row] = await sql`select model_name, tags from logs where user_id = ${userId}`;
    expect(row).toMatchObject({ model_name: "gpt-4o", tags: ["a"] });
  });
});

describe("pending records", () => {
  test("of a process that ended are listed and put aside", async () => {
    const { sql } = database;
    const userId = await addUser(sql, 1000);
    const records = [1, 2, 3].map((quota) => usageRecord({ userId, quota, createdAt: NOW }));
    leaveBehind(records.map(recordText));
    const pending = await listPending(sql, root());
    expect(pending).toMatchObject(records.map(({ requestId, quota }) => ({ requestId, quota, inUse: false, userId })));
    const [, second] = records;
    expect(await setPendingAside(root(), second?.requestId ?? "")).toBe(true);
    expect(await setPendingAside(root(), "nobody's")).toBe(false);
    expect(await listPending(sql, root())).toHaveLength(2);
    await open();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 996, rows: 2 });
    expect(await replayRejected(sql, root(), { which: second?.requestId ?? "" })).toMatchObject({
      charged: [{ quota: 2 }],
    });
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 994, rows: 3 });
  });

  test("of a running process are put aside by it when it can't write them", async () => {
    const { sql } = database;
    const userId = await addUser(sql, 1000);
    const billing = await open();
    const records = [1, 2].map((quota) => usageRecord({ userId, quota }));
    await sql`alter table logs rename to logs_away`;
    try {
      for (const record of records) void billing.record(record);
      await until(() => billing.status().databaseDown);
      expect(await listPending(null, root())).toMatchObject([{ inUse: true }, { inUse: true }]);
      expect(await setPendingAside(root(), records[0]?.requestId ?? "")).toBe(true);
    } finally {
      await sql`alter table logs_away rename to logs`;
    }
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 998, rows: 1 });
    expect(existsSync(join(root(), ".set-aside"))).toBe(true);
    expect(readFileSync(join(root(), "rejected.jsonl"), "utf8")).toContain(records[0]?.requestId ?? "");
  });
});
