import { describe, expect, test } from "bun:test";
import { readRoute, STRATEGIES as SERVER_STRATEGIES } from "../../../../src/settings/option/model-routes.ts";
import { candidateError, countConditions, newCandidate } from "./candidate-form.ts";
import type { RouteView } from "./route-calls.ts";
import { checkRouteForm, definitionOf, followModels, formOf, moved, STRATEGIES } from "./route-form.ts";

const FULL: RouteView = {
  name: "best",
  unserved: [],
  description: "For everybody",
  enabled: false,
  strategy: "weighted",
  candidates: [
    {
      model: "a",
      weight: 7,
      min_prompt_tokens: 10,
      max_prompt_tokens: 20,
      image: true,
      tools: false,
      tags: ["gold"],
      groups: ["vip"],
      channel_tags: ["eu"],
      regions: ["eu-*"],
      hours: { from: "08:00", to: "20:00", zone: "Asia/Shanghai" },
    },
    { model: "b" },
  ],
  hedge: { after_ms: 800, max_extra_percent: 5 },
  queue: { max_wait_ms: 20_000, max_length: 50, groups: ["vip"] },
  experiment: {
    mode: "mirror",
    candidate: { model: "c", channel_tags: ["new"], regions: ["us-east-1"], tools: false },
    percent: 20,
    max_usd_per_day: 3,
    max_concurrent: 2,
    judge: { model: "j", instructions: "Be strict.", group: "vip", percent: 50 },
  },
};

test("a route survives its form, and what it saves is valid for the server", () => {
  const { name, unserved: _, ...definition } = FULL;
  const saved = definitionOf(formOf(FULL));
  expect(saved).toEqual(definition);
  expect(() => readRoute(name, saved, "")).not.toThrow();
  expect(FULL.candidates?.map(countConditions)).toEqual([9, 0]);
});

test("a new route needs a name that is free, and a model", () => {
  const form = formOf(null);
  expect(checkRouteForm(form, [])).toEqual({
    name: "name",
    description: undefined,
    candidates: "candidates",
    hedgeAfter: undefined,
    queueWait: undefined,
    experiment: undefined,
  });
  const trial = { ...form.experiment, mode: "mirror" as const };
  expect(checkRouteForm({ ...form, experiment: trial }, []).experiment).toBe("experiment");
  const named = { ...trial, candidate: newCandidate("b") };
  expect(checkRouteForm({ ...form, experiment: named }, []).experiment).toBeUndefined();
  expect(checkRouteForm({ ...form, experiment: { ...named, usdPerDay: "0" } }, []).experiment).toBe("experiment");
  expect(checkRouteForm({ ...form, isHedged: true, hedgeAfter: "0" }, []).hedgeAfter).toBe("hedge");
  expect(checkRouteForm({ ...form, isQueued: true, queueLength: "0" }, []).queueWait).toBe("queue");
  expect(checkRouteForm({ ...form, isHedged: true, hedgePercent: "" }, []).hedgeAfter).toBe("hedge");
  const filled = { ...form, name: " best ", candidates: [newCandidate("a")] };
  expect(checkRouteForm(filled, ["best"]).name).toBe("taken");
  expect(Object.values(checkRouteForm(filled, ["other"]))).toEqual(Array(6).fill(undefined));
  expect(checkRouteForm({ ...filled, candidates: [] }, []).candidates).toBe("candidates");
});

test("a route has the models that are named, and the first one's name until another is typed", () => {
  const [first, second] = [newCandidate("a"), newCandidate()];
  const form = { ...formOf(null), candidates: [first, second] };
  expect(followModels({ candidates: [first, second] }, formOf(null))).toEqual({ name: "a" });
  expect(followModels({ candidates: [newCandidate("b"), second] }, { ...form, name: "a" })).toEqual({ name: "b" });
  expect(followModels({ candidates: [newCandidate("b"), second] }, { ...form, name: "best" })).toEqual({});
  expect(definitionOf(form).candidates).toEqual([{ model: "a" }]);
  expect(checkRouteForm({ ...form, name: "a" }, []).candidates).toBeUndefined();
  // Conditions without a model were not left empty.
  const conditional = { ...form, name: "a", candidates: [first, { ...second, tags: ["gold"] }] };
  expect(checkRouteForm(conditional, []).candidates).toBe("candidates");
});

describe("a candidate", () => {
  test.each([
    [{}, null],
    [{ model: " " }, "model"],
    [{ weight: "" }, "weight"],
    [{ weight: "1.5" }, "weight"],
    [{ weight: "10001" }, "weight"],
    [{ minTokens: "5", maxTokens: "4" }, "tokens"],
    [{ minTokens: "x" }, "tokens"],
    [{ minTokens: "0", maxTokens: "100000000" }, null],
    [{ from: "08:00" }, "hours"],
    [{ from: "08:00", to: "08:00" }, "hours"],
    [{ from: "08:00", to: "09:00", zone: "Mars/Base" }, "hours"],
    [{ from: "22:00", to: "06:00", zone: "" }, null],
  ] as const)("%j: %s", (fields, error) => {
    const form = { ...newCandidate("a"), ...fields };
    expect(candidateError(form)).toBe(error);
    if (error !== null) return;
    expect(() => readRoute("r", definitionOf({ ...formOf(null), candidates: [form] }), "")).not.toThrow();
  });
});

test("the strategies are those of the server", () => {
  expect([...STRATEGIES]).toEqual([...SERVER_STRATEGIES]);
});

test("entries move within the list", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"]);
  expect(moved(["a", "b"], 1, 2)).toEqual(["a", "b"]);
});
