import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  addBudget,
  addToken,
  addUser,
  booksOf,
  budgetBooks,
  temporaryDirectory,
  tokenBooks,
} from "../support/billing/start-billing.ts";
import type { Round } from "../support/billing/workers/last-call-worker.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { shortLivedEnv } from "../support/processes/run-command.ts";

/** A balance for exactly ten calls serves exactly ten, whichever of several processes they come to. On Postgres only. */

const AFFORDABLE = 10;
const PARALLEL = 1000;
const AMOUNT = 10_000;
const ROUNDS = Number(process.env.LAST_CALL_ROUNDS ?? 3);
const PLENTY = 1_000_000_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let processes: Spender[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

type Spender = Readonly<{ run(round: Round): Promise<number>; end(): Promise<void> }>;

async function startSpenders(count: number): Promise<void> {
  const ready = Array.from({ length: count }, async () => {
    const options = JSON.stringify({ databaseUrl: database.url, dataDir: directory.path, processes: count });
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "../support/billing/workers/last-call-worker.ts"), options],
      {
        env: shortLivedEnv(),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const lines = readLines(child.stdout);
    const nextLine = async () => (await lines.next()).value;
    expect(await nextLine()).toBe("ready");
    processes.push({
      async run(round) {
        child.stdin.write(`${JSON.stringify(round)}\n`);
        child.stdin.flush();
        return Number(await nextLine());
      },
      async end() {
        child.stdin.end();
        expect(await child.exited).toBe(0);
      },
    });
  });
  await Promise.all(ready);
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

const runAll = async (round: Omit<Round, "calls">, calls = PARALLEL): Promise<number> => {
  const share = calls / processes.length;
  const counts = await Promise.all(processes.map(({ run }) => run({ ...round, calls: share })));
  return counts.reduce((sum, count) => sum + count, 0);
};

describe.skipIf(!process.env.TEST_DATABASE_URL).each([2, 4])("%p processes", (count) => {
  beforeAll(() => startSpenders(count), 60_000);
  afterAll(async () => {
    await Promise.all(processes.map(({ end }) => end()));
    processes = [];
  });

  test.each([
    ["the user", AFFORDABLE * AMOUNT, null, []],
    ["the key", PLENTY, AFFORDABLE * AMOUNT, []],
    ["both", AFFORDABLE * AMOUNT, AFFORDABLE * AMOUNT, []],
    ["a project's budget", PLENTY, null, [AFFORDABLE * AMOUNT]],
    [
      "key, project and organization",
      AFFORDABLE * AMOUNT,
      AFFORDABLE * AMOUNT,
      [AFFORDABLE * AMOUNT, AFFORDABLE * AMOUNT],
    ],
  ])(
    "a limit of ten calls on %s: of 1,000 parallel calls ten are covered, each time",
    async (_, quota, limit, budgetLimits) => {
      const { sql } = database;
      for (let round = 0; round < ROUNDS; round++) {
        const userId = await addUser(sql, quota);
        const token = { id: await addToken(sql, userId, limit), limited: limit !== null };
        const budgets = await Promise.all(budgetLimits.map((units) => addBudget(sql, userId, units)));
        const covered = await runAll({ userId, token, budgets, amount: AMOUNT, lastsMs: round * 20 });
        expect({ round, covered }).toEqual({ round, covered: AFFORDABLE });
        expect(await booksOf(sql, userId)).toMatchObject({ used: AFFORDABLE * AMOUNT, uncovered: 0 });
        if (limit !== null) expect(await tokenBooks(sql, token.id)).toMatchObject({ remain: 0, used: limit });
        for (const id of budgets)
          expect(await budgetBooks(sql, id)).toMatchObject({ remaining: 0, spent: AFFORDABLE * AMOUNT });
      }
    },
    120_000,
  );

  test("what is left after calls on all of them goes to the next call, at once, wherever it comes", async () => {
    const { sql } = database;
    for (let round = 0; round < ROUNDS; round++) {
      const userId = await addUser(sql, 32 * AMOUNT);
      const token = { id: await addToken(sql, userId, 32 * AMOUNT), limited: true };
      const call = { userId, token, amount: AMOUNT, lastsMs: 0 };
      // Each process sets a part aside.
      for (const { run } of processes) expect(await run({ ...call, calls: 1 })).toBe(1);
      const last = processes[round % count] as Spender;
      const left = 32 - count;
      expect(await last.run({ ...call, calls: left })).toBe(left);
      expect(await last.run({ ...call, calls: 1 })).toBe(0);
      expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, uncovered: 0 });
    }
  }, 120_000);
});
