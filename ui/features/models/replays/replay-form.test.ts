import { expect, test } from "bun:test";
import { checkEvaluation, checkSet, EMPTY_EVALUATION, emptySet, evaluationOf, setOf } from "./replay-form.ts";

const isValid = (faults: object) => Object.values(faults).every((fault) => fault === undefined);

test("a set needs a name and a number of requests; empty filters are left out", () => {
  expect(isValid(checkSet(emptySet("Week")))).toBe(true);
  expect(isValid(checkSet(emptySet(" ")))).toBe(false);
  expect(isValid(checkSet({ ...emptySet("Week"), maxCalls: "2001" }))).toBe(false);
  const filter = { start: 1_000_000 - 7 * 86_400, end: 1_000_001, model: "a" };
  expect(setOf({ ...emptySet("Week"), model: " a " }, 1_000_000)).toEqual({ name: "Week", max_calls: 100, filter });
});

test("an evaluation needs a model, or prices alone and no judge; an empty prompt removes that of the request", () => {
  const form = EMPTY_EVALUATION;
  const prices = { priceInput: "0.15", priceOutput: "0.6" };
  expect(isValid(checkEvaluation(form))).toBe(false);
  expect(isValid(checkEvaluation({ ...form, model: "a" }))).toBe(true);
  expect(isValid(checkEvaluation({ ...form, ...prices }))).toBe(true);
  expect(isValid(checkEvaluation({ ...form, ...prices, judge: "j" }))).toBe(false);
  expect(isValid(checkEvaluation({ ...form, model: "a", priceInput: "1" }))).toBe(false);
  expect(isValid(checkEvaluation({ ...form, model: "a", maxUsd: "0" }))).toBe(false);
  expect(evaluationOf(3, "a", { ...form, ...prices, model: "a", hasPrompt: true, judge: "j" })).toEqual({
    ...{ set_id: 3, name: "a", max_usd: 1, max_concurrent: 4, judge: { model: "j" } },
    target: { model: "a", system_prompt: "", prices: { input: 0.15, output: 0.6 } },
  });
});
