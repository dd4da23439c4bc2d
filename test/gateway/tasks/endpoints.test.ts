import { expect, test } from "bun:test";
import { charge } from "../../../src/billing/pricing/charge.ts";
import { NO_USAGE } from "../../../src/formats/conversation/reply.ts";
import { video } from "../../../src/gateway/endpoints/tasks/endpoints.ts";
import { createPrices } from "../../../src/gateway/money/price.ts";
import { decimal } from "../../../src/lib/values/decimal.ts";
import { fixedSettings } from "../../support/lib/settings.ts";

/** What a video of four seconds costs on a site with these settings, in quota units. */
function costOf(model: string, options: Parameters<typeof fixedSettings>[0], acceptUnsetPrice = false): number {
  const prices = createPrices(fixedSettings(options));
  const summary = { model, stream: false, wantsUsage: false, choices: 1, maxOutputTokens: null, reasoningEffort: null };
  const taskRequest = { summary, prompt: { prompt: "a cat", seconds: 4 }, conversation: null };
  const price = video.priceOf?.(
    prices.of({ group: "default", user: { acceptUnsetPrice } }, model, model),
    taskRequest,
    model,
    prices.catalog(),
  );
  if (!price) throw new Error("videos have prices");
  return charge(price, { ...NO_USAGE, promptTokens: 1 }, decimal("500000")).quota;
}

test("a video costs its seconds; without a price it is refused, and free where the site is for its owner alone", () => {
  const ModelPrice = '{"film": 0.1}';
  expect(costOf("film", { ModelPrice })).toBe(200_000);
  expect(() => costOf("priceless", { ModelPrice })).toThrow("has no price");
  expect(costOf("priceless", { ModelPrice, SelfUseModeEnabled: "true" })).toBe(0);
  // Who accepts models without a price pays for tokens, which a video has none of.
  expect(() => costOf("priceless", { ModelPrice }, true)).toThrow("has no price");
  expect(() => costOf("gpt-4o", {})).toThrow("has no price");
});
