/** What the ledger makes of the database's answers, without a database. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { charge, openLedger, outcome, request, settle } from "../../../test/support/billing/fake-holds.ts";
import type { UsageRecord } from "../types.ts";

/** More than 10 USD: what is ample is lent before the database has confirmed it. */
const AMPLE = 64_000_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe("a process that is alone", () => {
  test("decides from memory, and counts what is held until it ends, once", async () => {
    const { database, ledger } = openLedger({ sole: true });
    database.add("user", 1, 1000);
    expect(ledger.reserveNow(request(1))).toBeNull();
    expect(await outcome(ledger.reserveSlowly(request(0)))).toBe(true);
    await ledger.restore("user", [1]);
    const hold = ledger.reserveNow(request(600));
    if (!hold) throw new Error("it is not covered");
    expect([ledger.openHolds, ledger.heldUnits, ledger.available(1)]).toEqual([2, 600, 400]);
    expect([ledger.reserveNow(request(401)), ledger.reserveNow(request(400)) !== null]).toEqual([null, true]);
    expect([ledger.end(hold, "refunded"), ledger.end(hold, "settled"), hold.state]).toEqual([true, false, "refunded"]);
    expect([ledger.openHolds, ledger.heldUnits, ledger.available(1)]).toEqual([2, 400, 600]);
  });

  test("reads a balance before it refuses, but not for each call", async () => {
    const { database, ledger } = openLedger({ sole: true });
    const row = database.add("user", 1, 1000);
    expect(await outcome(ledger.reserveSlowly(request(1000)))).toBe(true);
    expect(await outcome(ledger.reserveSlowly(request(1)))).toBe("user 0");
    expect(database.statements).toEqual(["read user 1"]);
    row.quota = 1500;
    jest.advanceTimersByTime(999);
    expect(await outcome(ledger.reserveSlowly(request(1)))).toBe("user 0");
    jest.advanceTimersByTime(1);
    expect(await outcome(ledger.reserveSlowly(request(500)))).toBe(true);
    expect(database.statements).toEqual(["read user 1", "read user 1"]);
  });

  test("counts charges as spent until they are written or leave the journal", async () => {
    const { database, ledger } = openLedger({ sole: true });
    const row = database.add("user", 1, 1000);
    await ledger.reserveSlowly(request(0));
    await ledger.refresh("user", [1]);
    ledger.expectCharge(charge(300));
    ledger.expectCharge(charge(200));
    expect(ledger.available(1)).toBe(500);
    ledger.forgetCharge(charge(200));
    expect(ledger.available(1)).toBe(700);
    row.quota = 700;
    ledger.absorb([{ subject: "user", id: 1, requested: 300, quota: 700, held: 0, own: 0 } as never]);
    expect([ledger.available(1), ledger.takeSettled()]).toEqual([700, []]);
    expect(ledger.available(2)).toBeUndefined();
  });

  test("charges who pays: the user or a plan, a limited key, budgets; an included call its budget alone", () => {
    const { ledger } = openLedger({ sole: true });
    const used = () =>
      [...ledger.accounts.allUsed()].filter(({ isIdle }) => !isIdle).map(({ subject, id }) => `${subject} ${id}`);
    const check = (record: UsageRecord, expected: string[]) => {
      ledger.expectCharge(record);
      expect(used()).toEqual(expected);
      ledger.forgetCharge(record);
      expect(used()).toEqual([]);
    };
    check(charge(5), ["user 1"]);
    check(charge(5, { tokenId: 7 }), ["user 1"]);
    check(charge(5, { tokenId: 7, tokenLimited: true, budgets: [8, 9] }), [
      "user 1",
      "token 7",
      "budget 8",
      "budget 9",
    ]);
    check(charge(5, { plan: 8, tokenId: 7, tokenLimited: true }), ["token 7", "budget 8"]);
    check(charge(5, { included: 9, tokenId: 7, tokenLimited: true, budgets: [8] }), ["budget 9"]);
  });
});

