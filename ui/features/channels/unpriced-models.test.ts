import { expect, test } from "bun:test";
import { unpricedModels } from "./unpriced-models.ts";

const PRICED = { names: ["gpt-4o", "o3"], refuses_others: true };

test("models are told that have no price, by their own name or by the one they map to", () => {
  const models = ["gpt-4o", "house", "llama3.3", "odd"];
  expect(unpricedModels(models, '{"house": "o3", "odd": 1}', PRICED)).toEqual(["llama3.3", "odd"]);
  expect(unpricedModels(models, "", PRICED)).toEqual(["house", "llama3.3", "odd"]);
});

test("a mapping that is being typed counts for nothing", () => {
  for (const text of ["{", "null", "1", "[]"]) expect(unpricedModels(["house"], text, PRICED)).toEqual(["house"]);
});

test("nobody is warned where nothing is refused, or nothing is known yet", () => {
  expect(unpricedModels(["house"], "", { ...PRICED, refuses_others: false })).toEqual([]);
  expect(unpricedModels(["house"], "", undefined)).toEqual([]);
});
