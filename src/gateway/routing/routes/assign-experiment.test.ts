/** Which calls take part in the experiment of a route, as what. */
import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { readRoute } from "../../../settings/option/model-routes.ts";
import { createPrices } from "../../money/price.ts";
import { createCountedConversations, drawPart } from "./assign-experiment.ts";
import type { RouteQuery } from "./rank.ts";

const query: RouteQuery = {
  facts: {
    ...{ promptTokens: 10, image: false, audio: false, file: false, tools: false, tags: new Set(), group: "default" },
    nowMs: 0,
  },
  needs: { image: false, audio: false, file: false, tools: false, reasoning: false, promptTokens: 10 } as never,
  load: { group: "default", user: { acceptUnsetPrice: false }, promptTokens: 10, outputTokens: 10 },
  allows: () => true,
};
const routeOf = (experiment: object | undefined) =>
  readRoute("best", { candidates: [{ model: "old" }], ...(experiment && { experiment }) }, "");
const canary = routeOf({ mode: "canary", candidate: { model: "new" }, percent: 20 });
const mirror = routeOf({ mode: "mirror", candidate: { model: "new" }, percent: 20 });

/** `drawn`: the random number, from 0 to 1. `isReady`: no key of the new model's channel is cooling down. */
function contextWith(drawn = 0, isReady = true, counted = createCountedConversations()) {
  const channel = channelEntry({ id: 1, models: ["new"] });
  const settings = fixedSettings({ ModelRatio: '{"new":1}' });
  return {
    services: {
      channels: {
        candidates: (_group: string, model: string) =>
          model === "new" ? { model, tiers: [{ priority: 0, channels: [channel] }] } : null,
      },
    },
    catalog: () => ({ find: () => ({}) }),
    random: () => drawn,
    prices: createPrices(settings),
    traffic: { inFlight: () => 0 },
    keys: { hasFit: () => isReady },
    speeds: { find: () => null },
    countedConversations: counted,
  } as never;
}
const partOf = (route = canary, drawn = 0, conversation: bigint | null = null) =>
  drawPart(contextWith(drawn), route, query, conversation)?.part ?? null;

test.each([
  [0, "trial", "mirror"],
  [0.199, "trial", "mirror"],
  [0.2, "control", null],
  [0.399, "control", null],
  [0.4, null, null],
  [0.999, null, null],
] as const)("a call that draws %p: %p of a canary, %p of a mirror", (drawn, ofCanary, ofMirror) => {
  expect([partOf(canary, drawn), partOf(mirror, drawn)]).toEqual([ofCanary, ofMirror]);
});

test("no call takes part where the route tries nothing, or the new model can't serve it", () => {
  expect(partOf(routeOf(undefined))).toBeNull();
  expect(partOf(routeOf({ mode: "mirror", candidate: { model: "unserved" }, percent: 100 }))).toBeNull();
  expect(drawPart(contextWith(0, false), mirror, query, null)).toBeNull();
  expect(drawPart(contextWith(), mirror, { ...query, allows: () => false }, null)).toBeNull();
});

describe("the calls of a conversation", () => {
  const conversations = Array.from({ length: 2_000 }, (_, at) => BigInt(at) * 7_919n);

  test("draw the same part of a canary, whatever chance says; of a mirror each draws for itself", () => {
    for (const conversation of conversations.slice(0, 50)) {
      expect(partOf(canary, 0.999, conversation)).toBe(partOf(canary, 0, conversation));
    }
    expect([partOf(mirror, 0, 1n), partOf(mirror, 0.999, 1n)]).toEqual(["mirror", null]);
  });

  test("spread by the percentage, other ones for another experiment", () => {
    const count = (route: typeof canary, part: string | null) =>
      conversations.filter((conversation) => partOf(route, 0, conversation) === part).length;
    for (const part of ["trial", "control"]) expect(Math.abs(count(canary, part) - 400)).toBeLessThan(80);
    const experiment = canary.experiment && { ...canary.experiment, key: "another" };
    const both = conversations.filter((conversation) =>
      [canary, { ...canary, experiment }].every((route) => partOf(route, 0, conversation) === "trial"),
    );
    expect(both.length).toBeGreaterThan(30);
    expect(both.length).toBeLessThan(150);
  });

  test("count once in a canary; calls of a mirror and those without a conversation all count", () => {
    const context = contextWith();
    const trial = conversations.filter((conversation) => partOf(canary, 0, conversation) === "trial").slice(0, 3);
    const counted = (route: typeof canary, conversation: bigint | null) =>
      drawPart(context, route, query, conversation)?.isCounted;
    expect([...trial, ...trial].map((conversation) => counted(canary, conversation))).toEqual([
      ...[true, true, true],
      ...[false, false, false],
    ]);
    const [first = 0n] = trial;
    expect([counted(mirror, first), counted(mirror, first)]).toEqual([true, true]);
    expect([counted(canary, null), counted(canary, null)]).toEqual([true, true]);
  });
});
