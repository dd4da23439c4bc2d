import { expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { PastCall } from "../../domain/models/routes/simulation.ts";
import { readRoute } from "../../settings/option/model-routes.ts";
import { createPrices } from "../money/price.ts";
import { predictOutcomes } from "./simulate.ts";

const prices = createPrices(fixedSettings({ ModelRatio: '{"cheap":1,"large":10}', CompletionRatio: "{}" }));
const context = { prices, random: () => 0.5 };
const predict = (route: object, calls: readonly PastCall[], known: readonly PastCall[] = calls) =>
  predictOutcomes(context, readRoute("best", route, ""), calls, known);
const call = (model: string, values: Partial<PastCall> = {}): PastCall => ({
  ...{ model, group: "default", createdAt: 1_790_000_000, promptTokens: 100, cachedTokens: 0, completionTokens: 50 },
  ...{ failed: false, elapsedMs: 1000, quota: 0 },
  ...values,
});
const cheapest = { strategy: "least-cost", candidates: [{ model: "large" }, { model: "cheap" }] };

test("calls cost what their own tokens cost at the model that the route chooses", () => {
  const calls = [call("large"), call("cheap", { elapsedMs: 500 })];
  const { cost, success, shares } = predict(cheapest, calls);
  expect({ success, shares }).toEqual({ success: 1, shares: { cheap: 1 } });
  expect(cost).toBeCloseTo((predict({ candidates: [{ model: "large" }] }, calls).cost ?? 0) / 10);
  expect(predict(cheapest, calls).latency_ms).toBeCloseTo(500);
});

test("what fails goes to the next candidate, as often as its model failed", () => {
  const known = [call("cheap"), call("cheap", { failed: true }), call("large")];
  const outcomes = predict({ candidates: [{ model: "cheap" }, { model: "large" }] }, [call("cheap")], known);
  expect(outcomes).toMatchObject({ success: 1, shares: { cheap: 0.5, large: 0.5 } });
  expect(predict({ candidates: [{ model: "cheap" }] }, [call("cheap")], known).success).toBe(0.5);
});

test("conditions on group, length and hour hold; calls that nobody takes are refused", () => {
  const route = {
    candidates: [
      { model: "cheap", max_prompt_tokens: 99 },
      { model: "large", groups: ["vip"] },
    ],
  };
  const calls = [call("cheap", { promptTokens: 50 }), call("cheap", { group: "vip" }), call("cheap")];
  const outcomes = predict(route, calls, [...calls, call("large")]);
  expect(outcomes.refused).toBe(1);
  expect(outcomes.success).toBeCloseTo(2 / 3);
});

test("a prompt that one model had cached is not cached at another; of unknown models no speed is made up", () => {
  const cached = call("large", { cachedTokens: 100 });
  expect(predict({ candidates: [{ model: "cheap" }] }, [cached])).toMatchObject({ latency_ms: null, success: 1 });
  expect(predict({ candidates: [{ model: "cheap" }] }, [cached]).cost).toBe(
    predict({ candidates: [{ model: "cheap" }] }, [call("large")]).cost,
  );
});

test("nothing comes of nothing", () => {
  expect(predict(cheapest, [])).toEqual({ cost: null, latency_ms: null, success: null, shares: {}, refused: 0 });
});
