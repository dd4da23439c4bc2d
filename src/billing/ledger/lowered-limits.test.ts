import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Changes, createChanges } from "../../../db/changes.ts";
import { openServer } from "../../../db/server/open-server.ts";
import type { Database } from "../../../db/types.ts";
import {
  addBudget,
  addToken,
  addUser,
  booksOf,
  chargeFor,
  silentLog,
} from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { type Billing, createBilling } from "../billing.ts";
import { BALANCES, type Subject } from "../subject.ts";
import { InsufficientQuota } from "./errors.ts";
import type { ReserveRequest } from "./ledger.ts";

setDefaultTimeout(120_000);

/** What a call sets aside, and costs. */
const PRICE = 1000;
/** So much that processes lend of it from memory and set whole chunks aside. */
const AMPLE = 500_000_000;
const TOPICS = { user: "users", token: "tokens", budget: "budgets" } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

type Process = Readonly<{ billing: Billing; changes: Changes; close(): Promise<void> }>;

/** A process with connections and a change feed of its own, where the engine allows it. */
async function startProcess(name: string): Promise<Process> {
  const { url } = database;
  const own: Database = url === null ? database : await openServer(url, 4);
  const changes = await createChanges(own, (error) => {
    throw error;
  });
  const billing = await createBilling({
    ...{ database: own, changes, log: silentLog, processId: Bun.randomUUIDv7() },
    dataDir: join(database.dataDir, name),
  });
  return {
    ...{ billing, changes },
    async close() {
      await billing.close();
      await changes.close();
      if (url !== null) await own.close();
    },
  };
}

type Limited = Readonly<{ id: number; request: ReserveRequest }>;

/** Somebody who may spend a lot, but for the limit that is looked at; that is ample too. */
async function addLimited(subject: Subject): Promise<Limited> {
  const { sql } = database;
  const userId = await addUser(sql, AMPLE);
  const token = subject === "token" ? { id: await addToken(sql, userId, AMPLE), limited: true } : null;
  const budgets = subject === "budget" ? [await addBudget(sql, userId, AMPLE)] : [];
  return { id: token?.id ?? budgets[0] ?? userId, request: { userId, token, budgets, amount: PRICE } };
}

/** What administration does: less is left, and everybody knows when that is answered. */
async function lower(subject: Subject, id: number, calls: number, by: Process): Promise<void> {
  const { table, quota } = BALANCES[subject];
  const { sql } = database;
  await sql`update ${sql(table)} set ${sql(quota)} = ${calls * PRICE} where id = ${id}`;
  await by.changes.enforce(TOPICS[subject], [id]);
}

async function readLeft(subject: Subject, id: number): Promise<{ left: number; held: number }> {
  const { table, quota } = BALANCES[subject];
  const { sql } = database;
  const [row] = await sql<{ left: number; held: number }[]>`
    select ${sql(quota)} as left, held from ${sql(table)} where id = ${id}`;
  return { ...(row as { left: number; held: number }) };
}

/** One call; answers whether it was covered. */
async function call({ billing }: Process, request: ReserveRequest, forMs: number): Promise<boolean> {
  try {
    const hold = await billing.reserve(request);
    await Bun.sleep(forMs);
    await billing.settle(hold, chargeFor(request, PRICE));
    return true;
  } catch (error) {
    if (error instanceof InsufficientQuota) return false;
    throw error;
  }
}

const counts = process.env.TEST_DATABASE_URL ? [2, 4] : [1];

describe.each(counts)("%d processes", (count) => {
  let processes: readonly Process[];
  beforeAll(async () => {
    processes = await Promise.all(Array.from({ length: count }, (_, index) => startProcess(`${count}-${index}`)));
    // Each knows of the others once those have announced themselves.
    for (const { billing } of processes) {
      for (let tries = 0; billing.status().liveProcesses < count && tries < 500; tries += 1) await Bun.sleep(20);
    }
  });
  afterAll(async () => {
    for (const { close } of processes) await close();
  });
  const at = (index: number): Process => processes[index % count] as Process;
  const flush = () => Promise.all(processes.map(({ billing }) => billing.flush()));

  test.each(["user", "token", "budget"] as const)(
    "%s: 300 calls right after the answer get exactly what is left",
    async (subject) => {
      for (const room of [2, 0, 37]) {
        const { id, request } = await addLimited(subject);
        await Promise.all(Array.from({ length: 6 * count }, (_, index) => call(at(index), request, 1)));
        await flush();
        await lower(subject, id, room, at(room));
        const served = await Promise.all(Array.from({ length: 300 }, (_, index) => call(at(index), request, 2)));
        expect(served.filter(Boolean).length).toBe(room);
        await flush();
        expect((await readLeft(subject, id)).left).toBe(0);
        expect(await booksOf(database.sql, request.userId)).toMatchObject({ uncovered: 0 });
      }
    },
  );

  test.each(["user", "token", "budget"] as const)(
    "%s: under running calls none is served after the answer beyond what is left, and all are charged",
    async (subject) => {
      for (let round = 0; round < 2; round += 1) {
        // Covers the calls that are under way and charges that are not written yet: what is not charged was served beyond it.
        const [loops, room] = [24, 800];
        const { id, request } = await addLimited(subject);
        let isLowered = false;
        const total = { served: 0, after: 0 };
        const keepCalling = async (index: number) => {
          for (let refused = 0; refused < 3; ) {
            const isAfter = isLowered;
            if (!(await call(at(index), request, 15 + (index % 7)))) refused += 1;
            else {
              total.served += 1;
              if (isAfter) total.after += 1;
            }
          }
        };
        const traffic = Promise.all(Array.from({ length: loops }, (_, index) => keepCalling(index)));
        await Bun.sleep(60 + 35 * round);
        await flush();
        await lower(subject, id, room, at(round));
        isLowered = true;
        await traffic;
        await flush();
        expect(total.after).toBeLessThanOrEqual(room);
        expect((await readLeft(subject, id)).left).toBe(0);
        const books = await booksOf(database.sql, request.userId);
        expect(books).toMatchObject({ uncovered: 0, logged: total.served * PRICE, rows: total.served });
      }
    },
  );
});
