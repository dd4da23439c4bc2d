/** When balances are read, and what is made of the pages; the statements themselves are tested on the engines. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { Sql } from "../../../../db/types.ts";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import { Accounts } from "./accounts.ts";
import { loadBalances } from "./load-balances.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
};
type Row = readonly [id: number, quota: number, held: number];

/** A database whose tables have these rows; `pages` has each request for a page as it came. */
function open(
  kind: "server" | "embedded",
  users: readonly Row[],
  others: Readonly<Record<string, readonly Row[]>> = {},
) {
  const tables: Record<string, readonly Row[]> = { users, tokens: [], budgets: [], ...others };
  const pages: { table: string; last: number; rows: number }[] = [];
  const failures: Error[] = [];
  const state = { gate: Promise.resolve(), text: null as string | null };
  const read = async (values: readonly unknown[]) => {
    const table = values.flatMap((value) => (isTable(value, tables) ? [value.name] : []))[0] ?? "";
    const [last = 0, rows = 0] = values.filter((value) => typeof value === "number");
    pages.push({ table, last, rows });
    await state.gate;
    const failure = failures.shift();
    if (failure) throw failure;
    const page = (tables[table] ?? []).filter(([id]) => id > last).slice(0, rows);
    return [
      {
        count: page.length,
        text: state.text ?? (page.length > 0 ? page.map((row) => row.join(" ")).join("\n") : null),
      },
    ];
  };
  const sql = (text: TemplateStringsArray | string, ...values: unknown[]) =>
    typeof text === "string" ? { name: text } : read(values);
  const accounts = new Accounts(false);
  const start = () =>
    loadBalances({
      sql: Object.assign(sql, { unsafe: (raw: string) => ({ raw }) }) as unknown as Sql,
      kind,
      accounts,
      log: silentLog,
    });
  return { accounts, pages, failures, state, start };
}
const isTable = (value: unknown, tables: object): value is { name: string } =>
  typeof value === "object" && value !== null && "name" in value && String(value.name) in tables;
const rows = (count: number): Row[] => Array.from({ length: count }, (_, at) => [at + 1, (at + 1) * 10, at]);

describe("all balances", () => {
  test("are known once the last page of every subject was read", async () => {
    const { accounts, start, pages } = open("server", rows(3), { tokens: [[7, 70, 1]], budgets: [[9, 90, 2]] });
    const loader = start();
    expect(loader.isComplete()).toBe(false);
    await settle();
    expect(loader.isComplete()).toBe(true);
    expect(pages.map(({ table }) => table)).toEqual(["users", "tokens", "budgets"]);
    const known = (["user", "token", "budget"] as const).map((subject) =>
      [...accounts.balances(subject)].map(({ id, quota, held }) => [id, quota, held]),
    );
    expect(known).toEqual([rows(3).map((row) => [...row]), [[7, 70, 1]], [[9, 90, 2]]]);
    await loader.close();
  });

  test.each([
    ["server", 5000, 5],
    ["embedded", 2000, 20],
  ] as const)("are read in pages with a rest between them: %s", async (kind, size, restMs) => {
    const { accounts, start, pages } = open(kind, rows(size + 1));
    const loader = start();
    await settle();
    expect([pages.length, [...accounts.balances("user")].length]).toEqual([1, size]);
    jest.advanceTimersByTime(restMs - 1);
    await settle();
    expect(pages).toHaveLength(1);
    jest.advanceTimersByTime(1);
    await settle();
    expect([[...accounts.balances("user")].length, loader.isComplete()]).toEqual([size + 1, true]);
    expect(pages.slice(0, 2)).toEqual([
      { table: "users", last: 0, rows: size },
      { table: "users", last: size, rows: size },
    ]);
    await loader.close();
  });

  test("are read again after five seconds where the database did not answer, or not in words", async () => {
    const { start, pages, failures, state } = open("server", rows(1));
    failures.push(new Error("connection refused"));
    const loader = start();
    await settle();
    jest.advanceTimersByTime(4999);
    await settle();
    expect([pages.length, loader.isComplete()]).toEqual([1, false]);
    state.text = "1 10";
    jest.advanceTimersByTime(1);
    await settle();
    expect([pages.length, loader.isComplete()]).toEqual([2, false]);
    state.text = null;
    jest.advanceTimersByTime(5000);
    await settle();
    expect(loader.isComplete()).toBe(true);
    await loader.close();
  });

  test("are read again every ten minutes from a server, and on request", async () => {
    for (const kind of ["server", "embedded"] as const) {
      const { start, pages } = open(kind, rows(1));
      const loader = start();
      await settle();
      jest.advanceTimersByTime(599_999);
      await settle();
      expect(pages).toHaveLength(3);
      jest.advanceTimersByTime(1);
      await settle();
      expect(pages).toHaveLength(kind === "server" ? 6 : 3);
      pages.length = 0;
      loader.reload();
      await settle();
      expect(pages).toHaveLength(3);
      await loader.close();
    }
  });

  test("are read once more for all requests that come while they are read", async () => {
    const { start, pages, state } = open("server", rows(1));
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const loader = start();
    await settle();
    loader.reload();
    loader.reload();
    await settle();
    expect(pages).toHaveLength(1);
    gate.resolve();
    await settle();
    expect(pages).toHaveLength(6);
    await loader.close();
  });
});

describe("closing", () => {
  test("waits for the page under way, keeps nothing of it, and reads no other", async () => {
    const { accounts, start, pages, state } = open("server", rows(1));
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const loader = start();
    await settle();
    const closing = loader.close().then(() => "closed");
    await settle();
    expect(await Promise.race([closing, "waits"])).toBe("waits");
    gate.resolve();
    expect(await closing).toBe("closed");
    loader.reload();
    jest.advanceTimersByTime(1_200_000);
    await settle();
    expect([pages.length, [...accounts.balances("user")], loader.isComplete()]).toEqual([1, [], false]);
  });

  test("ends retries, also those of a failure that comes afterwards", async () => {
    for (const isLate of [false, true]) {
      const { start, pages, failures, state } = open("embedded", rows(1));
      const gate = Promise.withResolvers<void>();
      if (isLate) state.gate = gate.promise;
      failures.push(new Error("away"));
      const loader = start();
      await settle();
      const closing = loader.close();
      gate.resolve();
      await closing;
      jest.advanceTimersByTime(60_000);
      await settle();
      expect(pages).toHaveLength(1);
    }
  });
});
