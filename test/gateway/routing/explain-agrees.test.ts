/** What is explained is what is done: both over channels that are put together by chance. */

import { expect, test } from "bun:test";
import { createCatalog } from "../../../src/catalog/catalog.ts";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { createRoutingIndex, upstreamModelOf } from "../../../src/domain/channels/routing/routing-index.ts";
import { createPrices } from "../../../src/gateway/money/price.ts";
import { explain } from "../../../src/gateway/quality/explain.ts";
import { ineligibleReason, type Requirements } from "../../../src/gateway/routing/router.ts";
import { createSpeeds } from "../../../src/gateway/routing/routes/speeds.ts";
import { choose, createKeyRing } from "../../../src/gateway/routing/scheduler/choose.ts";
import { createStickiness } from "../../../src/gateway/routing/scheduler/stickiness.ts";
import { createCoolDown } from "../../../src/gateway/upstream/keys/cool-down.ts";
import { createKeyTraffic } from "../../../src/gateway/upstream/keys/key-traffic.ts";
import { providerOf } from "../../../src/providers/registry.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { fixedSettings } from "../../support/lib/settings.ts";

const MODEL = "eu/m";
const GROUP = "default";
const PROMPT_TOKENS = 100;
const DRAWS = 400;

/** Numbers from 0 to 1 that follow from a seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function madeUpChannel(id: number, next: () => number): ChannelEntry {
  const of = <Item>(...items: readonly [Item, ...Item[]]): Item => items[Math.floor(next() * items.length)] ?? items[0];
  const keys = of(["a"], ["a", "b"], ["a", "b", "c"]);
  const isPrefixed = next() < 0.7;
  return channelEntry({
    id,
    type: of(1, 1, 1, 14, 9_999),
    status: of(1, 1, 1, 1, 2, 3),
    groups: of([GROUP], [GROUP], [GROUP, "vip"], ["vip"]),
    priority: of(0, 5, 10),
    weight: of(0, 5, 40),
    keys,
    disabledKeys: new Set(keys.filter(() => next() < 0.25)),
    maxInputTokens: of(0, 0, PROMPT_TOKENS, PROMPT_TOKENS - 1),
    ...(isPrefixed ? { modelPrefix: "eu/", models: ["m"] } : { models: [MODEL] }),
    modelMapping: new Map(of<[string, string][]>([], [], [["m", "dear"]], [[MODEL, "priceless"]])),
  });
}

test.each(Array.from({ length: 120 }, (_, at) => at))("snapshot %p", (at) => {
  const next = chance(at * 7_919 + 3);
  const all = Array.from({ length: 1 + Math.floor(next() * 6) }, (_, index) => madeUpChannel(index + 1, next));
  const index = createRoutingIndex();
  for (const channel of all) index.add(channel);
  const coolDown = createCoolDown(() => 0);
  for (const { id, keys } of all) for (const key of keys) if (next() < 0.25) coolDown.start(id, key, 1_000);
  const keys = createKeyRing(coolDown, next);
  const priced: Record<string, number> = { m: 1, dear: 5, ...(next() < 0.5 && { [MODEL]: 1 }) };
  const prices = createPrices(fixedSettings({ ModelRatio: JSON.stringify(priced) }));
  const none = { get: () => undefined };
  const context = {
    ...{ coolDown, keys, prices, modelsOf: () => null, stickiness: createStickiness(), traffic: createKeyTraffic() },
    ...{ speeds: createSpeeds(), catalog: () => createCatalog([]) },
    services: { channels: index, settings: fixedSettings(), tokens: none, users: none },
  };
  const explanation = explain(context, all, { model: MODEL, group: GROUP, promptTokens: PROMPT_TOKENS });

  const { tiers = [], model = MODEL } = index.candidates(GROUP, MODEL) ?? {};
  const requirements: Requirements = {
    isServedBy: ({ type }) => providerOf(type) !== undefined,
    hasPrice: (channel) => MODEL in priced || upstreamModelOf(channel, MODEL, model) in priced,
    isLongerThan: (limit) => PROMPT_TOKENS > limit,
  };
  const chosen = new Map<number, number>();
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const choice = choose(tiers, null, keys, (channel) => ineligibleReason(channel, requirements) === null, next);
    if (choice) chosen.set(choice.channel.id, (chosen.get(choice.channel.id) ?? 0) + 1);
  }
  const sum = explanation.channels.reduce((total, { share }) => total + share, 0);
  expect(sum).toBeCloseTo(chosen.size > 0 ? 1 : 0, 9);
  for (const { id, share, reasons, tier, keys: states } of explanation.channels) {
    const count = chosen.get(id) ?? 0;
    // Whoever has a share is chosen about as often, nobody else ever is.
    if (share === 0) expect([id, count]).toEqual([id, 0]);
    else expect(Math.abs(count / DRAWS - share)).toBeLessThan(0.15);
    if (share > 0) expect(reasons.filter((reason) => reason !== "cooling")).toEqual([]);
    if (share === 0 && reasons.length === 0) expect(tier).toBeGreaterThan(1);
    if (reasons.includes("no_key")) expect(states.every(({ state }) => state === "disabled")).toBe(true);
    if (tier === null) expect(reasons).not.toEqual([]);
  }
  expect(explanation.channels).toHaveLength(all.length);
});
