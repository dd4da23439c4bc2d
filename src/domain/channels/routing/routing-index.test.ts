import { describe, expect, test } from "bun:test";
import { NameMap, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import type { ChannelEntry } from "../entry.ts";
import { createRoutingIndex, getsNoTraffic, upstreamModelOf } from "./routing-index.ts";

const channel = (id: number, fields: Partial<ChannelEntry> = {}): ChannelEntry => ({
  id,
  type: 1,
  name: `channel ${id}`,
  status: 1,
  priority: 0,
  weight: 0,
  keys: ["k"],
  references: new Map(),
  unresolved: [],
  disabledKeys: new Set(),
  baseUrl: "",
  other: "",
  openaiOrganization: "",
  maxInputTokens: 0,
  models: ["m"],
  groups: ["default"],
  modelPatterns: null,
  modelMapping: new Map(),
  statusCodeMapping: new Map(),
  paramOverride: null,
  overrideRules: null,
  ownHeaders: null,
  setting: {},
  costs: null,
  modelPrefix: "",
  tag: "",
  testModel: "",
  autoBan: true,
  ...fields,
});

function indexOf(...channels: ChannelEntry[]) {
  const index = createRoutingIndex();
  channels.forEach(index.add);
  return index;
}

const patterns = (...sources: string[]) => ({ models: [], modelPatterns: sources.map(namePattern) });

const ids = (index: ReturnType<typeof createRoutingIndex>, model = "m", group = "default") =>
  index.candidates(group, model)?.tiers.map((tier) => tier.channels.map(({ id }) => id)) ?? null;

describe("the routing index", () => {
  test("tiers come by priority, highest first", () => {
    const index = indexOf(
      channel(1),
      channel(2, { priority: 5 }),
      channel(3, { priority: 5 }),
      channel(4, { priority: -1 }),
    );
    expect(ids(index)).toEqual([[2, 3], [1], [4]]);
  });

  test("channels without a weight serve only if no enabled one of their priority has a weight", () => {
    const index = indexOf(
      channel(1, { weight: 3 }),
      channel(2),
      channel(3, { weight: 2, status: 2, priority: 1 }),
      channel(4, { priority: 1 }),
      channel(5, { priority: 1 }),
    );
    expect(ids(index)).toEqual([[4, 5], [1]]);
    expect(
      [channel(1, { weight: 3 }), channel(2), channel(4, { priority: 1 })].map((each) => getsNoTraffic(each, index)),
    ).toEqual([false, true, false]);
    index.add(channel(6, { models: ["n"] }));
    expect(getsNoTraffic(channel(6, { models: ["m", "n"] }), index)).toBe(false);
    index.remove(channel(1, { weight: 3 }));
    expect(ids(index)).toEqual([[4, 5], [2]]);
  });

  test("only enabled channels of the group serve", () => {
    const index = indexOf(channel(1, { status: 2 }), channel(2, { status: 3 }), channel(3, { groups: ["vip"] }));
    expect(ids(index)).toBeNull();
    expect(ids(index, "m", "vip")).toEqual([[3]]);
    expect(index.modelsOf("default")).toEqual([]);
  });

  test("a channel with a prefix serves prefixed names only", () => {
    const index = indexOf(channel(1, { modelPrefix: "az/" }));
    expect(ids(index)).toBeNull();
    expect(index.candidates("default", "az/m")?.model).toBe("m");
    expect(index.modelsOf("default")).toEqual(["az/m"]);
  });

  test("of two prefixes that fit, the longest means the call", () => {
    const index = indexOf(
      channel(1, { modelPrefix: "a", models: ["b-m"] }),
      channel(2, { modelPrefix: "ab", models: ["-m"] }),
    );
    expect(ids(index, "ab-m")).toEqual([[2]]);
  });

  test("what is removed is gone, what changes moves", () => {
    const before = channel(1);
    const index = indexOf(before, channel(2));
    expect(ids(index)).toEqual([[1, 2]]);
    index.remove(before);
    index.add(channel(1, { priority: 9 }));
    expect(ids(index)).toEqual([[1], [2]]);
  });

  test("groups of one name have channels of their own, also after a change", () => {
    const shared = channel(1, { groups: ["default", "vip"] });
    const index = indexOf(shared, channel(2, { groups: ["vip"], models: ["n", "m"] }));
    expect([ids(index), ids(index, "m", "vip"), ids(index, "n"), ids(index, "m", "nobody")]).toEqual([
      [[1]],
      [[1, 2]],
      null,
      null,
    ]);
    expect([index.modelsOf("default"), index.modelsOf("vip"), index.modelsOf("nobody")]).toEqual([
      ["m"],
      ["m", "n"],
      [],
    ]);
    expect(index.groupsOf("m")).toEqual(["default", "vip"]);
    index.remove(shared);
    index.add(channel(1, { groups: ["default"], models: ["n"] }));
    expect([ids(index), ids(index, "m", "vip"), ids(index, "n")]).toEqual([null, [[2]], [[1]]]);
    expect([index.modelsOf("default"), index.groupsOf("m"), index.groupsOf("n")]).toEqual([
      ["n"],
      ["vip"],
      ["vip", "default"],
    ]);
  });

  test("custom GPTs share one entry", () => {
    const index = indexOf(channel(1, { models: ["gpt-4-gizmo-*"] }));
    expect(index.candidates("default", "gpt-4-gizmo-abc")).toMatchObject({ model: "gpt-4-gizmo-abc" });
  });
});

describe("patterns of models", () => {
  test("count only for names that no channel of the group has", () => {
    const index = indexOf(
      channel(1, { models: ["gpt-5"], priority: -1 }),
      channel(2, patterns("gpt-*")),
      channel(3, { ...patterns("*"), priority: 5 }),
      channel(4, { ...patterns("*"), status: 2 }),
      channel(5, { ...patterns("re:o[34].*"), groups: ["vip"] }),
    );
    expect(ids(index, "gpt-5")).toEqual([[1]]);
    expect(ids(index, "gpt-5-mini")).toEqual([[3], [2]]);
    expect(ids(index, "o3")).toEqual([[3]]);
    expect(ids(index, "o3", "vip")).toEqual([[5]]);
    expect(ids(index, "gpt-5", "vip")).toBeNull();
    expect(index.modelsOf("default")).toEqual(["gpt-5"]);
    expect(index.groupsOf("gpt-5")).toEqual(["default"]);
    expect(index.groupsOf("o3")).toEqual([]);
  });

  test("a channel's prefix goes before its patterns, the longest first", () => {
    const index = indexOf(channel(1, patterns("*")), channel(2, { ...patterns("gpt-*"), modelPrefix: "a/" }));
    expect(ids(index, "a/gpt-5")).toEqual([[2]]);
    expect(index.candidates("default", "a/gpt-5")?.model).toBe("gpt-5");
    expect(ids(index, "a/o3")).toEqual([[1]]);
  });

  test("an answer is the same object until a channel of the group changes", () => {
    const [first, second] = [channel(1, patterns("*")), channel(2, patterns("gpt-*"))];
    const index = indexOf(first);
    const found = index.candidates("default", "gpt-5");
    expect(index.candidates("default", "gpt-5")).toBe(found);
    index.add(second);
    expect(ids(index, "gpt-5")).toEqual([[1, 2]]);
    index.remove(first);
    expect(ids(index, "gpt-5")).toEqual([[2]]);
    expect(ids(index, "o3")).toBeNull();
    index.remove(second);
    expect(ids(index, "gpt-5")).toBeNull();
    // More names than are remembered.
    index.add(first);
    for (let n = 0; n < 4_500; n++) expect(ids(index, `model-${n}`)).toEqual([[1]]);
  });

  test.each([
    [{ "*": "openai/*" }, "gpt-5", "openai/gpt-5"],
    [{ "gpt-5*": "gpt-5.1", "gpt-5-mini": "gpt-4.1-mini" }, "gpt-5-mini", "gpt-4.1-mini"],
    [{ "gpt-5*": "a", "gpt-*": "b" }, "gpt-5-nano", "a"],
    // A chain goes on by names alone.
    [{ "gpt-*": "house", house: "claude-opus-4-5" }, "gpt-5", "claude-opus-4-5"],
    [{ "re:(.+)-high": "$1" }, "o3-high", "o3"],
    [{ "o3*": "x" }, "gpt-5", "gpt-5"],
  ])("%j makes %s to %s", (mapping, requested, upstream) => {
    expect(upstreamModelOf({ modelMapping: new NameMap(Object.entries(mapping)) }, requested, requested)).toBe(
      upstream,
    );
  });

  test("the name without the prefix is matched too, after the whole one", () => {
    const modelMapping = new NameMap([["b*", "bare"]]);
    expect(upstreamModelOf({ modelMapping }, "a/b1", "b1")).toBe("bare");
    const both = new NameMap([...modelMapping, ["a/*", "whole"]]);
    expect(upstreamModelOf({ modelMapping: both }, "a/b1", "b1")).toBe("whole");
  });
});
