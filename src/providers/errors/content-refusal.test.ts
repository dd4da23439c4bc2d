import { expect, test } from "bun:test";
import { isContentRefusal } from "./content-refusal.ts";

test.each([
  ["content_filter", "The response was filtered"],
  ["content_policy_violation", "Your request was rejected"],
  ["moderation_blocked", "Your request was rejected by our safety system"],
  ["data_inspection_failed", "Input data may contain inappropriate content."],
  [null, "Content Exists Risk"],
  ["1301", "系统检测到输入或生成内容可能包含不安全或敏感内容"],
])("another model may accept what failed with %s: %s", (code, message) => {
  expect(isContentRefusal(1, 400, { code, type: "", message })).toBe(true);
});

test.each([
  ["invalid_type", "temperature must be a number"],
  ["unknown_parameter", "Unknown parameter: 'messages[0].foo'."],
  [null, "max_tokens: must be greater than or equal to 1"],
  [null, "Invalid schema for function 'f'"],
  [null, "messages: at least one message is required"],
  ["unsupported_parameter", "'max_tokens' is not supported with this model."],
])("another model would not accept what failed with %s: %s", (code, message) => {
  expect(isContentRefusal(1, 400, { code, type: "", message })).toBe(false);
});
