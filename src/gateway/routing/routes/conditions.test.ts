import { describe, expect, test } from "bun:test";
import { readRoute } from "../../../settings/option/model-routes.ts";
import { type CallFacts, isWithin, unmetCondition } from "./conditions.ts";

const FACTS: CallFacts = {
  promptTokens: 1_000,
  image: false,
  audio: false,
  file: false,
  tools: false,
  tags: new Set(["prod", "team=search"]),
  group: "default",
  nowMs: Date.parse("2026-01-05T09:30:00Z"),
};

const check = (candidate: object, facts: Partial<CallFacts> = {}) => {
  const [read] = readRoute("r", { candidates: [{ model: "m", ...candidate }] }, "").candidates;
  return read && unmetCondition(read.conditions, { ...FACTS, ...facts });
};

test.each([
  [{}, {}, null],
  [{ min_prompt_tokens: 1_000, max_prompt_tokens: 1_000 }, {}, null],
  [{ min_prompt_tokens: 1_001 }, {}, "prompt_too_short"],
  [{ max_prompt_tokens: 999 }, {}, "prompt_too_long"],
  [{ image: true }, {}, "needs_image"],
  [{ image: false }, { image: true }, "no_image_allowed"],
  [{ audio: true }, { audio: true }, null],
  [{ file: true }, {}, "needs_file"],
  [{ tools: false }, { tools: true }, "no_tools_allowed"],
  [{ tools: true }, { tools: true }, null],
  [{ tags: ["team=search", "x"] }, {}, null],
  [{ tags: ["x"] }, {}, "tags"],
  [{ tags: [] }, {}, null],
  [{ groups: ["vip"] }, {}, "group"],
  [{ groups: ["vip"] }, { group: "vip" }, null],
  [{ hours: { from: "09:00", to: "10:00" } }, {}, null],
  [{ hours: { from: "09:00", to: "10:00", zone: "Asia/Shanghai" } }, {}, "hours"],
] as const)("%j, %j: %s", (candidate, facts, expected) => {
  expect(check(candidate, facts)).toBe(expected);
});

describe("hours", () => {
  const at = (time: string) => Date.parse(`2026-01-05T${time}:00Z`);
  const day = { from: 8 * 60, to: 20 * 60, zone: "UTC" };
  const night = { from: 20 * 60, to: 8 * 60, zone: "UTC" };

  test.each(["00:00", "07:59", "08:00", "12:00", "19:59", "20:00", "23:59"])("%s is in one of two halves", (time) => {
    expect([isWithin(day, at(time)), isWithin(night, at(time))].filter(Boolean)).toHaveLength(1);
  });

  test("the beginning belongs to the period, the end does not", () => {
    expect([isWithin(day, at("08:00")), isWithin(day, at("20:00"))]).toEqual([true, false]);
  });
});
