import { expect, test } from "bun:test";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import { effortFor, prepareForOpenAi } from "./reasoning-models.ts";

test.each([
  ["o3", "none", "low"],
  ["o4-mini-2025-04-16", "minimal", "low"],
  ["o1-pro", "xhigh", "high"],
  ["gpt-5-mini", "none", "minimal"],
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5-2025-08-07", "max", "high"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-5-codex", "minimal", "low"],
  ["gpt-5.1", "minimal", "low"],
  ["gpt-5.1", "none", "none"],
  ["gpt-5.1-codex", "xhigh", "high"],
  ["gpt-5.1-codex-max", "xhigh", "xhigh"],
  ["gpt-5.2-pro", "low", "medium"],
  ["gpt-5.4", "max", "xhigh"],
  ["gpt-5.6", "max", "max"],
  ["gpt-5.10", "minimal", "minimal"],
  ["gpt-6", "max", "max"],
  ["gpt-5", undefined, undefined],
  ["o3", "some", "some"],
])("%s with the effort %p receives %p", (model, requested, expected) => {
  expect(effortFor(shippedCatalog.find(model), requested)).toBe(expected);
});

test("models that do not reason are recognized by name", () => {
  const plain = [
    "gpt-4o",
    "gpt-4.1-mini",
    "gpt-3.5-turbo",
    "chatgpt-4o-latest",
    "ft:gpt-4o-mini:us::1",
    "gpt-5-chat-latest",
  ];
  const others = ["gpt-5", "o3", "gpt-oss-120b", "gpt-5.1-chat-latest", "my-gpt-4o", "deepseek-chat"];
  const losesEffort = (model: string): boolean => {
    const params = { capability: "chat", dialect: "openai-chat", model, stream: false } as const;
    return prepareForOpenAi({ reasoning_effort: "low" }, params)?.dropped.includes("reasoning_effort") === true;
  };
  expect(plain.filter(losesEffort)).toEqual(plain);
  expect(others.filter(losesEffort)).toEqual([]);
});
