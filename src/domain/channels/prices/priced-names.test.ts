import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { channelTypes } from "../../../providers/registry.ts";
import { pricedNames } from "./priced-names.ts";

describe("a new installation", () => {
  const priced = new Set(pricedNames(fixedSettings()).names);

  test.each(channelTypes.map((type) => [type.name, type] as const))(
    "%s: its models have a price, or nobody lists one",
    (_, { models, noListPrice }) => {
      const without = models.filter((name) => !priced.has(name));
      if (noListPrice === null) expect(without).toEqual([]);
    },
  );

  test("only these providers have no list price, and each says why", () => {
    const reasons = channelTypes.flatMap(({ name, noListPrice }) => (noListPrice ? [[name, noListPrice]] : []));
    expect(Object.fromEntries(reasons)).toEqual({
      Ollama: "own_server",
      FastGPT: "own_app",
      Dify: "own_app",
      Xinference: "own_server",
      "NVIDIA NIM": "unlisted",
      "vLLM / LM Studio": "own_server",
    });
  });
});

test("names with a ratio or a fixed price are priced; a site for its owner alone refuses nothing", () => {
  const prices = { ModelRatio: '{"b": 1, "a": 2}', ModelPrice: '{"c": 0.1, "a": 1}' };
  expect(pricedNames(fixedSettings(prices))).toEqual({ names: ["a", "b", "c"], refuses_others: true });
  const own = fixedSettings({ ...prices, SelfUseModeEnabled: "true" });
  expect(pricedNames(own)).toMatchObject({ refuses_others: false });
});
