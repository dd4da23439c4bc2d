/** How a ledger follows what others change and spend. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { FakeHolds } from "../../../test/support/billing/fake-holds.ts";
import { silentLog } from "../../../test/support/billing/start-billing.ts";
import { openLedger } from "./open-ledger.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
};

function open({ sole = false, live = 2 as number | null } = {}) {
  const database = new FakeHolds();
  type Receive = (ids: readonly (number | string)[]) => unknown;
  const receivers = new Map<string, Receive>();
  const events: string[] = [];
  const renewals = { count: 0 };
  const renew = () => {
    renewals.count += 1;
  };
  const opened = openLedger({
    ...{ sql: database.sql, kind: "embedded", processId: "me", sole, log: silentLog, spendRatio: 0.5 },
    inTurn: (statement) => statement(),
    unansweredMs: () => 0,
    onFailure: () => {},
    registration: () => (live === null ? undefined : ({ liveProcesses: live, renew } as never)),
    changes: {
      subscribe: (topic: string, receive: Receive) => {
        receivers.set(topic, receive);
        return () => void receivers.delete(topic);
      },
      publish: async (topic: string, messages: readonly unknown[]) =>
        void events.push(`${topic}: ${messages.join(";")}`),
      onGap: () => {
        events.push("gap");
        return () => void events.push("no gap");
      },
      confirmAs: (id: string) => {
        events.push(`confirm ${id}`);
        return () => void events.push("confirm no more");
      },
    } as never,
  });
  const receive = async (topic: string, ...ids: (number | string)[]) => {
    await receivers.get(topic)?.(ids);
    await settle();
  };
  return { ...opened, database, events, receivers, renewals, receive };
}

test("a process is alone until it is registered, then one of those that live", () => {
  expect([open({ live: null }).liveProcesses(), open({ live: 3 }).liveProcesses()]).toEqual([1, 3]);
});

test("changed accounts are read again by their numbers, and others' spending is taken over", async () => {
  const { join, receive, database, ledger, renewals, receivers, stop } = open();
  await join(0);
  database.statements.length = 0;
  database.add("user", 1, 700);
  database.add("token", 2, 800);
  database.add("budget", 3, 900);
  await receive("users", "1", "x", 1.5);
  await receive("tokens", 2);
  await receive("budgets", "3");
  expect(database.statements).toEqual(["read user 1", "read token 2", "read budget 3"]);
  const known = () =>
    (["user", "token", "budget"] as const).flatMap((subject) => [...ledger.accounts.balances(subject)]);
  expect(known().map(({ quota }) => quota)).toEqual([700, 800, 900]);
  await receive("ledger", "balances you u1:650:20");
  expect(known()[0]).toMatchObject({ quota: 650, held: 20 });
  await receive("ledger", "joined you");
  expect(renewals.count).toBe(1);
  await stop();
  expect([...receivers.keys()]).toEqual(["ledger"]);
});

test("a process says that it joins and leaves, and what its charges left; one that is alone does not", async () => {
  for (const sole of [false, true]) {
    const { join, leave, sweep, ledger, events, receivers } = open({ sole, live: sole ? 1 : 2 });
    await join(0);
    expect(events.filter((event) => event.startsWith("ledger"))).toEqual(sole ? [] : ["ledger: joined me"]);
    const left = (quota: number) => {
      ledger.expectCharge({ userId: 1, tokenId: 0, tokenLimited: false, quota: 5 } as never);
      ledger.absorb([{ subject: "user", id: 1, requested: 5, quota, held: 10, own: 0 } as never]);
    };
    left(95);
    await sweep();
    left(90);
    await leave();
    const sent = events.filter((event) => event.startsWith("ledger")).slice(1);
    expect(sent).toEqual(
      sole ? [] : ["ledger: balances me u1:95:10", "ledger: balances me u1:90:10", "ledger: left me"],
    );
    expect([events.at(-1), receivers.has("ledger")]).toEqual(["confirm no more", false]);
  }
});

test("processes that may come back from an outage make it careful for a while", async () => {
  for (const absent of [0, 3]) {
    const { join, ledger, database } = open({ live: 1 });
    database.add("user", 1, 8000);
    ledger.accounts.get("user", 1);
    await ledger.refresh("user", [1]);
    await join(absent);
    await settle();
    const hold = ledger.reserveNow({ userId: 1, token: null, amount: 1001 });
    // An eighth of it is the share: half of a quarter.
    expect([absent, hold]).toEqual([absent, null]);
    expect(ledger.reserveNow({ userId: 1, token: null, amount: 1000 }) !== null).toBe(absent === 3);
  }
});
