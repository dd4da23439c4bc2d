/** What the ledger does while the database is away, and between calls. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { charge, openLedger, outcome, request, settle } from "../../../test/support/billing/fake-holds.ts";
import { LedgerUnavailable } from "./errors.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe("while the database is away", () => {
  const away = () => new Error("connection refused");

  test("calls get this process's share, then wait a moment and are turned away", async () => {
    const { database, ledger, outage, failures } = openLedger({ others: 1, spendRatio: 0.5 });
    database.add("user", 1, 1000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    database.failures.push(...Array.from({ length: 9 }, away));
    // The first call finds out that it is away: a quarter of 1000 is its share.
    expect(await outcome(ledger.reserveSlowly(request(200)))).toBe(true);
    expect([outage.isOver, failures.length > 0]).toEqual([false, true]);
    expect([ledger.reserveNow(request(51)), ledger.reserveNow(request(50)) !== null]).toEqual([null, true]);
    expect(await outcome(ledger.reserveSlowly(request(1001)))).toBe("user 750");
    const waiting = ledger.reserveSlowly(request(1)).catch((error: unknown) => error);
    await settle();
    expect(await waiting).toBeInstanceOf(LedgerUnavailable);
  });

  test("who waits for a slow one, which answers others, waits up to twenty seconds", async () => {
    const { database, ledger, state } = openLedger({ others: 1 });
    database.add("user", 1, 1000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    database.gate = new Promise(() => {});
    const waiting = ledger.reserveSlowly(request(5)).catch((error: unknown) => error);
    await settle();
    state.unansweredMs = 5000;
    jest.advanceTimersByTime(20_000);
    void ledger.sweep();
    await settle();
    expect(await Promise.race([waiting, "waits"])).toBe("waits");
    jest.advanceTimersByTime(1);
    void ledger.sweep();
    // It is not away: nobody spends a share.
    expect(await waiting).toBeInstanceOf(LedgerUnavailable);
  });

  test("who waits for one that went silent gets this process's share after five seconds", async () => {
    const { database, ledger, state } = openLedger({ others: 1, spendRatio: 1 });
    database.add("user", 1, 1000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    database.gate = new Promise(() => {});
    const waiting = ledger.reserveSlowly(request(5));
    state.unansweredMs = 5001;
    jest.advanceTimersByTime(5000);
    void ledger.sweep();
    await settle();
    expect(await Promise.race([waiting, "waits"])).toBe("waits");
    jest.advanceTimersByTime(1);
    void ledger.sweep();
    expect((await waiting).amount).toBe(5);
  });

  test("what was spent without it is set aside once it is back, and again when the others have done the same", async () => {
    const { database, ledger, outage } = openLedger({ others: 1, spendRatio: 1 });
    for (const id of [1, 2]) {
      database.add("user", id, 1000);
      ledger.accounts.get("user", id);
    }
    await ledger.refresh("user", [1, 2]);
    outage.begin(performance.now());
    database.failures.push(away());
    ledger.reserveNow(request(1));
    await settle();
    database.statements.length = 0;
    await ledger.refresh("user", [1]);
    await settle();
    expect(database.statements).toEqual(["read user 1", "acquire user 1"]);
    database.holds.clear();
    database.row("user", 1).held = 0;
    await ledger.refresh("user", [1]);
    database.statements.length = 0;
    jest.advanceTimersByTime(5000);
    await settle();
    expect(database.statements).toEqual(["acquire user 1"]);
  });

  test("alone a process has nobody to wait for when it is back", async () => {
    const { database, ledger, outage } = openLedger({ spendRatio: 1 });
    database.add("user", 1, 1000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    outage.begin(performance.now());
    ledger.reserveNow(request(9));
    await ledger.refreshAll();
    await settle();
    database.holds.clear();
    await ledger.refresh("user", [1]);
    database.statements.length = 0;
    jest.advanceTimersByTime(10_000);
    await settle();
    expect(database.statements).toEqual([]);
  });

  test("what was spent is set aside when it is back", async () => {
    const { database, ledger, outage } = openLedger({ others: 1, spendRatio: 1 });
    database.add("user", 1, 1000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    database.failures.push(away());
    await ledger.reserveSlowly(request(300));
    expect([outage.isOver, database.heldBy("me", "user", 1)]).toEqual([false, 0]);
    await ledger.refreshAll();
    await settle();
    expect([outage.isOver, database.heldBy("me", "user", 1)]).toEqual([true, 300]);
  });

  test("a silent one counts as away, and who waits is answered within seconds", async () => {
    const { database, ledger, outage, state } = openLedger({ others: 1 });
    database.add("user", 1, 1000, 1000);
    database.gate = new Promise(() => {});
    const waiting = ledger.reserveSlowly(request(5)).catch((error: unknown) => error);
    await settle();
    jest.advanceTimersByTime(5000);
    void ledger.sweep();
    expect(outage.isOver).toBe(true);
    jest.advanceTimersByTime(2);
    void ledger.sweep();
    // It has answered other statements.
    expect(outage.isOver).toBe(true);
    state.unansweredMs = 5001;
    void ledger.sweep();
    expect([outage.isOver, await waiting]).toEqual([false, expect.any(LedgerUnavailable)]);
  });
});

describe("upkeep", () => {
  test("keeps keys and budgets that calls use, like their user", async () => {
    const { database, ledger } = openLedger({ sole: true });
    for (const [subject, id] of [
      ["user", 1],
      ["token", 2],
      ["budget", 3],
    ] as const)
      database.add(subject, id, 1000);
    const call = request(1, { token: { id: 2, limited: true }, budgets: [3] });
    ledger.end(await ledger.reserveSlowly(call), "refunded");
    jest.advanceTimersByTime(600_000);
    const again = ledger.reserveNow(call);
    if (!again) throw new Error("it is not covered");
    ledger.end(again, "refunded");
    jest.advanceTimersByTime(600_000);
    await ledger.sweep();
    expect([...ledger.accounts.allUsed()]).toHaveLength(3);
    jest.advanceTimersByTime(1);
    await ledger.sweep();
    expect([...ledger.accounts.allUsed()]).toHaveLength(0);
  });

  test("asks again for what is missing, and is done once at a time", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 1000);
    ledger.expectCharge(charge(1));
    const gate = Promise.withResolvers<void>();
    database.gate = gate.promise;
    const sweeps = [ledger.sweep(), ledger.sweep()];
    await settle();
    gate.resolve();
    await Promise.all(sweeps);
    await settle();
    expect(database.statements.filter((statement) => statement === "read user 1")).toHaveLength(1);
    expect(database.heldBy("me", "user", 1)).toBeGreaterThanOrEqual(1);
    await ledger.sweep();
    expect(database.statements.filter((statement) => statement === "read user 1").length).toBeLessThanOrEqual(2);
  });

  test("ends scarcity, so that more than a call needs is set aside again", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 32_000);
    await ledger.refresh("user", [1]);
    await ledger.giveBack([{ subject: "user", id: 1 }]);
    const heldFor = async (amount: number) => {
      await ledger.reserveSlowly(request(amount));
      await settle();
      return database.heldBy("me", "user", 1);
    };
    expect(await heldFor(10)).toBe(10);
    jest.advanceTimersByTime(5001);
    await ledger.sweep();
    await settle();
    expect(await heldFor(10)).toBeGreaterThan(500);
  });

  test("forgets after ten minutes what no call uses, but not its balance", async () => {
    const { database, ledger } = openLedger({ sole: true });
    database.add("user", 1, 1000);
    await ledger.reserveSlowly(request(0));
    await ledger.refresh("user", [1]);
    const hold = ledger.reserveNow(request(10));
    if (!hold) throw new Error("it is not covered");
    jest.advanceTimersByTime(600_001);
    await ledger.sweep();
    expect(ledger.accounts.find("user", 1)).toBeDefined();
    ledger.end(hold, "refunded");
    ledger.reserveNow(request(0));
    jest.advanceTimersByTime(600_000);
    await ledger.sweep();
    expect(ledger.accounts.find("user", 1)).toBeDefined();
    jest.advanceTimersByTime(1);
    await ledger.sweep();
    expect([ledger.accounts.find("user", 1), [...ledger.accounts.balances("user")].length]).toEqual([undefined, 1]);
  });

  test("reads again what calls used within a minute, and what a charge left unknown", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 1000);
    ledger.reserveNow(request(0));
    await ledger.refresh("user", [1]);
    const reads = () => database.statements.filter((statement) => statement === "read user 1").length;
    jest.advanceTimersByTime(1500);
    await ledger.sweep();
    expect(reads()).toBe(1);
    jest.advanceTimersByTime(1);
    await ledger.sweep();
    expect(reads()).toBe(2);
    jest.advanceTimersByTime(60_000);
    await ledger.sweep();
    expect(reads()).toBe(2);
    ledger.absorb([{ subject: "user", id: 1, requested: 0, quota: null, held: null, own: null } as never]);
    await ledger.sweep();
    expect(reads()).toBe(3);
  });
});

test("in an outage a call that the share does not cover waits a moment for its end", async () => {
  const { database, ledger, outage } = openLedger({ others: 1 });
  database.add("user", 1, 1000, 0);
  ledger.accounts.get("user", 1);
  await ledger.refresh("user", [1]);
  outage.begin(0);
  database.gate = new Promise(() => {});
  const waiting = ledger.reserveSlowly(request(600)).catch((error: unknown) => error);
  await settle();
  jest.advanceTimersByTime(299);
  await settle();
  expect(await Promise.race([waiting, "waits"])).toBe("waits");
  jest.advanceTimersByTime(1);
  expect(await waiting).toBeInstanceOf(LedgerUnavailable);
});
