import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../../test/support/gateway/entries.ts";
import { createCatalog, shippedCatalog, shippedDocument } from "../../../catalog/catalog.ts";
import { readEntries } from "../../../catalog/entry.ts";
import { retirementOf } from "../../../catalog/retirement.ts";
import { retiredModelsOf, retirementAt, withoutRetired } from "./retired-models.ts";

describe("a retirement", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["2026-08-05", "2026-08-04", false],
    ["2026-08-05", "2026-08-05", true],
    ["2026-08-05", "2027-01-01", true],
    ["2026-08", "2026-08-31", false],
    ["2026-08", "2026-09-01", true],
  ];
  test.each(cases)("of %s is over on %s: %p", (date, today, isOver) => {
    const facts = {
      deprecation_date: date,
      deprecation_channel_types: null,
      platform_retirements: null,
      successor: null,
    };
    expect(retirementOf(facts, 14, today) !== null).toBe(isOver);
  });

  /** Channel type, base URL, model, whether its service has turned the model off. */
  const services: readonly (readonly [number, string, string, boolean])[] = [
    [14, "", "claude-opus-4-1-20250805", true],
    [14, "https://api.anthropic.com/", "claude-opus-4-1", true],
    // Another host under Anthropic's API, and clouds, which have dates of their own.
    [14, "https://claude.example/v1", "claude-opus-4-1", false],
    [33, "", "claude-opus-4-1", false],
    [33, "", "claude-3-7-sonnet-20250219", true],
    [1007, "", "us.anthropic.claude-opus-4-20250514-v1:0", true],
    [1007, "https://bedrock.example", "us.anthropic.claude-opus-4-20250514-v1:0", false],
    [41, "", "claude-3-haiku@20240307", true],
    [33, "", "claude-3-haiku-20240307", false],
    [41, "", "claude-opus-4-1", false],
    [1000, "", "llama-3.3-70b-versatile", true],
    [1, "", "llama-3.3-70b-versatile", false],
    [24, "", "imagen-4.0-generate-001", true],
    [41, "", "gemini-3-pro-preview", false],
    [43, "", "deepseek-reasoner", true],
    [48, "", "grok-4", true],
    [48, "", "grok-4.7", false],
    [1, "", "gpt-4", true],
    [1, "", "gpt-4o-mini", false],
    [3, "", "gpt-4", false],
  ];
  test.each(services)("at type %i, %p: %s %p", (type, baseUrl, model, isRetired) => {
    expect(retirementAt(shippedCatalog, { type, baseUrl }, model, "2026-11-29") !== null).toBe(isRetired);
  });

  test("has the day of the service where that differs from the maker's", () => {
    const dayAt = (type: number) =>
      retirementOf(shippedCatalog.find("claude-3-5-haiku-20241022"), type, "2026-11-29")?.date;
    expect([14, 33, 1007, 41].map(dayAt)).toEqual(["2026-02-19", "2026-06-19", "2026-06-19", "2026-07-05"]);
    const before = retirementOf(shippedCatalog.find("claude-3-5-haiku-20241022"), 41, "2026-07-04");
    expect(before).toBeNull();
  });

  test("that an operator states holds at every address", () => {
    const own = readEntries({ "house-1": { deprecation_date: "2026-01-01" } }, "models");
    const catalog = createCatalog([own]);
    expect(retirementAt(catalog, { type: 1, baseUrl: "http://10.0.0.1" }, "house-1", "2026-11-29")).toEqual({
      date: "2026-01-01",
      successor: null,
    });
  });
});

test("a channel's retired models are found by the upstream's names", () => {
  const channel = channelEntry({
    type: 43,
    baseUrl: "",
    models: ["chat", "deepseek-v4-flash", "deepseek-reasoner"],
    modelMapping: new Map([["chat", "deepseek-chat"]]),
  });
  const successor = { date: "2026-07-24", successor: "deepseek-v4-flash" };
  expect(retiredModelsOf(shippedCatalog, channel, "2026-11-29")).toEqual([
    { model: "deepseek-chat", ...successor },
    { model: "deepseek-reasoner", ...successor },
  ]);
  expect(retiredModelsOf(shippedCatalog, channel, "2026-07-23")).toEqual([]);
});

test("retired models are not proposed for the service that turned them off", () => {
  const names = ["claude-opus-4-1", "claude-opus-5-5", "house-1"];
  expect(withoutRetired(shippedCatalog, 14, names)).toEqual(["claude-opus-5-5", "house-1"]);
  expect(withoutRetired(shippedCatalog, 33, names)).toEqual(names);
});

test("no shipped successor is retired itself", () => {
  const entries = [...shippedDocument.models].filter(([name]) =>
    retirementOf(shippedCatalog.find(name), null, "2026-11-29"),
  );
  const retired = new Set(entries.map(([name]) => name));
  expect(entries.filter(([, { successor }]) => successor && retired.has(successor))).toEqual([]);
});
