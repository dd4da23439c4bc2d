/** When a process says that it is alive, and what it makes of the answers; the statements are tested on the engines. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { Sql } from "../../../../db/types.ts";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import { Registration } from "./registration.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};
const RENEW_MS = 10_000;

function open(sole = false) {
  const statements: string[] = [];
  const events: string[] = [];
  const state = { live: 1, expired: 0, unknown: false, failures: 0, gate: Promise.resolve() };
  const sql = (text: TemplateStringsArray, ...values: unknown[]) => {
    const statement = text.join(" ");
    if (statement.includes("recent_charges = excluded")) return { part: true };
    if (statement.trim() === "") return "";
    return (async () => {
      const isRenewal = statement.includes("renewed as");
      statements.push(isRenewal ? "renew" : `release ${JSON.stringify(values.slice(0, 2))}`);
      await state.gate;
      if (state.failures > 0) {
        state.failures -= 1;
        throw new Error("connection refused");
      }
      const { live, expired, unknown } = state;
      return isRenewal ? [{ live, expired, unknown }] : [{ id: "dead" }];
    })();
  };
  const registration = new Registration({
    ...{ sql: sql as unknown as Sql, processId: "me", sole, log: silentLog },
    readJournal: () => {
      events.push("journal");
      return { location: "", unwritten: 0, unwrittenSince: null, recentCharges: 0, journalCopy: "none" };
    },
    onLost: async () => void events.push("lost"),
    findDead: () => void events.push("find"),
  });
  return { registration, statements, events, state };
}
const pass = async (ms: number) => {
  jest.advanceTimersByTime(ms);
  await settle();
};

describe("a process", () => {
  test("that is alone releases what others have left, and renews nothing", async () => {
    const { registration, statements, state } = open(true);
    state.live = 4;
    state.expired = 2;
    expect(await registration.start()).toBe(0);
    expect([registration.liveProcesses, statements]).toEqual([1, ["renew", 'release [[],"me"]']]);
    await pass(60_000);
    await registration.renew();
    expect(statements).toHaveLength(2);
  });

  test("among others counts them, and says every ten seconds that it is alive", async () => {
    const { registration, statements, state, events } = open();
    state.live = 3;
    state.expired = 2;
    expect([await registration.start(), registration.liveProcesses]).toEqual([2, 3]);
    await pass(RENEW_MS - 1);
    expect(statements).toEqual(["renew"]);
    state.live = 2;
    await pass(1);
    expect([statements.length, registration.liveProcesses, events]).toEqual([2, 2, ["journal", "journal"]]);
    await registration.renew();
    expect(statements).toHaveLength(3);
    registration.stop();
    await pass(60_000);
    await registration.renew();
    expect(statements).toHaveLength(3);
  });

  test("looks for the dead once the others had thirty seconds to say that they live", async () => {
    const { registration, events, state } = open();
    await registration.start();
    await pass(2 * RENEW_MS);
    expect(events).not.toContain("find");
    await pass(RENEW_MS);
    expect(events.filter((event) => event === "find")).toHaveLength(1);
    state.failures = 1;
    await pass(RENEW_MS);
    await pass(2 * RENEW_MS);
    expect(events.filter((event) => event === "find")).toHaveLength(1);
    await pass(RENEW_MS);
    expect(events.filter((event) => event === "find")).toHaveLength(2);
    registration.stop();
  });

  test("does not believe that others have gone right after an outage of the database", async () => {
    const { registration, state } = open();
    state.live = 3;
    await registration.start();
    state.failures = 1;
    await pass(RENEW_MS);
    state.live = 1;
    await pass(RENEW_MS);
    expect(registration.liveProcesses).toBe(3);
    state.live = 5;
    await pass(RENEW_MS);
    expect(registration.liveProcesses).toBe(5);
    state.live = 1;
    await pass(RENEW_MS);
    expect(registration.liveProcesses).toBe(1);
    registration.stop();
  });

  test("learns that others took it for dead", async () => {
    const { registration, state, events } = open();
    await registration.start();
    await pass(RENEW_MS);
    expect(events).not.toContain("lost");
    state.unknown = true;
    await pass(RENEW_MS);
    expect(events.filter((event) => event === "lost")).toHaveLength(1);
    registration.stop();
  });

  test("that ends is forgotten with its holds, after the renewal under way and without another", async () => {
    const { registration, statements, state } = open();
    await registration.start();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    void registration.renew();
    void registration.renew();
    await settle();
    const ending = registration.end().then(() => "ended");
    await settle();
    expect([await Promise.race([ending, "waits"]), statements.length]).toEqual(["waits", 2]);
    gate.resolve();
    expect(await ending).toBe("ended");
    expect(statements.slice(2)).toEqual(['release [["me"],null]']);
    await pass(60_000);
    expect(statements).toHaveLength(3);
  });

  test("that can't register does not start", async () => {
    const { registration, state } = open();
    state.failures = 1;
    await expect(registration.start()).rejects.toThrow("connection refused");
  });
});
