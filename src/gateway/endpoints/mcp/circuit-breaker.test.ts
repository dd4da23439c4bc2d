import { expect, test } from "bun:test";
import { CircuitBreaker } from "./circuit-breaker.ts";

const [SERVER, ALICE, BOB] = [1, 10, 20];

function start() {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  const fail = (account: number, times = 1) => {
    for (let at = 0; at < times; at += 1) breaker.failed(SERVER, account);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { breaker, fail, pass };
}

test("failures of one account close a server to that account alone", () => {
  const { breaker, fail } = start();
  fail(ALICE, 50);
  expect(breaker.enter(SERVER, ALICE)).toBeGreaterThan(0);
  expect(breaker.enter(SERVER, BOB)).toBe(0);
  breaker.succeeded(SERVER);
  expect(breaker.enter(SERVER, ALICE)).toBe(0);
});

test("failures of several accounts close it to all, until one try succeeds", () => {
  const { breaker, fail, pass } = start();
  fail(ALICE, 4);
  expect(breaker.enter(SERVER, ALICE)).toBe(0);
  fail(BOB);
  for (const account of [ALICE, BOB, 30]) expect(breaker.enter(SERVER, account)).toBe(10_000);
  pass(10_000);
  expect([breaker.enter(SERVER, ALICE), breaker.enter(SERVER, BOB)]).toEqual([0, 10_000]);
  // Nobody waited for the result: the next call tries.
  breaker.abandoned(SERVER);
  expect(breaker.enter(SERVER, BOB)).toBe(0);
  fail(BOB);
  expect(breaker.enter(SERVER, ALICE)).toBe(20_000);
  pass(20_000);
  expect(breaker.enter(SERVER, ALICE)).toBe(0);
  breaker.succeeded(SERVER);
  expect([ALICE, BOB].map((account) => breaker.enter(SERVER, account))).toEqual([0, 0]);
});
