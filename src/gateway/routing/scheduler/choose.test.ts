import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Excluded } from "../../call/route.ts";
import { createCoolDown } from "../../upstream/keys/cool-down.ts";
import { choose, createKeyRing } from "./choose.ts";

const tier = (priority: number, ...channels: ChannelEntry[]) => ({ priority, channels });
const every = () => true;
const excluded = (...channels: ChannelEntry[]): Excluded => ({ channels: new Set(channels), keys: new Map() });

function setUp() {
  let now = 0;
  const coolDown = createCoolDown(() => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { coolDown, keys: createKeyRing(coolDown), pass };
}

describe("choosing a channel", () => {
  const [a, b, c] = [1, 2, 3].map((id) => channelEntry({ id, weight: id === 1 ? 5 : 10 })) as [
    ChannelEntry,
    ChannelEntry,
    ChannelEntry,
  ];

  test("goes by weight within the best tier, and evenly where no weight is set", () => {
    const { keys } = setUp();
    const counts = new Map<number, number>();
    for (let i = 0; i < 3_000; i += 1) {
      const choice = choose([tier(1, a, b), tier(0, c)], null, keys, every, () => i / 3_000);
      const id = choice?.channel.id ?? 0;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect([...counts].sort()).toEqual([
      [1, 1_000],
      [2, 2_000],
    ]);
    const equal = [channelEntry({ id: 7, weight: 0 }), channelEntry({ id: 8, weight: 0 })];
    const at = (place: number) => choose([tier(0, ...equal)], null, keys, every, () => place)?.channel.id;
    expect([0, 0.499, 0.501, 0.999].map(at)).toEqual([7, 7, 8, 8]);
  });

  test("skips excluded channels until nothing else is left", () => {
    const { keys } = setUp();
    const tiers = [tier(1, a, b), tier(0, c)];
    expect(choose(tiers, excluded(a), keys, every)?.channel).toBe(b);
    expect(choose(tiers, excluded(a, b), keys, every)?.channel).toBe(c);
    expect(choose(tiers, excluded(a, b, c), keys, every)).not.toBeNull();
  });

  test("skips ineligible channels, and keys that failed", () => {
    const { keys } = setUp();
    expect(choose([tier(1, a, b)], null, keys, (channel) => channel.id === 2)?.channel).toBe(b);
    const failed: Excluded = { channels: new Set([a]), keys: new Map([[1, new Set(a.keys)]]) };
    expect(choose([tier(1, a)], failed, keys, every)).toBeNull();
  });

  test("takes a cooling channel only if no other is left, and again once it has cooled down", () => {
    const { keys, coolDown, pass } = setUp();
    const tiers = [tier(1, a), tier(0, b)];
    coolDown.start(1, "upstream-key", 5_000);
    expect(choose(tiers, null, keys, every)?.channel).toBe(b);
    expect(choose(tiers, excluded(b), keys, (channel) => channel.id === 1)?.channel).toBe(a);
    pass(5_001);
    expect(choose(tiers, null, keys, every)?.channel).toBe(a);
  });

  test("finds nothing if every key is disabled", () => {
    const { keys } = setUp();
    const off = channelEntry({ keys: ["x"], disabledKeys: new Set(["x"]) });
    expect(choose([tier(0, off)], null, keys, every)).toBeNull();
    expect(choose([tier(0, channelEntry({ keys: [] }))], null, keys, every)).toBeNull();
    expect(choose([tier(1, off), tier(0, a)], null, keys, every)?.channel).toBe(a);
  });
});
