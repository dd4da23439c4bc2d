import { expect, test } from "bun:test";
import { doneSteps } from "./first-steps.ts";

const NEW = { channel: null, is_tested: false, models: 0, unpriced: [], has_key: false, request_id: null };
const CALLED = {
  channel: { id: 1, name: "main" },
  is_tested: true,
  models: 2,
  unpriced: [],
  has_key: true,
  request_id: "r-1",
};

test("nothing is done on a new gateway", () => expect([...doneSteps(NEW, true)]).toEqual([]));

test("prices are done only once models are offered and all of them have one", () => {
  expect([...doneSteps({ ...CALLED, models: 0 }, false)]).not.toContain("prices");
  expect([...doneSteps({ ...CALLED, unpriced: ["m"] }, false)]).not.toContain("prices");
  expect([...doneSteps(CALLED, false)]).toContain("prices");
});

test("the receipt counts only after a call, and once it was opened", () => {
  expect([...doneSteps(CALLED, true)]).toEqual(["channel", "test", "prices", "key", "call"]);
  expect(doneSteps(CALLED, false).size).toBe(6);
  expect(doneSteps({ ...CALLED, request_id: null }, false).has("receipt")).toBe(false);
});
