import { expect, test } from "bun:test";
import { emptyConversation, type Tool } from "../conversation/conversation.ts";
import { toolAliases, withToolNames } from "./tool-names.ts";

const tool = (name: string): Tool => ({ type: "function", name, description: null, parameters: null, strict: null });
const conversationWith = (...names: string[]) => ({ ...emptyConversation("gemini", "m"), tools: names.map(tool) });

test("names that every format accepts stay", () => {
  const conversation = conversationWith("look", "_2", "mcp__a-b__c", "x".repeat(64));
  expect(toolAliases(conversation).size).toBe(0);
  expect(withToolNames(conversation, new Map())).toBe(conversation);
});

test.each(["x".repeat(65), "files.read:all", "3d_view", "wetter_für_gent", "天气"])(
  "%s gets a name that every format accepts, always the same",
  (name) => {
    const alias = toolAliases(conversationWith(name)).get(name) ?? "";
    expect(alias).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(toolAliases(conversationWith("look", name)).get(name)).toBe(alias);
  },
);

test("names with the same beginning stay different", () => {
  const [one, other] = [`${"x".repeat(70)}1`, `${"x".repeat(70)}2`];
  expect(new Set(toolAliases(conversationWith(one, other)).values()).size).toBe(2);
});

test("they change wherever a tool is named, even in calls of tools that are no longer declared", () => {
  const parts = [
    { type: "tool-call", id: "c1", name: "old.tool", input: "{}", kind: "function" },
    { type: "tool-result", callId: "c1", name: "old.tool", parts: [], isError: false },
  ] as const;
  const conversation = {
    ...conversationWith("a.b"),
    turns: [
      { role: "assistant" as const, parts: [parts[0]] },
      { role: "user" as const, parts: [{ ...parts[1], parts: [] }] },
    ],
    toolChoice: { type: "allowed" as const, mode: "auto" as const, names: ["a.b"] },
  };
  const encoded = JSON.stringify(withToolNames(conversation, toolAliases(conversation)));
  expect(encoded).not.toMatch(/a\.b|old\.tool/);
  expect(encoded.match(/a_b_[0-9a-f]{8}/g)).toHaveLength(2);
  expect(encoded.match(/old_tool_[0-9a-f]{8}/g)).toHaveLength(2);
});
