/** What is expected of a model's channels for a call: time and cost. */
import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { createPrices } from "../../money/price.ts";
import { measure } from "./measure.ts";

type Speed = Readonly<{ firstTokenMs: number | null; tokensPerSecond: number | null }>;
type Known = Readonly<{ speed?: Speed; isReady?: boolean; inFlight?: number; model?: string; tier?: number }>;

const load = { group: "default", user: { acceptUnsetPrice: false }, promptTokens: 100, outputTokens: 50 };

function measured(channels: readonly Known[], more: Partial<typeof load> = {}) {
  const entries = channels.map(({ model = "cheap" }, at) =>
    channelEntry({ id: at + 1, models: ["m"], modelMapping: new Map([["m", model]]) }),
  );
  const tiers = [0, 1]
    .map((tier) => ({ priority: -tier, channels: entries.filter((_, at) => (channels[at]?.tier ?? 0) === tier) }))
    .filter((tier) => tier.channels.length > 0);
  const known = (id: number) => channels[id - 1];
  const context = {
    prices: createPrices(
      fixedSettings({ ModelRatio: '{"cheap":1,"dear":5}', CompletionRatio: '{"cheap":2,"dear":3}' }),
    ),
    traffic: { inFlight: (id: number) => known(id)?.inFlight ?? 0 },
    keys: { hasFit: ({ id }: { id: number }) => known(id)?.isReady !== false },
    speeds: { find: (id: number) => known(id)?.speed ?? null },
  };
  return measure(context as never, "m", { model: "m", tiers } as never, { ...load, ...more });
}
const speed = (firstTokenMs: number | null, tokensPerSecond: number | null) => ({ firstTokenMs, tokensPerSecond });

describe("times", () => {
  test.each<[string, readonly Known[], number | null, number | null, number | null]>([
    ["nothing is known", [{}], null, null, null],
    ["one channel", [{ speed: speed(300, 20) }], 300, 20, 300 + 2_500],
    ["the mean of two", [{ speed: speed(300, 20) }, { speed: speed(100, 30) }], 200, 25, 200 + 2_000],
    ["without those that are not known", [{ speed: speed(300, 20) }, {}], 300, 20, 300 + 2_500],
    ["only the first token is known", [{ speed: speed(300, null) }], 300, null, 300],
    ["only the tokens per second are known", [{ speed: speed(null, 50) }], null, 50, 1_000],
    ["a stopped model", [{ speed: speed(300, 0) }], 300, 0, 300],
  ])("%s", (_what, channels, firstTokenMs, tokensPerSecond, latencyMs) => {
    expect(measured(channels).figures).toMatchObject({ firstTokenMs, tokensPerSecond, latencyMs });
  });
});

test("calls that are under way are those of a channel, on average", () => {
  expect(measured([{ inFlight: 2 }, { inFlight: 6 }]).figures.inFlight).toBe(4);
  expect(measured([]).figures.inFlight).toBe(0);
});

describe("the channels that count", () => {
  const fast = { speed: speed(100, 100) };
  const slow = { speed: speed(900, 10), tier: 1 };

  test.each<[string, readonly Known[], number | null, boolean]>([
    ["those of the best tier", [fast, slow], 100, true],
    ["those of the next one where the best cools down", [{ ...fast, isReady: false }, slow], 900, true],
    ["without those that cool down", [{ ...fast, isReady: false }, { speed: speed(400, 10) }], 400, true],
    ["those of the best tier where all cool down", [fast, slow].map((one) => ({ ...one, isReady: false })), 100, false],
  ])("are %s", (_what, channels, firstTokenMs, isReady) => {
    const found = measured(channels);
    expect([found.figures.firstTokenMs, found.isReady]).toEqual([firstTokenMs, isReady]);
  });

  test.each([true, false])("are 32 at most, ready: %p", (isReady) => {
    const many = Array.from({ length: 40 }, (_, at) => ({ isReady, inFlight: at < 32 ? 1 : 1_000 }));
    expect(measured(many).figures.inFlight).toBe(1);
  });
});

describe("the cost", () => {
  test("is that of the most expensive channel, with all tokens of the answer", () => {
    expect(measured([{}]).figures.cost).toBe(100 + 50 * 2);
    expect(measured([{}, { model: "dear" }]).figures.cost).toBe(5 * (100 + 50 * 3));
    expect(measured([{ model: "dear" }, {}]).figures.cost).toBe(5 * (100 + 50 * 3));
    expect(measured([{}], { promptTokens: 0 }).figures.cost).toBe(50 * 2);
  });

  test("is unknown where no name has a price; one with a price suffices", () => {
    const costOf = (...models: readonly string[]) => measured(models.map((model) => ({ model }))).figures.cost;
    expect([costOf(), costOf("unpriced")]).toEqual([null, null]);
    expect([costOf("unpriced", "cheap"), costOf("cheap", "unpriced")]).toEqual([200, 200]);
  });
});