describe("a call is covered", () => {
  const subjects = { token: { id: 2, limited: true }, budgets: [3, 4] };
  const setUp = (left: Partial<Record<"user" | "token" | "first" | "second", number>> = {}) => {
    const opened = openLedger();
    const { user = 32_000, token = 32_000, first = 32_000, second = 32_000 } = left;
    opened.database.add("user", 1, user);
    opened.database.add("token", 2, token);
    opened.database.add("budget", 3, first);
    opened.database.add("budget", 4, second);
    return opened;
  };
  const openHolds = ({ ledger }: ReturnType<typeof openLedger>) => [
    ledger.openHolds,
    [...ledger.accounts.allUsed()].every(({ isIdle }) => isIdle),
  ];

  test("by all of its accounts, else by none of them", async () => {
    for (const [left, refusal] of [
      [{ user: 99 }, "user 99"],
      [{ token: 99 }, "token 99"],
      [{ first: 99 }, "budget 99"],
      [{ second: 0 }, "budget 0"],
    ] as const) {
      const opened = setUp(left);
      expect(await outcome(opened.ledger.reserveSlowly(request(100, subjects)))).toBe(refusal);
      expect(openHolds(opened)).toEqual([0, true]);
      expect(opened.ledger.reserveNow(request(100, subjects))).toBeNull();
      expect(openHolds(opened)).toEqual([0, true]);
    }
    const opened = setUp();
    expect(await outcome(opened.ledger.reserveSlowly(request(100, subjects)))).toBe(true);
    expect([...opened.ledger.accounts.allUsed()].map(({ available }) => available)).toEqual([
      31_900, 31_900, 31_900, 31_900,
    ]);
    const now = opened.ledger.reserveNow(request(5, subjects));
    if (!now) throw new Error("memory covers it");
    expect([...opened.ledger.accounts.allUsed()].map(({ available }) => available)).toEqual([
      31_895, 31_895, 31_895, 31_895,
    ]);
    opened.ledger.end(now, "settled");
    expect([...opened.ledger.accounts.allUsed()].map(({ available }) => available)).toEqual([
      31_900, 31_900, 31_900, 31_900,
    ]);
  });

  test("by a plan instead of the balance, and not by a key without a limit", async () => {
    const { database, ledger } = setUp({ user: 0, token: 0 });
    const token = { id: 2, limited: false };
    expect(await outcome(ledger.reserveSlowly(request(100, { token, plan: 3 })))).toBe(true);
    expect(database.heldBy("me", "budget", 3)).toBeGreaterThanOrEqual(100);
    expect(await outcome(ledger.reserveSlowly(request(100, { token })))).toBe("user 0");
  });

  test("never by more than there is, whoever asks first", async () => {
    const { ledger } = setUp({ user: 1000 });
    const all = await Promise.all(Array.from({ length: 15 }, () => outcome(ledger.reserveSlowly(request(100)))));
    expect(all.filter((result) => result === true)).toHaveLength(10);
  });

  test("by one exchange for its key and its user, and by none where memory covers it", async () => {
    const { database, ledger } = setUp();
    const call = request(100, { token: subjects.token });
    await ledger.reserveSlowly(call);
    await settle();
    expect(database.statements.slice(0, 2)).toEqual(["acquire user 1", "acquire token 2"]);
    expect(database.statements.filter((statement) => statement === "acquire user 1")).toHaveLength(1);
    database.statements.length = 0;
    await ledger.reserveSlowly(call);
    expect(database.statements).toEqual([]);
  });

  test("who has too little of a key is referred to a balance that was read for it, where it is less", async () => {
    const { database, ledger } = setUp({ user: 50, token: 20 });
    await ledger.reserveSlowly(request(0));
    expect(await outcome(ledger.reserveSlowly(request(100, { token: subjects.token })))).toBe("user 50");
    database.statements.length = 0;
    expect(await outcome(ledger.reserveSlowly(request(100, { token: subjects.token })))).toBe("user 50");
    expect(database.statements.filter((statement) => statement === "read user 1")).toEqual([]);
  });

  test("who has too little in both ways is referred to their own balance", async () => {
    const { ledger } = setUp({ user: 50, token: 20 });
    expect(await outcome(ledger.reserveSlowly(request(100, { token: subjects.token })))).toBe("user 50");
    expect(await outcome(ledger.reserveSlowly(request(50, { token: subjects.token })))).toBe("token 20");
  });
});

