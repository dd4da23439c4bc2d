/** Calls that are refused before they begin stand in the log, without quota and within a bound. */
import { afterEach, expect, test } from "bun:test";
import { ASK, CHAT, startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { failureCause } from "../../../domain/logs/failures/failure-rules.ts";
import { RefusalBound } from "./refusal-bound.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const PRICES = { ModelRatio: '{"gpt-4o": 2}' };
const relayWith = (options: object, balance = 1_000_000) => {
  const relay = startRelay({ channels: [{ models: ["gpt-4o"] }], options });
  relay.billing.available = balance;
  stops.push(relay.stop);
  return relay;
};

test.each([
  ["an empty balance", PRICES, 0, "balance"],
  ["a model without a price", { ModelRatio: "{}" }, 1_000_000, "no_price"],
] as const)("%s", async (_name, options, balance, cause) => {
  const relay = relayWith(options, balance);
  expect((await relay.post(CHAT, ASK)).status).toBeGreaterThanOrEqual(400);
  const record = await relay.billing.nextRecord();
  expect(record).toMatchObject({ failed: true, quota: 0, modelName: "gpt-4o", promptTokens: 0 });
  expect(record.other).toMatchObject({ ending: "refused" });
  expect(failureCause(record.other).class).toBe(cause);
  expect(relay.billing.available).toBe(balance);
});

test("of a flood five alike a minute", async () => {
  const relay = relayWith(PRICES, 0);
  for (let times = 0; times < 20; times += 1) await relay.post(CHAT, ASK);
  await relay.billing.nextRecord(5);
  expect(relay.billing.records).toHaveLength(5);
});

/** How many of so many refusals are taken. */
const takenOf = (bound: RefusalBound, times: number, of: (at: number) => readonly [user: number, cause: string]) =>
  Array.from({ length: times }, (_, at) => bound.take(...of(at))).filter(Boolean).length;

test("alike refusals, those of a user and those of all are bounded, by the minute", () => {
  let now = 1_000_000;
  const bound = new RefusalBound(() => now);
  expect(takenOf(bound, 100, () => [1, "7/gpt-4o/balance"])).toBe(5);
  expect(takenOf(bound, 100, () => [2, "7/gpt-4o/balance"])).toBe(5);
  expect(takenOf(bound, 1000, (at) => [1, `cause ${at}`])).toBe(55);
  expect(takenOf(bound, 100_000, (at) => [at, "balance"])).toBe(600 - 65 + 0);
  now += 59_999;
  expect(bound.take(1_000_000, "balance")).toBe(false);
  now += 1;
  expect(bound.take(1, "7/gpt-4o/balance")).toBe(true);
  now -= 600_000;
  expect(bound.take(1, "a clock that was set back")).toBe(true);
});
