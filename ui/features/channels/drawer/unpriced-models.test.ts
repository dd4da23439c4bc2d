import { expect, test } from "bun:test";
import { upstreamModelOf } from "../../../../src/domain/channels/routing/routing-index.ts";
import { unpricedModels } from "./unpriced-models.ts";

const PRICED = { names: ["gpt-4-gizmo-*", "gpt-4o", "o3"], refuses_others: true };
const channel = (models: readonly string[], modelMapping = "", modelPrefix = "") => ({
  models,
  modelMapping,
  modelPrefix,
});

test("models without a price are listed, by their own name or by the one they map to", () => {
  const models = ["gpt-4o", "gpt-4-gizmo-abc", "house", "llama3.3", "odd"];
  expect(unpricedModels(channel(models, '{"house": "o3", "odd": 1}'), PRICED)).toEqual(["llama3.3", "odd"]);
  expect(unpricedModels(channel(models), PRICED)).toEqual(["house", "llama3.3", "odd"]);
});

test.each([
  ["what a prefix leaves of the name has the price", ["gpt-4o"], "", "vip-", []],
  ["the name with its prefix has the price", ["4o"], '{"4o": "nameless"}', "gpt-", []],
  ["the end of a chain has the price", ["house"], '{"house": "home", "home": "o3"}', "", []],
  ["a name on the way is none that counts", ["house"], '{"house": "o3", "o3": "nameless"}', "", ["house"]],
  ["a mapping of the name with its prefix comes first", ["house"], '{"vip-house": "o3", "house": "x"}', "vip-", []],
  ["nor does the bare name where it is mapped to another", ["o3"], '{"o3": "nameless"}', "vip-", ["vip-o3"]],
  ["a mapping in a circle ends before it comes back", ["house"], '{"house": "home", "home": "house"}', "", ["house"]],
])("%s", (_, models, mapping, prefix, expected) => {
  expect(unpricedModels(channel(models, mapping, prefix), PRICED)).toEqual(expected);
  // Calls find the same: what they look up is the requested name and what `upstreamModelOf` says.
  const modelMapping = new Map<string, string>(Object.entries(JSON.parse(mapping || "{}")));
  const refused = models.filter((bare) =>
    [prefix + bare, upstreamModelOf({ modelMapping }, prefix + bare, bare)].every(
      (name) => !PRICED.names.includes(name),
    ),
  );
  expect(refused.map((bare) => prefix + bare)).toEqual(expected);
});

test("a mapping that is being typed counts for nothing", () => {
  for (const text of ["{", "null", "1", "[]"])
    expect(unpricedModels(channel(["house"], text), PRICED)).toEqual(["house"]);
});

test("nobody is warned where nothing is refused, or nothing is known yet", () => {
  expect(unpricedModels(channel(["house"]), { ...PRICED, refuses_others: false })).toEqual([]);
  expect(unpricedModels(channel(["house"]), undefined)).toEqual([]);
});
