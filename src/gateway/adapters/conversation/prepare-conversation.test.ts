import { describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../catalog/catalog.ts";
import {
  type ChatDialect,
  emptyConversation,
  type ReasoningSetting,
} from "../../../formats/conversation/conversation.ts";
import { registry } from "../../../settings/registry/index.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { needsPreparation } from "../../request/model-suffix.ts";
import { type ConversationSettings, createConversationSettings, prepareConversation } from "./prepare-conversation.ts";

const settings: ConversationSettings = {
  modelInfo: shippedCatalog.find,
  defaultMaxTokens: () => 8192,
  thinkingSuffixTokens: () => 8192,
  headersOf: () => null,
  geminiVersion: () => "v1beta",
  geminiSafety: () => [],
  automaticCacheMarks: () => "never",
  drawsImages: () => false,
  claudeThinkingShare: () => 0.8,
  geminiThinkingShare: () => 0.6,
};

/** Null: the model decides. */
const tokensOf = (setting: ReasoningSetting | null): number | null =>
  setting?.type === "budget" ? setting.tokens : setting?.type === "off" ? 0 : null;

function prepared(dialect: ChatDialect, model: string, limit: number | null, source = settings) {
  const conversation = emptyConversation("openai-chat", model);
  conversation.sampling.maxOutputTokens = limit;
  conversation.sampling.temperature = 0.5;
  const { model: name, conversation: made } = prepareConversation(conversation, model, dialect, source);
  return [name, tokensOf(made.reasoning.setting), made.sampling.maxOutputTokens, made.sampling.temperature];
}

describe("Claude model names that end in -thinking", () => {
  test.each([
    [null, 6553, 8192],
    [10_000, 8000, 10_000],
    // More than the limit, which stays: the encoder leaves the thinking out, and says so.
    [100, 1024, 100],
  ])("with a limit of %p reason with %p tokens of %p", (limit, budget, sent) => {
    expect(prepared("anthropic", "claude-sonnet-4-5-thinking", limit)).toEqual([
      "claude-sonnet-4-5",
      budget,
      sent,
      0.5,
    ]);
  });
});

describe("Gemini model names", () => {
  test.each([
    ["gemini-2.5-flash-nothinking", null, 0],
    ["gemini-2.5-flash-thinking", null, 24_576],
    ["gemini-2.5-flash-thinking", 1000, 600],
    ["gemini-2.5-flash-thinking-512", null, 512],
    ["gemini-2.5-flash-thinking-24576", null, 24_576],
    ["gemini-2.5-flash-thinking-24577", null, null],
  ])("%s with a limit of %p reasons with %p tokens", (model, limit, budget) => {
    expect(prepared("gemini", model, limit)).toEqual(["gemini-2.5-flash", budget, limit, 0.5]);
  });
});

test("the suffixes have no effect if disabled, or in other formats", () => {
  const off = { ...settings, claudeThinkingShare: () => null, geminiThinkingShare: () => null };
  expect(prepared("anthropic", "claude-x-thinking", 9, off)[0]).toBe("claude-x-thinking");
  expect(prepared("gemini", "gemini-x-nothinking", 9, off)[0]).toBe("gemini-x-nothinking");
  expect(prepared("openai-chat", "claude-x-thinking", 9)[0]).toBe("claude-x-thinking");
  expect([needsPreparation("claude-x-thinking", "anthropic"), needsPreparation("gpt-5", "anthropic")]).toEqual([
    true,
    false,
  ]);
});

test("the suffixes apply to listed Gemini models only, listed with or without the suffix", () => {
  const options: Record<string, unknown> = { "gemini.thinking_adapter_enabled": true };
  const initial = Object.fromEntries(Object.entries(registry).map(([key, option]) => [key, option.initial]));
  const reader = {
    get values() {
      return { ...initial, ...options };
    },
  } as unknown as SettingsReader;
  const source = createConversationSettings(reader, () => shippedCatalog);
  const budgetOf = (model: string) => prepared("gemini", model, null, source).slice(0, 2);
  for (const model of ["gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-pro-preview", "gemini-2.5-flash-preview-05-20"])
    expect(budgetOf(`${model}-thinking`)).toEqual([model, 24_576]);
  expect(budgetOf("gemini-0-flash-thinking")).toEqual(["gemini-0-flash-thinking", null]);
  expect(budgetOf("gemini-0-flash-nothinking")).toEqual(["gemini-0-flash-nothinking", null]);
  options["gemini.models_supported_thinking_budget"] = ["gemini-0-flash-thinking"];
  expect(budgetOf("gemini-0-flash-thinking")).toEqual(["gemini-0-flash", 24_576]);
  expect(budgetOf("gemini-0-flash-nothinking")).toEqual(["gemini-0-flash-nothinking", null]);
  expect(budgetOf("gemini-2.5-flash-thinking")).toEqual(["gemini-2.5-flash-thinking", null]);
  options["gemini.thinking_adapter_enabled"] = false;
  expect(budgetOf("gemini-0-flash-thinking")).toEqual(["gemini-0-flash-thinking", null]);
});
