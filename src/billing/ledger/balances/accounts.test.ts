import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { Accounts } from "./accounts.ts";

describe("accounts that no call uses", () => {
  const listOf = (accounts: Accounts) => [...accounts.balances("user")].map(({ id, quota }) => [id, quota]);

  test.each([
    ["ascending", (at: number) => at + 1],
    ["descending", (at: number) => 5000 - at],
    ["mixed", (at: number) => ((at * 1237) % 5000) + 1],
  ])("are kept by id, however many come in %s order", (_, idOf) => {
    const accounts = new Accounts(false);
    const count = 5000;
    for (let at = 0; at < count; at += 1) accounts.learn("user", idOf(at), idOf(at) * 10, idOf(at), true);
    const ids = new Set(Array.from({ length: count }, (_unused, at) => idOf(at)));
    expect(listOf(accounts)).toEqual([...ids].sort((a, b) => a - b).map((id) => [id, id * 10]));
    for (const id of [1, 2, 1024, 1025, 4999, 5000]) {
      expect(accounts.get("user", id).lastKnown).toEqual(ids.has(id) ? { quota: id * 10, held: id } : null);
    }
    expect([accounts.get("user", 5001).lastKnown, accounts.get("token", 1).lastKnown]).toEqual([null, null]);
  });

  test("are not taken for one another", () => {
    const accounts = new Accounts(false);
    for (const id of [2, 4, 6]) accounts.learn("user", id, id * 10, 0, true);
    const known = [0, 1, 2, 3, 4, 5, 6, 7].map((id) => accounts.get("user", id).lastKnown?.quota);
    expect(known).toEqual([undefined, undefined, 20, undefined, 40, undefined, 60, undefined]);
  });

  test("are known to the unit, from nothing to the most", () => {
    const accounts = new Accounts(false);
    const balances = [0, 1, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];
    for (const [at, quota] of balances.entries()) accounts.learn("user", at + 1, quota, at, true);
    expect(listOf(accounts)).toEqual(balances.map((quota, at) => [at + 1, quota]));
    expect(accounts.get("user", 1).lastKnown).toEqual({ quota: 0, held: 0 });
    accounts.learn("user", 2, 1, 0, true);
    expect([...accounts.balances("user")].map(({ held }) => held)).toEqual([0, 0, 2, 3]);
  });

  test("are replaced, not doubled", () => {
    const accounts = new Accounts(false);
    for (const quota of [5, 7]) for (const id of [3, 1, 2]) accounts.learn("user", id, quota * id, 0, true);
    expect(listOf(accounts)).toEqual([
      [1, 7],
      [2, 14],
      [3, 21],
    ]);
  });
});

describe("accounts that calls use", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("are the same object until they are forgotten, which keeps their balance", () => {
    const accounts = new Accounts(false);
    expect(accounts.find("user", 1)).toBeUndefined();
    const used = accounts.get("user", 1);
    used.absorb({ quota: 100, held: 20, own: 5 }, 0);
    accounts.learn("user", 2, 50, 0, true);
    const other = accounts.get("budget", 1);
    expect([accounts.get("user", 1), accounts.find("user", 1)]).toEqual([used, used]);
    expect([[...accounts.used("user")], [...accounts.allUsed()]]).toEqual([[used], [used, other]]);
    expect([...accounts.balances("user")]).toEqual([
      { id: 1, quota: 100, held: 20, own: 5 },
      { id: 2, quota: 50, held: 0, own: 0 },
    ]);
    expect([...accounts.balances("budget")]).toEqual([]);
    accounts.forget(used);
    accounts.forget(other);
    expect(accounts.find("user", 1)).toBeUndefined();
    expect([...accounts.balances("user")][0]).toEqual({ id: 1, quota: 100, held: 20, own: 0 });
    expect(accounts.get("user", 1).lastKnown).toEqual({ quota: 100, held: 20 });
    expect([...accounts.balances("user")].map(({ id }) => id)).toEqual([1, 2]);
  });

  test("take over what others know only where their own reading is older than four seconds", () => {
    const accounts = new Accounts(false);
    jest.advanceTimersByTime(60_000);
    const used = accounts.get("user", 1);
    used.absorb({ quota: 100, held: 20, own: 5 }, performance.now());
    jest.advanceTimersByTime(4000);
    accounts.learn("user", 1, 70, 10, false);
    expect(used.lastKnown).toEqual({ quota: 100, held: 20 });
    jest.advanceTimersByTime(1);
    accounts.learn("user", 1, 60, 10, true);
    expect(used.lastKnown).toEqual({ quota: 100, held: 20 });
    accounts.learn("user", 1, 70, 10, false);
    expect([used.lastKnown, used.own]).toEqual([{ quota: 70, held: 10 }, 5]);
  });
});
