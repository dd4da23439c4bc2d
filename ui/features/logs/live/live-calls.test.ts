import { expect, test } from "bun:test";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import { MOST_CALLS, mergeCalls, namesText } from "./live-calls.ts";

const call = (request_id: string, values: Partial<LiveCall> = {}): LiveCall => ({
  request_id,
  is_over: false,
  created_at: 1,
  user_id: 1,
  username: "Ann",
  token_name: "ide",
  model_name: "gpt-4o",
  channel: 0,
  channel_name: "",
  group: "default",
  is_stream: false,
  failed: false,
  status: 0,
  error: "",
  error_reason: null,
  elapsed_ms: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  quota: 0,
  ip: "",
  ...values,
});
const ids = (calls: readonly LiveCall[]) => calls.map(({ request_id }) => request_id);

test("new calls come on top, and an end takes its call's place", () => {
  const first = mergeCalls([], [call("a"), call("b")]);
  expect(ids(first)).toEqual(["b", "a"]);
  const second = mergeCalls(first, [call("a", { is_over: true }), call("c")]);
  expect(second.map(({ request_id, is_over }) => [request_id, is_over])).toEqual([
    ["c", false],
    ["b", false],
    ["a", true],
  ]);
  expect(mergeCalls(second, [call("a")])[2]?.is_over).toBe(true);
});

test("a beginning and its end at once are one row, and the list is bounded", () => {
  expect(mergeCalls([], [call("a"), call("a", { is_over: true })])).toMatchObject([{ is_over: true }]);
  const many = Array.from({ length: MOST_CALLS + 50 }, (_, index) => call(String(index)));
  const merged = mergeCalls([call("old")], many);
  expect(merged).toHaveLength(MOST_CALLS);
  expect(merged[0]?.request_id).toBe(String(MOST_CALLS + 49));
});

test("the filter looks at names in any case", () => {
  expect(namesText(call("a"), " ann ")).toBe(true);
  expect(namesText(call("a"), "GPT")).toBe(true);
  expect(namesText(call("a"), "claude")).toBe(false);
  expect(namesText(call("a"), "")).toBe(true);
});
