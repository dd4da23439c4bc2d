import { expect, test } from "bun:test";
import type { LogOther } from "../../../../src/billing/types.ts";
import { bodyOf } from "../../playground/chat/chat.ts";
import { codeOf } from "../../playground/chat/code.ts";
import type { LogEntry } from "../log-entry.ts";
import { loggedChat, replayedBody, replayedChat } from "./replay.ts";

const row = (other: Partial<LogOther>): LogEntry => ({
  id: 1,
  user_id: 1,
  created_at: 1_700_000_000,
  type: 2,
  content: "",
  username: "ada",
  token_name: "k",
  model_name: "gpt-4o",
  quota: 1,
  uncovered: 0,
  prompt_tokens: 20,
  completion_tokens: 10,
  use_time: 1,
  elapsed_ms: 900,
  is_stream: true,
  failed: false,
  channel: 1,
  channel_name: "",
  token_id: 1,
  group: "vip",
  ip: "",
  request_id: "r",
  tags: [],
  other: JSON.stringify(other),
});

const CONTEXT = JSON.stringify([
  { role: "user", content: "What is a sluice?" },
  { role: "assistant", content: "A gate." },
  { role: "tool", content: "42" },
]);
const CHAT = row({
  system_prompt: "Be brief.",
  context: CONTEXT,
  input_content: "Who's at it?",
  output_content: "A lock keeper.",
});

const logged = (entry: LogEntry) => loggedChat(entry) ?? expect.unreachable("no chat");

test("a logged chat opens with its questions and answers, and would send them again", () => {
  const { settings, turns } = replayedChat(CHAT, logged(CHAT));
  expect(turns.map(({ text, answers }) => [text, answers[0]?.content])).toEqual([
    ["What is a sluice?", "A gate."],
    ["Who's at it?", "A lock keeper."],
  ]);
  expect(turns[1]?.answers[0]).toMatchObject({ promptTokens: 20, completionTokens: 10, totalMs: 900, requestId: "r" });
  expect(bodyOf(settings, turns, 0)).toMatchObject({
    model: "gpt-4o",
    group: "vip",
    messages: replayedBody(CHAT, logged(CHAT)).messages,
  });
});

test("a logged chat leaves as a command that a shell reads", () => {
  const code = codeOf("curl", replayedBody(CHAT, logged(CHAT)), "https://gate.test/v1");
  expect(code).toContain(`{"role":"user","content":"Who'\\''s at it?"}`);
  expect(code).not.toContain("lock keeper");
  expect(code).not.toContain("temperature");
});

test("of a conversation that was truncated the last question is left", () => {
  const entry = row({ context: `${CONTEXT.slice(0, 30)}…`, input_content: "And now?", output_content: "Yes." });
  expect(logged(entry)).toEqual({ system: "", earlier: [], question: "And now?", answer: "Yes." });
});

test("neither a call without logged content nor one that is no chat can be replayed", () => {
  expect(loggedChat(row({}))).toBeNull();
  expect(loggedChat(row({ input_content: '["a text to embed"]', output_content: "" }))).toBeNull();
});