describe("the database is not asked first", () => {
  test("for a small part of an ample balance that was just read", async () => {
    const { database, ledger } = openLedger();
    database.add("user", 1, AMPLE);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    expect(ledger.reserveNow(request(AMPLE / 64))).not.toBeNull();
    expect(ledger.reserveNow(request(AMPLE / 64))).toBeNull();
    await settle();
    expect(database.heldBy("me", "user", 1)).toBeGreaterThanOrEqual(AMPLE / 64);
    jest.advanceTimersByTime(4000);
    const { ledger: stale, database: other } = openLedger();
    other.add("user", 1, AMPLE);
    stale.accounts.get("user", 1);
    await stale.refresh("user", [1]);
    jest.advanceTimersByTime(3999);
    expect(stale.reserveNow(request(1000))).not.toBeNull();
    const { ledger: older, database: third } = openLedger();
    third.add("user", 1, AMPLE);
    older.accounts.get("user", 1);
    await older.refresh("user", [1]);
    jest.advanceTimersByTime(4000);
    expect(older.reserveNow(request(1000))).toBeNull();
  });

  test("for a call that costs nothing", () => {
    const { database, ledger } = openLedger();
    expect(ledger.reserveNow(request(0))).not.toBeNull();
    expect(database.statements).toEqual([]);
  });
});

describe("several processes", () => {
  test("give back what is idle, and keep what is in use", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 3200);
    const hold = await ledger.reserveSlowly(request(100));
    await settle();
    expect(database.heldBy("me", "user", 1)).toBe(100);
    ledger.reserveNow(request(0));
    await settle();
    const before = database.heldBy("me", "user", 1);
    expect(before).toBeGreaterThanOrEqual(100);
    ledger.end(hold, "refunded");
    jest.advanceTimersByTime(20_001);
    await ledger.sweep();
    await settle();
    expect([database.heldBy("me", "user", 1), database.row("user", 1).held]).toEqual([0, 0]);
  });

  test("are asked for what they don't use before a call is refused, and once", async () => {
    const { database, ledger, collected, peers } = openLedger({ others: 1, statementMs: 1 });
    const row = database.add("user", 1, 1000, 950);
    peers.collect = async () => {
      row.held = 0;
    };
    expect(await outcome(ledger.reserveSlowly(request(500)))).toBe(true);
    expect(collected).toEqual([["user 1"]]);
    peers.collect = async () => {};
    row.held = 1000;
    expect(await outcome(ledger.reserveSlowly(request(450)))).toBe("user 0");
    expect(collected).toHaveLength(2);
    // A moment later they would say the same.
    expect(await outcome(ledger.reserveSlowly(request(450)))).toBe("user 0");
    expect(collected).toHaveLength(2);
    expect(await outcome(ledger.reserveSlowly(request(2000)))).toBe("user 0");
    expect(collected).toHaveLength(2);
  });

  test("give back to another what no call uses", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 32_000);
    const hold = await ledger.reserveSlowly(request(100));
    const [first] = [await settle()];
    expect(first).toBeUndefined();
    expect(database.heldBy("me", "user", 1)).toBe(1000);
    await ledger.giveBack([{ subject: "user", id: 1 }]);
    expect(database.heldBy("me", "user", 1)).toBe(100);
    ledger.end(hold, "refunded");
    await settle();
    // Scarce: it keeps nothing.
    expect(database.heldBy("me", "user", 1)).toBe(0);
  });

  test("receive the balances that charges have left, once", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("user", 1, 95, 10);
    const left = { subject: "user", id: 1, requested: 5, quota: 95, held: 10, own: 10 } as never;
    ledger.absorb([left, { subject: "user", id: 2, requested: 0, quota: null, held: null, own: null } as never]);
    // More than two chunks of it are free.
    await settle();
    expect(database.statements).toEqual(["release user 1"]);
    expect(ledger.takeSettled()).toMatchObject([{ subject: "user", id: 1, quota: 95 }]);
    expect(ledger.takeSettled()).toEqual([]);
  });

  test("set aside again what they use after others took this one for dead", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    const row = database.add("user", 1, 3200);
    await ledger.reserveSlowly(request(500));
    await settle();
    database.holds.clear();
    row.held = 0;
    await ledger.reacquire();
    await settle();
    expect(database.heldBy("me", "user", 1)).toBeGreaterThanOrEqual(500);
  });
});

