/** Which statements the ledger sends, and what it makes of those that fail. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { pino } from "pino";
import { FakeHolds } from "../../../test/support/billing/fake-holds.ts";
import type { Subject } from "../subject.ts";
import { Backing } from "./backing.ts";
import { Account } from "./balances/account.ts";
import { LedgerUnavailable } from "./errors.ts";
import type { Hold } from "./holds.ts";
import { Outage } from "./outage.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 300; turn += 1) await Promise.resolve();
};

function open(options: { sole?: boolean; others?: number } = {}) {
  const { sole = false, others = 0 } = options;
  const database = new FakeHolds();
  const outage = new Outage({ spendRatio: 0.5, liveProcesses: () => others + 1 });
  const events: string[] = [];
  const failures: unknown[] = [];
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const peers = { collect: async () => {} };
  let turn: Promise<unknown> = Promise.resolve();
  const turns = { count: 0 };
  const backing = new Backing(
    {
      ...{ sql: database.sql, processId: "me", sole, outage, log, unansweredMs: () => 0 },
      inTurn: (statement) => {
        turns.count += 1;
        const result = turn.then(() => {
          jest.advanceTimersByTime(1);
          return statement();
        });
        turn = result.catch(() => {});
        return result;
      },
      onFailure: (error) => void failures.push(error),
      others: {
        hasOthers: others > 0,
        collect: (accounts) => {
          events.push(`collect ${accounts.map(({ subject, id }) => `${subject} ${id}`).join(", ")}`);
          return peers.collect();
        },
      },
    },
    {
      onLost: async () => void events.push("lost"),
      onReturn: (recoveryMs) => void events.push(`return ${recoveryMs}`),
    },
  );
  const add = (subject: Subject, id: number, quota: number, held = 0) => {
    database.add(subject, id, quota, held);
    return new Account(subject, id, sole);
  };
  return { database, outage, events, failures, logged, turns, peers, backing, add };
}
const failed = (code?: string | number) => Object.assign(new Error(String(code ?? "refused")), code && { code });

describe("what is wanted", () => {
  test("at the same time shares a statement for each subject, and is asked once", async () => {
    const { database, backing, add, turns } = open();
    const [one, two] = [add("user", 1, 10_000), add("user", 2, 10_000)];
    const key = add("token", 3, 10_000);
    const waiting = [one, two, key, one].map((account) => account.wait(100));
    for (const account of [one, two, key, one]) backing.want(account);
    expect(turns.count).toBe(1);
    await settle();
    expect(await Promise.all(waiting)).toEqual([true, true, true, true]);
    expect(database.statements.slice(0, 2)).toEqual(["acquire user 1,2", "acquire token 3"]);
    const before = database.statements.length;
    backing.want(key);
    await settle();
    expect(database.statements.slice(before)).toEqual(["acquire token 3"]);
  });

  test("is read only, where no other process could have set it aside", async () => {
    const { database, backing, add } = open({ sole: true });
    const account = add("user", 1, 500, 100);
    const waiting = [account.wait(400), account.wait(1)];
    backing.want(account);
    await settle();
    expect([await Promise.all(waiting), database.statements]).toEqual([[true, false], ["read user 1"]]);
  });

  test("and came while the database was asked is asked for again", async () => {
    const { database, backing, add } = open();
    const account = add("user", 1, 10_000);
    const gate = Promise.withResolvers<void>();
    database.gate = gate.promise;
    const first = account.wait(200);
    backing.want(account);
    await settle();
    const second = account.wait(5000);
    gate.resolve();
    await settle();
    expect([await first, await second]).toEqual([true, true]);
    expect(database.statements.slice(0, 2)).toEqual(["acquire user 1", "acquire user 1"]);
  });

  test("of several accounts is collected from others in one message, while they are asked only once", async () => {
    const { events, backing, add, peers, database } = open({ others: 1 });
    const [one, two] = [add("user", 1, 1000, 1000), add("budget", 2, 1000, 1000)];
    const gate = Promise.withResolvers<void>();
    peers.collect = () => gate.promise;
    const waiting = [one.wait(100), two.wait(100)];
    for (const account of [one, two]) backing.want(account);
    await settle();
    expect(events).toEqual(["collect user 1, budget 2"]);
    // Scarce from here on: nothing is set aside ahead.
    expect([one.ask(false).inChunks, two.ask(false).inChunks]).toEqual([false, false]);
    backing.want(one);
    await settle();
    expect(events).toHaveLength(1);
    for (const id of ["user 1", "budget 2"]) {
      const row = database.rows.get(id);
      if (row) row.held = 0;
    }
    gate.resolve();
    await settle();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    const [other, otherWaits] = [add("user", 4, 50, 50), 50];
    const collected = other.wait(otherWaits);
    backing.want(other);
    await settle();
    expect([await collected, events.slice(1)]).toEqual([false, ["collect user 4"]]);
    events.length = 1;
    const third = one.wait(5000);
    backing.want(one);
    await settle();
    expect([await third, events.length]).toEqual([false, 1]);
  });
});

describe("what is given back", () => {
  const withSurplus = async (opened: ReturnType<typeof open>, subject: Subject, id: number) => {
    const account = opened.add(subject, id, 3200);
    void account.wait(1000);
    opened.backing.want(account);
    await settle();
    account.release(1000);
    opened.database.statements.length = 0;
    return account;
  };

  test("at the same time shares a statement for each subject", async () => {
    const opened = open();
    const accounts = [
      await withSurplus(opened, "user", 1),
      await withSurplus(opened, "user", 2),
      await withSurplus(opened, "budget", 3),
    ];
    opened.turns.count = 0;
    for (const account of accounts) opened.backing.trim(account);
    expect(opened.turns.count).toBe(1);
    await settle();
    expect(opened.database.statements).toEqual(["release user 1,2", "release budget 3"]);
    for (const [subject, id] of [
      ["user", 1],
      ["user", 2],
      ["budget", 3],
    ] as const)
      expect(opened.database.heldBy("me", subject, id)).toBeLessThan(200);
    opened.database.statements.length = 0;
    for (const account of accounts) opened.backing.trim(account);
    await settle();
    expect([opened.database.statements, opened.turns.count]).toEqual([[], 1]);
  });

  test("later is given back as well, down to the last unit", async () => {
    const opened = open();
    const [one, two] = [await withSurplus(opened, "user", 1), await withSurplus(opened, "user", 2)];
    for (const account of [one, two]) {
      opened.backing.trim(account);
      await settle();
    }
    expect(opened.database.statements).toEqual(["release user 1", "release user 2"]);
    opened.database.statements.length = 0;
    one.hold(one.unused - 1);
    one.markScarce(performance.now());
    opened.backing.trim(one);
    await settle();
    expect([opened.database.statements, one.unused]).toEqual([["release user 1"], 0]);
  });

  test("is what a call has left over that needed less than was at hand", async () => {
    const opened = open();
    const account = await withSurplus(opened, "user", 1);
    const waiting = account.wait(10);
    opened.backing.want(account);
    await settle();
    expect(await waiting).toBe(true);
    expect(opened.database.statements).toEqual(["acquire user 1", "release user 1"]);
  });

  test("can't be spent while the database takes it back", async () => {
    const opened = open();
    const account = await withSurplus(opened, "user", 1);
    const gate = Promise.withResolvers<void>();
    opened.database.gate = gate.promise;
    account.markScarce(performance.now());
    opened.backing.trim(account);
    await settle();
    expect([account.own, account.covers(1)]).toEqual([0, false]);
    gate.resolve();
    await settle();
    expect(opened.database.statements).toEqual(["release user 1"]);
  });

  test("is all of it once no call has come for twenty seconds, and not before", async () => {
    const opened = open();
    const account = await withSurplus(opened, "user", 1);
    opened.backing.trim(account);
    await settle();
    const chunk = opened.database.heldBy("me", "user", 1);
    expect(chunk).toBeGreaterThan(0);
    jest.advanceTimersByTime(20_001);
    account.usedAt = performance.now();
    const { count } = opened.turns;
    opened.backing.trim(account, account.usedAt + 20_000);
    await settle();
    expect([opened.database.heldBy("me", "user", 1), opened.turns.count]).toEqual([chunk, count]);
    jest.advanceTimersByTime(20_001);
    opened.backing.trim(account);
    await settle();
    expect([opened.database.heldBy("me", "user", 1), account.own]).toEqual([0, 0]);
  });

  test("is nothing during an outage", async () => {
    const opened = open();
    const account = await withSurplus(opened, "user", 1);
    opened.outage.begin(0);
    opened.backing.trim(account);
    await settle();
    expect(opened.database.statements).toEqual([]);
  });

  test("to another process is all that no call uses, of the accounts it names", async () => {
    const opened = open({ others: 1 });
    const one = await withSurplus(opened, "user", 1);
    const key = await withSurplus(opened, "token", 2);
    const none = opened.add("user", 3, 100);
    one.hold(40);
    await opened.backing.giveBack([one, key, none]);
    expect(opened.database.statements).toEqual(["release user 1", "release token 2"]);
    expect([opened.database.heldBy("me", "user", 1), opened.database.heldBy("me", "token", 2)]).toEqual([40, 0]);
    await opened.backing.giveBack([one, key]);
    expect(opened.database.statements).toHaveLength(2);
    one.release(40);
    await opened.backing.giveBack([none]);
    expect([opened.database.statements.length, one.unused]).toEqual([2, 40]);
  });

  test("and was not taken by the database is read again before it is used", async () => {
    const opened = open();
    const account = await withSurplus(opened, "user", 1);
    opened.database.failures.push(failed());
    opened.backing.trim(account);
    await settle();
    expect([account.isRead, opened.failures.length, opened.database.heldBy("me", "user", 1)]).toEqual([false, 1, 1000]);
    expect(opened.logged).toEqual(["the ledger can't give back what it holds"]);
    opened.database.failures.push(null, failed());
    await expect(opened.backing.restore("user", [account])).rejects.toThrow(LedgerUnavailable);
  });
});

describe("a changed balance", () => {
  test("is read by a process that is alone, else what is in use is set aside and the rest returned", async () => {
    const sole = open({ sole: true });
    await sole.backing.restore("user", [sole.add("user", 1, 500)]);
    await sole.backing.restore("user", []);
    await sole.backing.read("user", []);
    expect(sole.database.statements).toEqual(["read user 1"]);
    const several = open({ others: 1 });
    const account = several.add("user", 1, 32_000);
    account.hold(300);
    await several.backing.restore("user", [account]);
    // No chunk ahead: others may need it.
    expect(several.database.heldBy("me", "user", 1)).toBe(300);
    expect(several.database.statements).toEqual(["acquire user 1"]);
  });

  test("ends an outage, as any answer does", async () => {
    for (const ask of ["restore", "read"] as const) {
      const { backing, outage, events, add } = open({ others: 1 });
      backing.noteSilence();
      expect(outage.isOver).toBe(false);
      await backing[ask]("user", [add("user", 1, 500)]);
      expect([outage.isOver, events]).toEqual([true, ["return 5000"]]);
      await backing[ask]("user", [add("user", 1, 500)]);
      expect(events).toHaveLength(1);
    }
    const { backing, outage, events, add } = open();
    backing.noteSilence();
    backing.want(add("user", 1, 500));
    await settle();
    expect([outage.isOver, events]).toEqual([true, ["return 0"]]);
  });
});

describe("a statement that fails", () => {
  test("leaves the calls that wait to memory, and the accounts to be read again", async () => {
    const { backing, database, outage, failures, logged, add } = open();
    const account = add("user", 1, 500);
    await backing.read("user", [account]);
    database.failures.push(failed());
    const waiting = [account.wait(250), account.wait(1).catch((error: unknown) => error), account.wait(501)];
    backing.want(account);
    await settle();
    const [share, more, beyond] = await Promise.all(waiting);
    expect([share, beyond]).toEqual([true, false]);
    expect(more).toBeInstanceOf(LedgerUnavailable);
    expect([outage.isOver, account.isRead, failures.length]).toEqual([false, false, 1]);
    expect(logged).toEqual(["the ledger can't reach the database"]);
  });

  test("for the moment is sent again, after the balances were read", async () => {
    const { backing, database, events, add } = open();
    const account = add("user", 1, 500);
    database.failures.push(failed("40P01"));
    const waiting = account.wait(100);
    backing.want(account);
    await settle();
    expect(await waiting).toBe(true);
    expect(database.statements.slice(0, 3)).toEqual(["acquire failed", "read user 1", "acquire user 1"]);
    expect(events).toEqual([]);
    database.statements.length = 0;
    database.failures.push(failed("40001"));
    account.hold(50);
    await backing.restore("user", [account]);
    expect(database.statements.slice(0, 3)).toEqual(["acquire failed", "read user 1", "acquire user 1"]);
  });

  test("because others took the process for dead registers it again, and says so", async () => {
    const { backing, database, events, add } = open({ others: 1 });
    const account = add("user", 1, 500);
    database.failures.push(failed("23503"));
    const waiting = account.wait(100);
    backing.want(account);
    await settle();
    expect(await waiting).toBe(true);
    expect(database.statements.slice(0, 4)).toEqual(["acquire failed", "renew", "read user 1", "acquire user 1"]);
    expect(events).toEqual(["lost"]);
  });

  test.each(["23505", "57014", undefined, 40])("with %p is not sent again", async (code) => {
    const { backing, database, failures, add } = open();
    const account = add("user", 1, 500);
    const failure = failed(code);
    database.failures.push(failure);
    const waiting = account.wait(100).catch((error: unknown) => error);
    backing.want(account);
    await settle();
    expect(await waiting).toBeInstanceOf(LedgerUnavailable);
    expect([database.statements, failures]).toEqual([["acquire failed"], [failure]]);
  });
});

describe("a hold that outlives its process", () => {
  const holdOf = (amount: number, ...accounts: [Account, ...Account[]]): Hold => ({ state: "held", amount, accounts });

  test("is on all accounts of the call, whose balances are read afterwards", async () => {
    const { backing, database, add } = open();
    const [user, token, budget] = [add("user", 1, 500), add("token", 2, 500), add("budget", 3, 500)];
    expect(await backing.keep("task", holdOf(200, user, token, budget))).toBe(true);
    expect(database.statements).toEqual([
      "keep user 1, token 2, budget 3: 200",
      "read user 1",
      "read token 2",
      "read budget 3",
    ]);
    expect([user, token, budget].map(({ available }) => available)).toEqual([300, 300, 300]);
    database.statements.length = 0;
    expect(await backing.keep("other", holdOf(301, user))).toBe(false);
    expect(database.statements).toEqual(["keep user 1: 301", "read user 1"]);
  });

  test("is never one that a plan pays", async () => {
    const { backing, add } = open();
    const budget = add("budget", 3, 500);
    await expect(backing.keep("task", holdOf(1, budget))).rejects.toThrow("plan");
  });
});
