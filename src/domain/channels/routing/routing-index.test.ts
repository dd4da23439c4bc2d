import { describe, expect, test } from "bun:test";
import type { ChannelEntry } from "../entry.ts";
import { createRoutingIndex, getsNoTraffic } from "./routing-index.ts";

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
  modelMapping: new Map(),
  statusCodeMapping: new Map(),
  paramOverride: null,
  overrideRules: null,
  ownHeaders: null,
  setting: {},
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

  test("custom GPTs share one entry", () => {
    const index = indexOf(channel(1, { models: ["gpt-4-gizmo-*"] }));
    expect(index.candidates("default", "gpt-4-gizmo-abc")).toMatchObject({ model: "gpt-4-gizmo-abc" });
  });
});