describe("a lowered limit", () => {
  test("leaves what calls use, and returns the rest before it is answered", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    const row = database.add("user", 1, 32_000);
    await ledger.reserveSlowly(request(300));
    await settle();
    expect(database.heldBy("me", "user", 1)).toBe(1000);
    row.quota = 1100;
    database.statements.length = 0;
    await ledger.restore("user", [1, 9]);
    expect([database.heldBy("me", "user", 1), ledger.available(1)]).toEqual([300, 800]);
    expect(database.statements).toEqual(["acquire user 1", "release user 1", "read user 9"]);
    for (const again of ["restore", "refresh"] as const) {
      database.statements.length = 0;
      await ledger[again]("user", [1]);
      expect(database.statements.filter((statement) => statement !== "acquire user 1")).toEqual(
        again === "restore" ? [] : ["read user 1"],
      );
    }
    database.failures.push(new Error("away"));
    await expect(ledger.restore("user", [1])).rejects.toThrow("away");
  });

  test("is known of accounts that no call uses too", async () => {
    const { database, ledger } = openLedger({ others: 1 });
    database.add("budget", 5, 700, 200);
    await ledger.restore("budget", [5]);
    expect([...ledger.accounts.balances("budget")]).toEqual([{ id: 5, quota: 700, held: 200, own: 0 }]);
    database.row("budget", 5).quota = 900;
    await ledger.refresh("budget", [5]);
    expect([...ledger.accounts.balances("budget")]).toEqual([{ id: 5, quota: 900, held: 200, own: 0 }]);
  });
});

describe("a hold that outlives its process", () => {
  test("ends here in any case, once, and says whether the database could keep it", async () => {
    const { database, ledger } = openLedger();
    database.add("user", 1, 1000);
    const hold = await ledger.reserveSlowly(request(600));
    expect(await ledger.keep(hold, "task")).toBe(true);
    expect([hold.state, ledger.openHolds, ledger.available(1)]).toEqual(["refunded", 0, 400]);
    const { length } = database.statements;
    expect([await ledger.keep(hold, "task"), database.statements.length]).toEqual([false, length]);
    const failing = await ledger.reserveSlowly(request(100));
    database.failures.push(new Error("away"));
    await expect(ledger.keep(failing, "other")).rejects.toThrow("away");
    database.add("budget", 3, 1000);
    const planned = await ledger.reserveSlowly(request(1, { plan: 3 }));
    await expect(ledger.keep(planned, "planned")).rejects.toThrow("plan");
    expect([hold, planned].map(({ accounts: [payer] }) => `${payer.subject} ${payer.id}`)).toEqual([
      "user 1",
      "budget 3",
    ]);
    expect([failing.state, planned.state, ledger.openHolds, ledger.heldUnits]).toEqual(["refunded", "refunded", 0, 0]);
  });
});
