import { expect, test } from "bun:test";
import i18next from "i18next";
import type { LogOther, PlanDraw, Receipt } from "../../../../src/billing/types.ts";
import * as en from "../../../locales/en.ts";
import { bodyOf } from "../../playground/chat/chat-body.ts";
import { chatCall, codeOf } from "../../playground/chat/code.ts";
import type { LogEntry } from "../entries/log-entry.ts";
import { loggedChat, replayedBody, replayedChat } from "./replay/logged-chat.ts";
import { receiptText } from "./ShareTools.tsx";

async function textOf(receipt: Receipt, draws: readonly PlanDraw[] = []): Promise<string[]> {
  const i18n = i18next.createInstance();
  await i18n.init({ lng: "en", resources: { en: { translation: en } } });
  const entry = { model_name: "gpt-4o", created_at: 1_767_225_600, group: "vip" } as LogEntry;
  return receiptText(entry, receipt, "req-1", i18n.t, draws).split("\n");
}

test("rounding is a line of its own", async () => {
  const receipt = {
    lines: [{ item: "input", quantity: "3", factor: "1.25", amount: "3.75" }],
    subtotal: "3.75",
    groupRatio: "1",
    quotaPerUnit: "500000",
    total: 4,
  };
  expect((await textOf(receipt)).slice(1)).toEqual([
    "Input: 3 × $2.5 /1M = $0.0000075",
    "Group ratio, vip: × 1",
    "Rounding to whole quota units: +0.0000005",
    "Charged: $0.0000080 (4 quota units)",
  ]);
});

test("a receipt as text has every sum of it", async () => {
  const receipt = {
    lines: [
      { item: "input", quantity: "1000", factor: "1.25", amount: "1250" },
      { item: "output", quantity: "500", factor: "5", amount: "2500" },
    ],
    subtotal: "3750",
    groupRatio: "0.5",
    quotaPerUnit: "500000",
    total: 1875,
  };
  expect(await textOf(receipt)).toEqual([
    "gpt-4o · 2026-01-01T00:00:00.000Z · req-1",
    "Input: 1,000 × $2.5 /1M = $0.002500",
    "Output: 500 × $10 /1M = $0.005000",
    "Group ratio, vip: × 0.5 (−0.003750)",
    "Charged: $0.003750 (1,875 quota units)",
  ]);
});

test("a call that a plan includes says which one it was, what it is worth and that nothing was charged", async () => {
  const receipt = {
    lines: [{ item: "input", quantity: "4", factor: "1", amount: "4" }],
    subtotal: "4",
    groupRatio: "1",
    quotaPerUnit: "500000",
    total: 4,
  };
  const draw = { subscription: 7, plan: "Coding", units: 0, calls: 50 };
  expect((await textOf(receipt, [{ ...draw, call: 12 }])).slice(-3)).toEqual([
    "Value: $0.000008",
    "Included call 12 of 50 in this window (Coding): −$0.000008",
    "Charged: $0 (0 quota units)",
  ]);
  expect((await textOf(receipt, [{ ...draw, call: null }])).at(-2)).toBe("Included call (Coding): −$0.000008");
});

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
  end_user: "",
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
  const code = codeOf("curl", "openai-chat", chatCall(replayedBody(CHAT, logged(CHAT))), "https://gate.test");
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
