import { expect, test } from "bun:test";
import { createCoolDown } from "./cool-down.ts";

function setUp() {
  let now = 1_000_000;
  const coolDown = createCoolDown(() => now);
  const fail = (times: number) => {
    for (let i = 0; i < times; i += 1) coolDown.failed(1, "k");
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { coolDown, fail, pass };
}

test("a key pauses after three failures in a row, not before", () => {
  const { coolDown, fail } = setUp();
  fail(2);
  expect(coolDown.isCooling(1, "k")).toBe(false);
  fail(1);
  expect(coolDown.isCooling(1, "k")).toBe(true);
  expect(coolDown.isCooling(1, "other")).toBe(false);
  expect(coolDown.isCooling(2, "k")).toBe(false);
});

test("a response between failures resets the count", () => {
  const { coolDown, fail } = setUp();
  fail(2);
  coolDown.succeeded(1, "k");
  fail(2);
  expect(coolDown.isCooling(1, "k")).toBe(false);
});

test("after the pause one call probes while the others stay away", () => {
  const { coolDown, fail, pass } = setUp();
  fail(3);
  pass(5_001);
  expect(coolDown.isCooling(1, "k")).toBe(false);
  coolDown.begin(1, "k");
  expect(coolDown.isCooling(1, "k")).toBe(true);
  coolDown.succeeded(1, "k");
  expect(coolDown.isCooling(1, "k")).toBe(false);
  expect(coolDown.stateOf(1, "k")).toBeNull();
});

test("each failed probe doubles the pause, up to five minutes", () => {
  const { coolDown, fail, pass } = setUp();
  fail(3);
  for (const pause of [5_000, 10_000, 20_000]) {
    pass(pause - 1);
    expect(coolDown.isCooling(1, "k")).toBe(true);
    pass(2);
    expect(coolDown.isCooling(1, "k")).toBe(false);
    coolDown.begin(1, "k");
    fail(1);
  }
  fail(20);
  pass(300_001);
  expect(coolDown.isCooling(1, "k")).toBe(false);
});

test("a probe without a result does not block the key forever", () => {
  const { coolDown, fail, pass } = setUp();
  fail(3);
  pass(5_001);
  coolDown.begin(1, "k");
  pass(60_001);
  expect(coolDown.isCooling(1, "k")).toBe(false);
});

test("an exhausted limit outlasts successes and ends when it has capacity again", () => {
  const { coolDown, pass } = setUp();
  coolDown.limited(1, "k", 30_000);
  coolDown.succeeded(1, "k");
  expect(coolDown.isCooling(1, "k")).toBe(true);
  expect(coolDown.stateOf(1, "k")).toEqual({ failures: 0, until: 1_030_000 });
  coolDown.limited(1, "k", 0);
  expect(coolDown.isCooling(1, "k")).toBe(false);
  coolDown.limited(1, "k", 3_600_000);
  pass(299_999);
  expect(coolDown.isCooling(1, "k")).toBe(true);
  pass(1);
  expect(coolDown.isCooling(1, "k")).toBe(false);
  expect(coolDown.stateOf(1, "k")).toBeNull();
});
