import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { openDatabase } from "../../../db/connect.ts";
import { drawingTasks } from "../../../db/schema/tasks.ts";
import type { Database } from "../../../db/types.ts";
import { createBilling } from "../../../src/billing/billing.ts";
import { pollTasks } from "../../../src/domain/tasks/polling/poll-tasks.ts";
import { midjourney } from "../../../src/providers/media/midjourney.ts";
import { NO_CHANGES } from "../../support/billing/no-changes.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../../support/billing/start-billing.ts";
import { startMidjourney } from "../../support/gateway/fake-midjourney.ts";
import { BALANCE, taskDeps } from "../../support/gateway/start-tasks.ts";
import type { Ordering } from "../../support/gateway/workers/ordering-worker.ts";
import { shortLivedEnv } from "../../support/processes/run-command.ts";

/** A gateway that is killed at any state of a task: the task goes on, and is charged once or given back once. */

const PRICE = 50_000;
const SLOW_MS = 240_000;
const TEN_MINUTES_AND_MORE_S = 1000;

const upstream = startMidjourney();
const channel = { type: 2, baseUrl: upstream.url, keys: ["mj-secret"], models: midjourney.models };
const people: { userId: number; tokenId: number }[] = [];
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await restarted(async ({ sql }) => {
    await addChannel(sql);
    for (let count = 0; count < 6; count += 1) {
      const userId = await addUser(sql, BALANCE);
      people.push({ userId, tokenId: await addToken(sql, userId, BALANCE) });
    }
  });
}, SLOW_MS);
afterAll(async () => {
  upstream.stop();
  await directory.remove();
});

const nextPerson = () => {
  const person = people.pop();
  if (!person) throw new Error("no user is left");
  return person;
};

/** The database as a start finds it, until `use` is done; charges that were left are written first. */
async function restarted(use: (database: Database) => Promise<void>): Promise<void> {
  const dataDir = directory.path;
  const database = await openDatabase({ databaseUrl: null, dataDir });
  const processId = Bun.randomUUIDv7();
  const billing = await createBilling({ database, changes: NO_CHANGES, dataDir, processId, log: silentLog });
  try {
    await use(database);
  } finally {
    await billing.close();
    await database.close();
  }
}

async function runAndDie(options: Omit<Ordering, "dataDir" | "upstreamUrl">): Promise<void> {
  const ordering: Ordering = { ...options, dataDir: directory.path, upstreamUrl: upstream.url };
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "../../support/gateway/workers/ordering-worker.ts"),
      JSON.stringify(ordering),
    ],
    {
      env: shortLivedEnv(),
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  upstream.whenOrdered(options.dies === "asked" ? () => child.kill("SIGKILL") : null);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

/** Asks how the user's tasks stand; `laterS` seconds after they were ordered. */
async function poll(database: Database, userId: number, laterS = 0): Promise<void> {
  // Row, record and roll-up move back together, as if the clock had gone on.
  const { sql } = database;
  await sql`update drawing_tasks set polled_at = 0, created_at = created_at - ${laterS} where user_id = ${userId}`;
  await sql`update logs set created_at = created_at - ${laterS} where request_id is not null and user_id = ${userId}`;
  await sql`
    update usage_rollups r set hour = l.created_at - l.created_at % 3600
    from logs l where l.type = 2 and l.user_id = r.user_id and r.user_id = ${userId}`;
  await pollTasks(taskDeps(database, NO_CHANGES, { channels: [channel] }));
}

async function books({ sql, db }: Database, { userId, tokenId }: (typeof people)[number]) {
  const user = await booksOf(sql, userId);
  const key = await tokenBooks(sql, tokenId);
  const [task] = await db.select().from(drawingTasks).where(eq(drawingTasks.userId, userId));
  const refunds = await sql`select 1 from logs where type = 4 and user_id = ${userId}`;
  return {
    spent: BALANCE - user.quota,
    keySpent: BALANCE - key.remain,
    used: [user.used, key.used, user.rolledUp],
    held: user.held,
    refunds: refunds.length,
    status: task?.status,
    refunded: task?.refunded,
  };
}

const CHARGED = { spent: PRICE, keySpent: PRICE, used: [PRICE, PRICE, PRICE], held: 0, refunds: 0, refunded: 0 };
const FREE = { spent: 0, keySpent: 0, used: [0, 0, 0], held: 0 };

describe("a gateway that dies", () => {
  for (const dies of ["asked", "before_charge"] as const) {
    test(
      `at “${dies}”: the task fails in the end and was never charged`,
      async () => {
        const person = nextPerson();
        await runAndDie({ ...person, work: "order", dies });
        await restarted(async (database) => {
          await poll(database, person.userId);
          expect(await books(database, person)).toMatchObject({ ...FREE, status: "NOT_START" });
          await poll(database, person.userId, TEN_MINUTES_AND_MORE_S);
          expect(await books(database, person)).toMatchObject({ ...FREE, refunds: 0, status: "FAILURE", refunded: 0 });
        });
      },
      SLOW_MS,
    );
  }

  test(
    "when the charge is written and the task not yet taken: it fails, and the charge goes back once",
    async () => {
      const person = nextPerson();
      await runAndDie({ ...person, work: "order", dies: "after_charge" });
      await restarted(async (database) => {
        expect(await books(database, person)).toMatchObject({ ...CHARGED, status: "NOT_START" });
        await poll(database, person.userId, TEN_MINUTES_AND_MORE_S);
        await poll(database, person.userId);
        expect(await books(database, person)).toMatchObject({
          ...FREE,
          refunds: 1,
          status: "FAILURE",
          refunded: PRICE,
        });
      });
    },
    SLOW_MS,
  );

  test(
    "when the task is taken: it goes on and stays charged",
    async () => {
      const person = nextPerson();
      await runAndDie({ ...person, work: "order", dies: "taken" });
      upstream.finish(upstream.lastId());
      await restarted(async (database) => {
        await poll(database, person.userId);
        expect(await books(database, person)).toMatchObject({ ...CHARGED, status: "SUCCESS" });
      });
    },
    SLOW_MS,
  );

  for (const dies of ["before_commit", "after_commit"] as const) {
    test(
      `in the middle of giving back, at “${dies}”: it is returned once`,
      async () => {
        const person = nextPerson();
        await runAndDie({ ...person, work: "order", dies: "taken" });
        upstream.move(upstream.lastId(), { status: "FAILURE", failReason: "banned" });
        await runAndDie({ ...person, work: "poll", dies });
        await restarted(async (database) => {
          const between = dies === "before_commit" ? CHARGED : { ...FREE, refunds: 1, status: "FAILURE" };
          expect(await books(database, person)).toMatchObject(between);
          await poll(database, person.userId);
          await poll(database, person.userId);
          const after = { ...FREE, refunds: 1, status: "FAILURE", refunded: PRICE };
          expect(await books(database, person)).toMatchObject(after);
        });
      },
      SLOW_MS,
    );
  }
});
