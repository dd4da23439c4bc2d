import { describe, expect, test } from "bun:test";
import { type ChatDialect, emptyConversation } from "../../dialects/conversation.ts";
import { type ConversationSettings, needsPreparation, prepareConversation } from "./prepare-conversation.ts";

const settings: ConversationSettings = {
  defaultMaxTokens: () => 8192,
  headersOf: () => null,
  geminiVersion: () => "v1beta",
  geminiSafety: () => [],
  drawsImages: () => false,
  claudeThinkingShare: () => 0.8,
  geminiThinkingShare: () => 0.6,
};

function prepared(dialect: ChatDialect, model: string, limit: number | null, given = settings) {
  const conversation = emptyConversation("openai-chat", model);
  conversation.sampling.maxOutputTokens = limit;
  conversation.sampling.temperature = 0.5;
  const { model: name, conversation: made } = prepareConversation(conversation, model, dialect, given);
  return [name, made.reasoning.budgetTokens, made.sampling.maxOutputTokens, made.sampling.temperature];
}

describe("names of Claude models that end in -thinking", () => {
  test.each([
    [null, 6553, 8192],
    [10_000, 8000, 10_000],
    [100, 1024, 1280],
  ])("with a limit of %p think with %p tokens of %p", (limit, budget, raised) => {
    expect(prepared("anthropic", "claude-sonnet-4-5-thinking", limit)).toEqual([
      "claude-sonnet-4-5",
      budget,
      raised,
      null,
    ]);
  });
});

describe("names of Gemini models", () => {
  test.each([
    ["gemini-2.5-flash-nothinking", null, 0],
    ["gemini-2.5-flash-thinking", null, 24_576],
    ["gemini-2.5-flash-thinking", 1000, 600],
    ["gemini-2.5-flash-thinking-512", null, 512],
    ["gemini-2.5-flash-thinking-24576", null, 24_576],
    ["gemini-2.5-flash-thinking-24577", null, null],
  ])("%s with a limit of %p thinks with %p tokens", (model, limit, budget) => {
    expect(prepared("gemini", model, limit)).toEqual(["gemini-2.5-flash", budget, limit, 0.5]);
  });
});

test("the suffixes mean nothing where they are turned off, and to other formats", () => {
  const off = { ...settings, claudeThinkingShare: () => null, geminiThinkingShare: () => null };
  expect(prepared("anthropic", "claude-x-thinking", 9, off)[0]).toBe("claude-x-thinking");
  expect(prepared("gemini", "gemini-x-nothinking", 9, off)[0]).toBe("gemini-x-nothinking");
  expect(prepared("openai-chat", "claude-x-thinking", 9)[0]).toBe("claude-x-thinking");
  expect([needsPreparation("claude-x-thinking", "anthropic"), needsPreparation("gpt-5", "anthropic")]).toEqual([
    true,
    false,
  ]);
});
